/** What a column is. Values are in base units; `id` is the wire's name with the unit in it, and the header of exports. */
import type { ComponentChildren } from 'preact'

import {
  exactBytes,
  exactCount,
  exactNs,
  formatBytes,
  formatFlops,
  formatNs,
  formatRate,
  formatShare,
  threeDigits,
} from '../../base/units'

export type Value = number | string | null

export interface Column<R> {
  readonly id: string
  readonly title: string
  /** `name`: monospace, cut in the middle, pinned. `text`: words. The others are numbers in their base unit. */
  readonly kind:
    'name' | 'text' | 'count' | 'ns' | 'bytes' | 'share' | 'percent' | 'rate' | 'flops' | 'flop_rate' | 'number'
  readonly value: (row: R) => Value
  /** The word for null: what is missing is never 0 or blank. */
  readonly absent?: string
  readonly definition: string
  /** The sum over rows means something. */
  readonly sums?: boolean
  /** Not shown until chosen. */
  readonly hidden?: boolean
  /** No row has a value: the column choice says so. */
  readonly isEmpty?: boolean
  readonly width?: number
  /** Draws the cell instead of the value as text; `characters` fit into it. */
  readonly draw?: (row: R, characters: number) => ComponentChildren
}

const WIDTHS: Readonly<Record<Column<never>['kind'], number>> = {
  name: 330,
  text: 132,
  count: 84,
  ns: 112,
  bytes: 104,
  share: 88,
  percent: 104,
  rate: 104,
  flops: 112,
  flop_rate: 118,
  number: 104,
}

const TITLE_PX = 7.2 // a character of a header, and what stands around it: padding, "?" and the arrow
const AROUND_TITLE_PX = 54

export function widthOf<R>(column: Column<R>): number {
  return Math.max(column.width ?? WIDTHS[column.kind], Math.ceil(column.title.length * TITLE_PX) + AROUND_TITLE_PX)
}

export function isText<R>(column: Column<R>): boolean {
  return column.kind === 'name' || column.kind === 'text'
}

export function absentWord<R>(column: Column<R>): string {
  return column.absent ?? 'not recorded'
}

/** As read at a glance. */
export function short<R>(column: Column<R>, value: Value): string {
  if (value === null) return absentWord(column)
  if (typeof value === 'string') return value
  switch (column.kind) {
    case 'ns':
      return formatNs(value)
    case 'bytes':
      return formatBytes(value)
    case 'share':
      return formatShare(value)
    case 'percent':
      return `${threeDigits(value)} %`
    case 'rate':
      return formatRate(value)
    case 'flops':
      return formatFlops(value)
    case 'flop_rate':
      return `${formatFlops(value)}/s`
    case 'number':
      return threeDigits(value)
    case 'count':
    case 'name':
    case 'text':
      return exactCount(value)
  }
}

/** To the last digit, for hover and the side panel. */
export function exactValue<R>(column: Column<R>, value: Value): string {
  if (value === null) return absentWord(column)
  if (typeof value === 'string') return value
  switch (column.kind) {
    case 'ns':
      return exactNs(value)
    case 'bytes':
      return exactBytes(value)
    case 'share':
      return `${Number((value * 100).toPrecision(6))} %`
    case 'percent':
      return `${Number(value.toPrecision(6))} %`
    case 'rate':
      return `${exactCount(value)} bytes/s`
    case 'flops':
      return `${exactCount(value)} FLOP`
    case 'flop_rate':
      return `${exactCount(value)} FLOP/s`
    case 'number':
      return String(Number(value.toPrecision(6)))
    case 'count':
    case 'name':
    case 'text':
      return exactCount(value)
  }
}
