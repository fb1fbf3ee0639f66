/** A table's state in the link: `ID.sort`, `ID.q`, `ID.cols`; `ID.row` is the row that is open. */
import { useMemo } from 'preact/hooks'

import { filters } from '../../../state/filters'
import { at } from '../../../state/place'
import type { Column } from '../column'
import { parseSearch, parseSort } from '../rows/order'
import type { Search, Sort } from '../rows/order'

export interface TableLink<R> {
  readonly sort: Sort
  readonly query: string
  readonly search: Search
  /** The columns shown. */
  readonly chosen: readonly Column<R>[]
}

/** `usual`: how it is sorted unless the link says otherwise. */
export function useTableLink<R>(id: string, columns: readonly Column<R>[], usual: Sort): TableLink<R> {
  const sort = parseSort(at(`${id}.sort`), usual)
  return { ...useSearch(id), sort, chosen: chosenColumns(columns, at(`${id}.cols`)) }
}

export function useSearch(id: string): Pick<TableLink<never>, 'query' | 'search'> {
  const query = at(`${id}.q`) ?? ''
  const search = useMemo(() => parseSearch(query), [query])
  return { query, search }
}

/** The name, and of the others those the link names, or else those not hidden. */
/** Of a table without rows: filters may have left none. */
export function noRows(otherwise = 'Nothing was recorded.'): string {
  return Object.keys(filters.value).length > 0 ? 'No row is left by the filters.' : otherwise
}

/** In the order of the link where that lists them; the first one stays the first. */
export function chosenColumns<R>(columns: readonly Column<R>[], listed: string | undefined): readonly Column<R>[] {
  const ids = listed?.split(',')
  const chosen = columns.filter((column, index) => index === 0 || (ids?.includes(column.id) ?? column.hidden !== true))
  const placeOf = (column: Column<R>): number => (column === columns[0] ? -1 : (ids?.indexOf(column.id) ?? 0))
  return chosen.sort((a, b) => placeOf(a) - placeOf(b))
}

/** Tells one choice of columns from another: views make their columns anew whenever the link changes. */
export function idsOf<R>(columns: readonly Column<R>[]): string {
  return columns.map((column) => column.id).join()
}
