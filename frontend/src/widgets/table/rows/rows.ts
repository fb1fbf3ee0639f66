/** The rows of a table in the order shown, wherever they are: here, or on the server. */
import { plural } from '../../../base/units'
import { isText } from '../column'
import type { Column } from '../column'
import { total } from './order'

export interface Rows<R> {
  readonly count: number
  /** Undefined: not here yet. */
  readonly rowAt: (position: number) => R | undefined
  /** These are in sight and may have to be fetched; the returned function takes it back. */
  readonly want: (first: number, end: number) => () => void
  /** Another key is another list. */
  readonly key: unknown
  /** Another list is shown from its top. */
  readonly isFromTop?: boolean
}

/** What only somebody who has all rows can say of a column. */
export interface Figures<R> {
  /** What a full bar means, of more or of less; 0: no bars. */
  readonly largest: (column: Column<R>) => number
  /** Undefined where a sum means nothing. */
  readonly sum: (column: Column<R>) => number | undefined
  /** What the sums are of. */
  readonly of: string
}

/** A source of rows, and what it says of them. */
export interface List<R> {
  readonly rows: Rows<R>
  readonly figures?: Figures<R> | undefined
  /** How many there are, in words. */
  readonly words: string
  /** Said where there is no row; undefined while nobody knows. */
  readonly nothing: string | undefined
  readonly error?: string | undefined
  /** The answer to a question before: dimmed. */
  readonly isOld?: boolean
  /** Among the rows that are here, shown or not. */
  readonly find: (is: (row: R) => boolean) => R | undefined
  /** Where a row stands; -1 where it is not shown, or nobody knows. */
  readonly positionOf: (row: R) => number
  /** Where the marked row stands, of whoever knows that of rows that are not here. */
  readonly markedAt?: number | undefined
  /** Sorted by whoever has the rows, and that by one column only. */
  readonly hasOneKey?: boolean
}

/** Rows of this page: `shown` are indices into `rows`, in order. */
export function rowsHere<R>(rows: readonly R[], shown: Uint32Array): Rows<R> {
  const rowAt = (position: number): R | undefined => rows[shown[position] ?? -1]
  return { count: shown.length, rowAt, want: () => () => undefined, key: shown }
}

export function figuresHere<R>(rows: readonly R[], shown: Uint32Array): Figures<R> {
  return {
    largest: (column) => largest(rows, shown, column),
    sum: (column) => total(rows, shown, column),
    of: `Total of ${plural(shown.length, 'row')}`,
  }
}

function largest<R>(rows: readonly R[], shown: Uint32Array, column: Column<R>): number {
  if (isText(column) || column.kind === 'time' || column.isPlace === true) return 0 // half of a date is no date
  let max = 0
  for (const index of shown) {
    const row = rows[index]
    const value = row === undefined ? null : column.value(row)
    if (typeof value === 'number') max = Math.max(max, Math.abs(value))
  }
  return max
}
