/** What both tables draw and do alike: cells, room of rows that are not drawn, widths of columns, keys. */
import { cutMiddle } from '../../base/cut'
import { ROW_HEIGHT } from '../../layout/window'
import { MONO_PX } from '../use_width'
import type { Column } from './column'
import { exactValue, isText, short, widthOf } from './column'

export const CHROME = 31 + 29 // header and footer, which cover rows that are scrolled under them
const CELL_PADDING = 22

interface CellProps<R> {
  readonly row: R
  readonly column: Column<R>
  /** Of the column, px. */
  readonly width: number | undefined
  /** How much of the bar behind the value is filled, 0 to 1. */
  readonly bar?: number | undefined
  readonly onMenu: (x: number, y: number) => void
}

export function Cell<R>({ row, column, width = 0, bar, onMenu }: CellProps<R>) {
  const value = column.value(row)
  const room = Math.floor((width - CELL_PADDING) / MONO_PX) // monospace characters
  const isName = column.kind === 'name'
  return (
    <td
      class={`${isText(column) ? 'is-text' : ''}${isName ? ' is-name' : ''}${value === null ? ' is-absent' : ''}`}
      title={exactValue(column, value)}
      style={bar === undefined ? undefined : { '--share': `${100 * bar}%` }}
      data-bar={bar === undefined ? undefined : ''}
      onContextMenu={(event) => {
        event.preventDefault()
        onMenu(event.clientX, event.clientY)
      }}
    >
      {column.draw?.(row, room) ??
        (isName && typeof value === 'string' ? cutMiddle(value, room) : short(column, value))}
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

/** The first column takes what the others leave, unless it was given a width. */
export function columnWidths<R>(
  columns: readonly Column<R>[],
  available: number,
  given: Readonly<Record<string, number>>,
): readonly number[] {
  const widths = columns.map((column) => given[column.id] ?? widthOf(column))
  if (given[columns[0]?.id ?? ''] !== undefined) return widths
  const others = widths.slice(1).reduce((sum, width) => sum + width, 0)
  // A pinned column as wide as the window would hide all others.
  const least = Math.min(widths[0] ?? 0, Math.max(160, available * 0.45))
  return [Math.max(least, available - others), ...widths.slice(1)]
}

interface Moves {
  readonly active: number
  readonly count: number
  readonly onActive: (position: number) => void
  /** Undefined while there is no row to open. */
  readonly open: (() => void) | undefined
}

/** `height`: of the rows in sight, px. */
export function moveByKey(event: KeyboardEvent, { active, count, onActive, open }: Moves, height: number): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
  const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1)
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  }
  const wanted = moves[event.code]
  if (wanted !== undefined) onActive(Math.max(0, Math.min(count - 1, wanted)))
  else if ((event.code === 'Enter' || event.code === 'Space') && open !== undefined) open()
  else return
  event.preventDefault()
}
