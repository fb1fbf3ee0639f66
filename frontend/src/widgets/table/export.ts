/** What is shown, as a file: these columns, these rows, this order, in base units. */
import type { Column } from './column'

/** What a spreadsheet would run as a formula, or cut off before one; `bodies.py` has the same. */
const FORMULA = /^[ \n\v\f\0]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

function inert(value: string | number | null): string {
  return typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '')
}

function cell(value: string | number | null): string {
  const text = inert(value)
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
}

type Exported<R> = Pick<Column<R>, 'id' | 'value'>

export function toCsv<R>(rows: readonly R[], columns: readonly Exported<R>[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(column.value(row))).join(','))
  return [columns.map((column) => cell(column.id)).join(','), ...lines].join('\r\n') + '\r\n'
}

export function toJson<R>(rows: readonly R[], columns: readonly Column<R>[]): string {
  const records = rows.map((row) => Object.fromEntries(columns.map((column) => [column.id, column.value(row)])))
  return JSON.stringify(records, undefined, 1) + '\n'
}

/** Tab-separated lines without a header, for the clipboard. */
export function toLine<R>(row: R, columns: readonly Exported<R>[]): string {
  return columns.map((column) => inert(column.value(row)).replace(/[\t\r\n]+/g, ' ')).join('\t')
}
