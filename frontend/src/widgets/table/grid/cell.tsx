/** A cell, and the room of rows that are not drawn. */
import type { Names } from '../../../base/names'
import { MONO_PX } from '../../use_width'
import { exactValue, isText, short } from '../column'
import type { Column } from '../column'

const CELL_PADDING = 22

interface CellProps<R> {
  readonly row: R
  readonly column: Column<R>
  /** Of the column, px. */
  readonly width: number | undefined
  /** How much of the bar behind the value is filled, 0 to 1; of less than nothing 0 to -1. */
  readonly bar?: number | undefined
  /** Those of the column. */
  readonly names: Names
  readonly onMenu: (x: number, y: number) => void
}

export function Cell<R>({ row, column, width = 0, bar, names, onMenu }: CellProps<R>) {
  if (column.isKnown?.(row) === false) return <td class={isText(column) ? 'is-text' : ''}>{column.unknown?.(row)}</td>
  const value = column.value(row)
  const room = Math.floor((width - CELL_PADDING) / MONO_PX) // monospace characters
  const isName = column.kind === 'name'
  return (
    <td
      class={`${isText(column) ? 'is-text' : ''}${isName ? ' is-name' : ''}${value === null ? ' is-absent' : ''}`}
      title={exactValue(column, value)}
      style={bar === undefined ? undefined : { '--share': `${100 * Math.abs(bar)}%` }}
      data-bar={bar === undefined ? undefined : bar < 0 ? 'less' : ''}
      onContextMenu={(event) => {
        event.preventDefault()
        onMenu(event.clientX, event.clientY)
      }}
    >
      {column.draw?.(row, room, names) ??
        (isName && typeof value === 'string' ? names.cut(value, room) : short(column, value))}
    </td>
  )
}

export function Space({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null
  return (
    <tr aria-hidden="true" class="space">
      <td colSpan={columns} style={{ height: `${px}px` }} />
    </tr>
  )
}
