/** The icicle and the tree table of the same rows, joined by what is selected, opened, sorted and searched in the link. */
import { useEffect, useMemo, useState } from 'preact/hooks'

import { plural } from '../../base/units'
import type { ModuleRow, Modules } from '../../data/wire'
import { adjust, at, go } from '../../state/place'
import { SidePanel } from '../../widgets/side_panel'
import type { Column } from '../../widgets/table/column'
import { ColumnChoice, Export, chosenColumns, menuItems } from '../../widgets/table/data_table'
import { CopyMenu } from '../../widgets/table/menu'
import type { MenuAt } from '../../widgets/table/menu'
import { formatSort, nextSort, parseSearch, parseSort } from '../../widgets/table/order'
import { Table } from '../../widgets/table/table'
import { Actions } from './actions'
import { TOTALS, columnsFor } from './columns'
import { Icicle } from './icicle_chart'
import { metricsOf } from './metrics'
import { Toolbar } from './toolbar'
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
  const opened = openedInLink(rows)
  const query = at('modules.q') ?? ''
  const search = useMemo(() => parseSearch(query), [query])
  const kept = useMemo(() => matching(tree, search.pattern), [tree, search])
  const hasChildren = (row: ModuleRow): boolean => childrenOf(tree, row.id).length > 0
  const isShownOpen = (row: ModuleRow): boolean => hasChildren(row) && (kept !== undefined || isOpen(row, opened))
  const onToggle = (row: ModuleRow): void => {
    if (kept === undefined) go(linkTo(toggled(opened, row.id)))
  }
  const columns = columnsFor(modules, { hasChildren, isOpen: isShownOpen, onToggle })
  const chosen = chosenColumns(columns, at('modules.cols'))
  const sort = parseSort(at('modules.sort'), {
    column: modules.has_device ? 'device_total_ns' : 'host_total_ns',
    descending: true,
  })
  const shown = useMemo(
    () => visible(tree, columns, sort, opened, kept),
    [tree, formatSort(sort), at('modules.levels'), at('modules.toggled'), kept],
  )
  const selected = rows.find((row) => row.path === at('modules.row'))
  const position = selected === undefined ? -1 : shown.indexOf(selected.id)
  // A row, not a place: opening one moves those below it.
  const [activeId, setActiveId] = useState(-1)
  const active = shown.indexOf(activeId)
  const [menu, setMenu] = useState<MenuAt>()
  useEffect(() => setActiveId(selected?.id ?? -1), [selected?.id])

  const rowAt = (place: number): ModuleRow | undefined => rows[shown[place] ?? -1]
  const select = (row: ModuleRow | undefined, change: typeof go): void => {
    if (row !== undefined) change({ 'modules.row': row.path })
  }
  const close = (): void => go({ 'modules.row': undefined })
  const zoom = rows.find((row) => row.path === at('modules.zoom'))?.id ?? -1
  const zoomTo = (id: number): void => {
    const row = rows[id]
    const reveal = row === undefined ? {} : linkTo(revealed(tree, opened, id))
    go({ ...reveal, 'modules.row': row?.path, 'modules.zoom': row?.path })
  }

  return (
    <div
      class="data-table modules"
      onKeyDown={(event) => {
        if (event.code === 'Escape' && selected !== undefined) close()
        else if (event.code === 'ArrowRight' || event.code === 'ArrowLeft') moveInTree(event)
      }}
    >
      <Toolbar
        metrics={metrics}
        metric={metric}
        groupBy={modules.group_by}
        isFlame={isFlame}
        isZoomed={zoom >= 0}
        query={query}
        searchError={search.error}
        count={
          kept === undefined ? plural(rows.length, 'row') : plural(matches(rows, search.pattern), 'match', 'matches')
        }
      >
        <ColumnChoice id={ID} columns={columns} chosen={chosen} />
        <Export id={ID} rows={rows} shown={shown} chosen={[PATH, ...chosen.slice(1)]} fileParts={fileParts} />
      </Toolbar>
      {metric !== undefined && (
        <Icicle
          tree={tree}
          metric={metric}
          zoom={zoom}
          isFlame={isFlame}
          selected={selected?.id ?? -2}
          kept={kept}
          onChoose={zoomTo}
        />
      )}
      <div class="table-and-panel">
        {shown.length === 0 ? (
          <p class="nothing">No module matches “{query}”.</p>
        ) : (
          <Table
            label="Modules"
            rows={rows}
            shown={shown}
            columns={chosen}
            sort={sort}
            onSort={(column, add) => go({ 'modules.sort': formatSort(nextSort(sort, column, add)) })}
            active={active}
            selected={position}
            onActive={moveTo}
            onOpen={(place) => select(rowAt(place), go)}
            onMenu={(place, column, x, y) => {
              const row = rowAt(place)
              if (row !== undefined) setMenu({ x, y, items: menuItems(ID, row, column, chosen, row.path) })
            }}
            rowAttributes={(row) => ({
              'aria-level': row.depth + 1,
              'aria-expanded': hasChildren(row) ? isShownOpen(row) : undefined,
            })}
            totalOf={(column) => wholeOf(tree, column, TOTALS.has(column.id))}
          />
        )}
        {selected !== undefined && (
          <SidePanel
            title={selected.path}
            onClose={close}
            more={<Actions row={selected} hasDevice={modules.has_device} onZoom={zoomTo} />}
          >
            {columns.slice(1).map((column) => ({ title: column.title, column, value: column.value(selected) }))}
          </SidePanel>
        )}
      </div>
      {menu !== undefined && <CopyMenu at={menu} onClose={() => setMenu(undefined)} />}
    </div>
  )

  /** As in every tree: right opens or goes to the first child, left closes or goes to the parent. */
  function moveInTree(event: KeyboardEvent): void {
    const row = rowAt(active)
    if (row === undefined || !(event.target instanceof HTMLTableElement)) return
    event.preventDefault()
    const opens = event.code === 'ArrowRight'
    if (hasChildren(row) && isShownOpen(row) !== opens) onToggle(row)
    else if (opens && hasChildren(row)) moveTo(active + 1)
    else if (!opens && row.parent !== null) moveTo(shown.indexOf(row.parent))
  }

  function moveTo(place: number): void {
    setActiveId(shown[place] ?? -1)
    if (selected !== undefined) select(rowAt(place), adjust)
  }
}

/** Exports name a row by its whole path: a name alone would not say where it is. */
const PATH: Column<ModuleRow> = { id: 'path', title: 'Path', kind: 'name', value: (row) => row.path, definition: '' }

function matches(rows: readonly ModuleRow[], pattern: RegExp | undefined): number {
  return rows.filter((row) => pattern !== undefined && isFound(row, pattern)).length
}

function openedInLink(rows: readonly ModuleRow[]): Opened {
  const levels = Number(at('modules.levels') ?? NaN)
  return {
    levels: Number.isInteger(levels) ? Math.min(levels, ALL_LEVELS) : usualLevels(rows),
    toggled: parseToggled(at('modules.toggled')),
  }
}

function linkTo({ toggled: ids }: Opened) {
  return { 'modules.toggled': formatToggled(ids) }
}
