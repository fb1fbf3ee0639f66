/** The icicle and the tree table of the same rows, joined by what is selected, opened, sorted and searched in the link. */
import { useMemo } from 'preact/hooks'

import { plural } from '../../../base/units'
import { wholeName } from '../../../state/filters'
import { at, go } from '../../../state/place'
import type { Column } from '../../../widgets/table/column'
import { EXPORT_NOTE, exportRows, shownOf } from '../../../widgets/table/data_table'
import { TableFrame } from '../../../widgets/table/frame/frame'
import { useSearch, useTableLink } from '../../../widgets/table/frame/link'
import { formatSort } from '../../../widgets/table/rows/order'
import { figuresHere, rowsHere } from '../../../widgets/table/rows/rows'
import type { List } from '../../../widgets/table/rows/rows'
import type { ModuleRow, Modules } from '../../../wire/wire'
import { Actions } from '../actions'
import { columnsFor, ownOf } from './columns'
import { ModuleIcicle } from '../chart/icicle_chart'
import { metricsOf } from '../metrics'
import { OpenAndClose, Toolbar } from '../toolbar'
import {
  childrenOf,
  formatToggled,
  isFound,
  isOpen,
  matching,
  parseToggled,
  revealed,
  toggled,
  treeOf,
  usualLevels,
  visible,
  wholeOf,
} from './tree'
import type { Opened } from './tree'

const ID = 'modules'
const ALL_LEVELS = 99

interface TreeTableProps {
  readonly modules: Modules
  readonly fileParts: readonly string[]
}

export function TreeTable({ modules, fileParts }: TreeTableProps) {
  const { rows } = modules
  const tree = useMemo(() => treeOf(rows), [rows])
  const metrics = useMemo(() => metricsOf(modules), [modules])
  const metric = metrics.find(({ id }) => id === at('modules.metric')) ?? metrics[0]
  const isFlame = at('modules.chart') === 'flame'
  const byClass = modules.group_by === 'class'
  const opened = openedInLink(rows, byClass)
  const { search } = useSearch(ID)
  const kept = useMemo(() => matching(tree, search.pattern), [tree, search])
  const hasChildren = (row: ModuleRow): boolean => childrenOf(tree, row.id).length > 0
  const isShownOpen = (row: ModuleRow): boolean => hasChildren(row) && (kept !== undefined || isOpen(row, opened))
  const onToggle = (row: ModuleRow): void => {
    if (kept === undefined) go(linkTo(toggled(opened, row.id)))
  }
  const columns = columnsFor(modules, { hasChildren, isOpen: isShownOpen, onToggle })
  const link = useTableLink(ID, columns, {
    column: `${modules.has_device ? 'device' : 'host'}_${byClass ? 'self' : 'total'}_ns`, // totals of classes overlap
    descending: true,
  })
  const { sort, chosen, query } = link
  const shown = useMemo(
    () => visible(tree, columns, sort, opened, kept),
    [tree, formatSort(sort), at('modules.levels'), at('modules.toggled'), kept],
  )
  const list = useMemo<List<ModuleRow>>(
    () => ({
      // Opened, sorted and with figures that came later it is the same list: the keys stay where they are.
      rows: { ...rowsHere(rows, shown), key: rows.map(({ path }) => path).join('\n') },
      figures: {
        ...figuresHere(rows, shown),
        sum: (column) => wholeOf(tree, ownColumn(columns, column), byClass),
        of: wholeName(),
      },
      words:
        kept === undefined ? plural(rows.length, 'row') : plural(matches(rows, search.pattern), 'match', 'matches'),
      nothing: `No module matches “${query}”.`,
      find: (is) => rows.find(is),
      positionOf: (row) => shown.indexOf(row.id),
    }),
    [tree, shown, query],
  )
  const selected = rows.find((row) => row.path === at('modules.row'))
  const zoom = rows.find((row) => row.path === at('modules.zoom'))?.id ?? -1
  const zoomTo = (id: number): void => {
    const row = rows[id]
    const reveal = row === undefined ? {} : linkTo(revealed(tree, opened, id))
    go({ ...reveal, 'modules.row': row?.path, 'modules.zoom': row?.path })
  }

  return (
    <TableFrame
      id={ID}
      label="Modules"
      columns={columns}
      keyOf={pathOf}
      wholeName={pathOf}
      link={link}
      list={list}
      tree={{
        attributes: (row) => ({
          'aria-level': row.depth + 1,
          'aria-expanded': hasChildren(row) ? isShownOpen(row) : undefined,
        }),
        onArrow: (row, isRight) => {
          if (hasChildren(row) && isShownOpen(row) !== isRight) onToggle(row)
          else if (isRight && hasChildren(row)) return rows[shown[shown.indexOf(row.id) + 1] ?? -1]
          else if (!isRight && row.parent !== null) return rows[row.parent]
          return undefined
        },
      }}
      exportNote={EXPORT_NOTE}
      onExport={(ending) => exportRows(ending, shownOf(rows, shown), [PATH, ...chosen.slice(1)], [...fileParts, ID])}
      details={(row) => <Actions row={row} hasDevice={modules.has_device} onZoom={zoomTo} />}
      buttons={<OpenAndClose />}
      above={
        metric !== undefined && (
          <ModuleIcicle
            tree={tree}
            metric={byClass ? { ...metric, total: metric.own } : metric}
            zoom={zoom}
            isFlame={isFlame}
            selected={selected?.id ?? -2}
            kept={kept}
            onChoose={zoomTo}
          />
        )
      }
    >
      <Toolbar metrics={metrics} metric={metric} groupBy={modules.group_by} isFlame={isFlame} isZoomed={zoom >= 0} />
    </TableFrame>
  )
}

function pathOf(row: ModuleRow): string {
  return row.path
}

/** Exports name a row by its whole path: a name alone would not say where it is. */
const PATH: Column<ModuleRow> = { id: 'path', title: 'Path', kind: 'name', value: pathOf, definition: '' }

function matches(rows: readonly ModuleRow[], pattern: RegExp | undefined): number {
  return rows.filter((row) => pattern !== undefined && isFound(row, pattern)).length
}

/** The column whose values add up to the whole of this one. */
function ownColumn(columns: readonly Column<ModuleRow>[], { id }: Column<ModuleRow>): Column<ModuleRow> | undefined {
  return columns.find((column) => column.id === ownOf(id))
}

function openedInLink(rows: readonly ModuleRow[], byClass: boolean): Opened {
  const levels = Number(at('modules.levels') ?? NaN)
  return {
    levels: Number.isInteger(levels) ? Math.min(levels, ALL_LEVELS) : usualLevels(rows, byClass),
    toggled: parseToggled(at('modules.toggled')),
  }
}

function linkTo({ toggled: ids }: Opened) {
  return { 'modules.toggled': formatToggled(ids) }
}
