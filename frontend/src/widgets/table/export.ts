/** What is shown, as a file: these columns, these rows, this order, in base units. */
import type { Column } from './column'

function cell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
}

export function toCsv<R>(rows: readonly R[], shown: Uint32Array, columns: readonly Column<R>[]): string {
  const lines = [columns.map((column) => cell(column.id)).join(',')]
  for (const index of shown) {
    const row = rows[index]
    if (row !== undefined) lines.push(columns.map((column) => cell(column.value(row))).join(','))
  }
  return lines.join('\r\n') + '\r\n'
}

export function toJson<R>(rows: readonly R[], shown: Uint32Array, columns: readonly Column<R>[]): string {
  const records = Array.from(shown, (index) => {
    const row = rows[index]
    return Object.fromEntries(columns.map((column) => [column.id, row === undefined ? null : column.value(row)]))
  })
  return JSON.stringify(records, undefined, 1) + '\n'
}

/** Tab-separated lines without a header, for the clipboard. */
export function toLine<R>(row: R, columns: readonly Column<R>[]): string {
  return columns.map((column) => String(column.value(row) ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t')
}
