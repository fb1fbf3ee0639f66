/**
 * What a column is. Values are in base units; `id` is the wire's name with the unit in it, and the header of exports. Titles, units
 * and definitions are declared in Python, on the fields of the row (`row_figures.ts` of a view); `columnsOf` makes columns of them.
 */
import type { ComponentChildren } from 'preact'

import type { Names } from '../../base/names'
import {
  exactBytes,
  exactCount,
  exactNs,
  exactTime,
  formatBytes,
  formatFlops,
  formatNs,
  formatRate,
  formatShare,
  formatTime,
  signedNs,
  signedShare,
  threeDigits,
} from '../../base/units'

export type Value = number | string | null

export interface Column<R> {
  readonly id: string
  readonly title: string
  /** `name`: monospace, cut in the middle, pinned. `text`: words, `dims`: `2 × 3`. The others are numbers in their base unit. */
  readonly kind:
    | 'name'
    | 'text'
    | 'count'
    | 'ns'
    | 'change_ns'
    | 'bytes'
    | 'share'
    | 'change_share'
    | 'percent'
    | 'bytes_per_s'
    | 'flops'
    | 'flops_per_s'
    | 'number'
    | 'dims'
    | 'time'
  readonly value: (row: R) => Value
  /** What it is sorted by, if not by its value. */
  readonly order?: (row: R) => Value
  /** The word for null: what is missing is never 0 or blank. */
  readonly absent?: string
  /** False: nobody knows it yet, and the cell stays empty. */
  readonly isKnown?: (row: R) => boolean
  /** Stands in a cell of which nobody knows the value. */
  readonly unknown?: (row: R) => ComponentChildren
  readonly definition: string
  /** When, not how much: half of it is nothing, so it has no bar. */
  readonly isPlace?: boolean
  /** The sum over rows means something. */
  readonly sums?: boolean
  /** Not shown until chosen. */
  readonly hidden?: boolean
  /** No row has a value: the column choice says so. */
  readonly isEmpty?: boolean
  readonly width?: number
  /** Draws the cell instead of the value as text; `characters` fit into it, and `names` cuts those of the column apart. */
  readonly draw?: (row: R, characters: number, names: Names) => ComponentChildren
}

/** A figure of a row as `row_figures.ts` has it: what is the same wherever it is shown. `path` leads to it from the row. */
export interface Figure extends Pick<Column<never>, 'title' | 'kind' | 'absent' | 'sums' | 'definition'> {
  readonly path?: readonly string[]
}

/** The figures of a row of `view`, with what their names say unless it is told: the unit, and where the definition stands. */
export function rowOf<const F extends Readonly<Record<string, Pick<Figure, 'title'> & Partial<Figure>>>>(
  view: string,
  figures: F,
): { readonly [K in keyof F]: F[K] & Figure } {
  const whole = Object.entries(figures).map(([id, figure]) => {
    const kind = /_(ns|bytes|share)$/.exec(id)?.[1] ?? (id.startsWith('n_') ? 'count' : 'text')
    return [id, { kind, definition: `?${view}.${id}`, ...figure }]
  })
  return Object.fromEntries(whole) as { readonly [K in keyof F]: F[K] & Figure }
}

/** How a view shows a figure: what it sets goes before what is declared. `false`: it does not. */
export type Shown<R> = Partial<Omit<Column<R>, 'id'>> | false

/** Figures that are not a field of the row as it stands. */
type Made<R, F> = {
  [K in keyof F]: F[K] extends { readonly path: unknown }
    ? never
    : K extends keyof R
      ? R[K] extends Value | readonly number[]
        ? never
        : K
      : K
}[keyof F]

/** How a view shows each of these figures. */
export type Choice<R, F> = { readonly [K in Exclude<keyof F, Made<R, F>>]?: Shown<R> } & {
  readonly [K in Made<R, F>]: (Shown<R> & Pick<Column<R>, 'value'>) | false
}

