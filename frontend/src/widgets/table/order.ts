/** Which rows are shown, in which order: indices into the rows, so that sorting 100,000 rows moves no objects. */
import type { Column, Value } from './column'
import { isText } from './column'

export interface Sort {
  readonly column: string
  readonly descending: boolean
}

/** `-device_self_ns` or `name`, as it stands in the link. */
export function parseSort(text: string | undefined, otherwise: Sort): Sort {
  if (text === undefined) return otherwise
  return text.startsWith('-') ? { column: text.slice(1), descending: true } : { column: text, descending: false }
}

export function formatSort({ column, descending }: Sort): string {
  return (descending ? '-' : '') + column
}

/** The sort after a click on a header: numbers start with the largest, names with A; a second click turns it around. */
export function nextSort<R>(sort: Sort, column: Column<R>): Sort {
  if (sort.column === column.id) return { column: column.id, descending: !sort.descending }
  return { column: column.id, descending: !isText(column) }
}

export interface Search {
  readonly pattern: RegExp | undefined
  /** Why the text is no regular expression; it is then searched for as it stands. */
  readonly error: string | undefined
}

/** Case counts only when the text has a capital letter. */
export function parseSearch(text: string): Search {
  if (text === '') return { pattern: undefined, error: undefined }
  const flags = /[A-Z]/.test(text) ? '' : 'i'
  try {
    return { pattern: new RegExp(text, flags), error: undefined }
  } catch (error) {
    const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '').toLowerCase() : 'not valid'
    return { pattern: new RegExp(literal, flags), error: reason }
  }
}

/**
 * Rows with a match in a text column of `searched`, in the order of the sort. Rows without a value come last, whichever the
 * direction.
 */
export function shownRows<R>(
  rows: readonly R[],
  columns: readonly Column<R>[],
  sort: Sort,
  pattern: RegExp | undefined,
  searched: readonly Column<R>[] = columns,
): Uint32Array {
  const kept = filtered(rows, searched.filter(isText), pattern)
  const column = columns.find((each) => each.id === sort.column)
  if (column === undefined) return kept
  const values = rows.map(column.value)
  const sign = sort.descending ? -1 : 1
  // Stable: equal rows stay in the server's order.
  return kept.sort((a, b) => compare(values[a] ?? null, values[b] ?? null, sign) || a - b)
}

function filtered<R>(rows: readonly R[], texts: readonly Column<R>[], pattern: RegExp | undefined): Uint32Array {
  const all = Uint32Array.from(rows.keys())
  if (pattern === undefined) return all
  return all.filter((index) => {
    const row = rows[index]
    return row !== undefined && texts.some((column) => pattern.test(String(column.value(row) ?? '')))
  })
}

const byName = new Intl.Collator('en', { numeric: true })

function compare(a: Value, b: Value, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  return byName.compare(String(a), String(b)) * sign
}

/** The sum of a column over these rows; undefined where a sum means nothing. */
export function total<R>(rows: readonly R[], shown: Uint32Array, column: Column<R>): number | undefined {
  if (column.sums !== true) return undefined
  let sum = 0
  for (const index of shown) {
    const row = rows[index]
    const value = row === undefined ? null : column.value(row)
    if (typeof value === 'number') sum += value
  }
  return sum
}
