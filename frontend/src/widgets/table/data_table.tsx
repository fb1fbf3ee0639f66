/** A table whose rows are all here: sorted by any columns, searched and exported by the page. */
import { useMemo } from 'preact/hooks'

import { exactCount, plural } from '../../base/units'
import { download, fileName } from '../links/download'
import type { Column } from './column'
import { toCsv, toJson } from './export'
import { TableFrame } from './frame/frame'
import type { Ending, TableProps } from './frame/frame'
import { idsOf, noRows, useTableLink } from './frame/link'
import { formatSort, shownRows } from './rows/order'
import { figuresHere, rowsHere } from './rows/rows'
import type { List } from './rows/rows'

export interface DataTableProps<R> extends TableProps<R> {
  readonly rows: readonly R[]
  /** For the exported file's name. */
  readonly fileParts: readonly string[]
  /** Instead of how many rows the sums are of. */
  readonly totals?: (shown: readonly R[]) => string
  /** Where there is no row, and no filter left none. */
  readonly nothing?: string
}

export function DataTable<R>(props: DataTableProps<R>) {
  const { id, rows, columns, keyOf, fileParts, totals, isLive } = props
  const link = useTableLink(id, columns, props.sort)
  const { sort, search, chosen, query } = link
  const shown = useMemo(
    // What is not seen is not searched: a hidden "kind" would match every operator.
    () => shownRows(rows, columns, sort, search.pattern, chosen),
    [rows, idsOf(columns), formatSort(sort), search, idsOf(chosen)],
  )
  const list = useMemo<List<R>>(() => {
    const all = plural(rows.length, 'row')
    const figures = figuresHere(rows, shown)
    return {
      // Told anew, it is the same list: keys and scroll stay where they are.
      rows: { ...rowsHere(rows, shown), ...(isLive === true && { key: `${formatSort(sort)} ${query}` }) },
      figures: totals === undefined ? figures : { ...figures, of: totals(shownOf(rows, shown)) },
      words: shown.length === rows.length ? all : `${exactCount(shown.length)} of ${all}`,
      nothing: rows.length === 0 ? noRows(props.nothing) : `No row matches “${query}”. Ctrl+K looks for it everywhere.`,
      find: (is) => rows.find(is),
      positionOf: (row) => {
        const key = keyOf(row)
        return shown.findIndex((index) => keyOf(rows[index] as R) === key)
      },
    }
  }, [rows, shown, query])
  return (
    <TableFrame
      {...props}
      link={link}
      list={list}
      exportNote={EXPORT_NOTE}
      onExport={(ending) => exportRows(ending, shownOf(rows, shown), chosen, [...fileParts, id])}
    />
  )
}

export const EXPORT_NOTE = 'The rows and columns shown, in base units'

/** Rows in the order shown. */
export function shownOf<R>(rows: readonly R[], shown: Uint32Array): readonly R[] {
  return Array.from(shown).flatMap((index) => rows[index] ?? [])
}

export function exportRows<R>(
  ending: Ending,
  rows: readonly R[],
  columns: readonly Column<R>[],
  nameParts: readonly string[],
): void {
  const name = fileName(nameParts, ending)
  if (ending === 'csv') download(name, 'text/csv', toCsv(rows, columns))
  else download(name, 'application/json', toJson(rows, columns))
}