/** Columns in the order of `shown`; figures that it does not name come last: a new field of the row is a column by itself. */
export function columnsOf<R, F extends Readonly<Record<string, Figure>>>(
  figures: F,
  shown: Choice<R, F>,
): readonly Column<R>[] {
  const how: Readonly<Record<string, Shown<R> | undefined>> = shown
  return Object.keys({ ...shown, ...figures }).flatMap((id) => {
    const figure = figures[id]
    const own = how[id]
    return figure === undefined || own === false
      ? []
      : [{ value: (row) => valueAt(row, figure.path ?? [id]), ...figure, ...own, id }]
  })
}

/** Those that are 0 or have no value in every row wait in the choice of columns. `always` stay, as what rows are sorted by. */
export function saying<R>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  ...always: readonly string[]
): readonly Column<R>[] {
  return columns.map((column) => {
    const values = new Set(rows.map((row) => column.value(row)))
    return always.includes(column.id) || [...values].some((value) => (value ?? 0) !== 0)
      ? column
      : { ...column, hidden: true, isEmpty: !values.has(0) }
  })
}

function valueAt(row: unknown, path: readonly string[]): Value {
  const found = path.reduce<unknown>(
    (at, name) => (at as Readonly<Record<string, unknown>> | null)?.[name] ?? null,
    row,
  )
  return Array.isArray(found) ? found.join(' × ') : (found as Value)
}

/** Of each kind: px of a column, as read at a glance, and to the last digit. */
const KINDS: Readonly<Record<Column<never>['kind'], readonly [number, Words, Words]>> = {
  name: [330, exactCount, exactCount],
  text: [132, exactCount, exactCount],
  count: [84, exactCount, exactCount],
  ns: [112, formatNs, exactNs],
  change_ns: [112, signedNs, exactNs],
  bytes: [104, formatBytes, exactBytes],
  change_share: [96, signedShare, (value) => `${value > 0 ? '+' : ''}${sixDigits(value * 100)} %`],
  share: [88, formatShare, (value) => `${sixDigits(value * 100)} %`],
  percent: [104, (value) => `${threeDigits(value)} %`, (value) => `${sixDigits(value)} %`],
  bytes_per_s: [104, formatRate, (value) => `${exactCount(value)} bytes/s`],
  flops: [112, formatFlops, (value) => `${exactCount(value)} FLOP`],
  flops_per_s: [118, (value) => `${formatFlops(value)}/s`, (value) => `${exactCount(value)} FLOP/s`],
  number: [104, threeDigits, sixDigits],
  dims: [120, exactCount, exactCount],
  time: [146, formatTime, exactTime],
}

type Words = (value: number) => string

function sixDigits(value: number): string {
  return String(Number(value.toPrecision(6))).replace(/^-/, '−')
}

const TITLE_PX = 7.2 // a character of a header, and what stands around it: padding, "?" and the arrow
const AROUND_TITLE_PX = 54

export function widthOf<R>(column: Column<R>): number {
  return Math.max(column.width ?? KINDS[column.kind][0], Math.ceil(column.title.length * TITLE_PX) + AROUND_TITLE_PX)
}

export function isText<R>(column: Column<R>): boolean {
  return column.kind === 'name' || column.kind === 'text' || column.kind === 'dims'
}

export function absentWord<R>(column: Column<R>): string {
  return column.absent ?? 'not recorded'
}

/** As read at a glance. */
export function short<R>(column: Column<R>, value: Value): string {
  return said(column, value, 1)
}

/** To the last digit, for hover and the side panel. */
export function exactValue<R>(column: Column<R>, value: Value): string {
  return said(column, value, 2)
}

function said<R>(column: Column<R>, value: Value, how: 1 | 2): string {
  if (value === null) return absentWord(column)
  return typeof value === 'string' ? value : KINDS[column.kind][how](value)
}
