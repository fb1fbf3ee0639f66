import { cutMiddle } from '../../base/cut'
import { ROW_HEIGHT } from '../../layout/window'
import { MONO_PX } from '../use_width'
import { exactValue, isText, short } from './column'

import type { TableProps } from './table'

const CELL_PADDING = 22

interface TableBodyProps<R> extends TableProps<R> {
  /** Of the table in the document. */
  readonly id: string
  readonly first: number
  readonly end: number
  readonly widths: readonly number[]
  /** The largest value of the sorted column: what a full bar means. */
  readonly max: number
}

export function TableBody<R>(props: TableBodyProps<R>) {
  const { shown, columns, first, end } = props
  const positions = Array.from({ length: end - first }, (_, index) => first + index)
  return (
    <tbody>
      {first > 0 && <Space rows={first} columns={columns.length} />}
      {positions.map((position) => (
        <Row key={shown[position]} {...props} position={position} />
      ))}
      {end < shown.length && <Space rows={shown.length - end} columns={columns.length} />}
    </tbody>
  )
}

function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr aria-hidden="true" class="space">
      <td colSpan={columns} style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  )
}

interface RowProps<R> extends TableBodyProps<R> {
  readonly position: number
}

function Row<R>(props: RowProps<R>) {
  const { id, position, max, rows, shown, columns, widths, sort, active, selected, rowAttributes, onOpen, onMenu } =
    props
  const row = rows[shown[position] ?? -1]
  if (row === undefined) return null
  const state = `${position === active ? ' is-active' : ''}${position === selected ? ' is-selected' : ''}`
  return (
    <tr
      id={`${id}-row-${position}`}
      class={`row${state}`}
      aria-rowindex={position + 2}
      aria-selected={position === selected}
      {...rowAttributes?.(row)}
      onClick={() => {
        // Dragging over text to copy it is no click.
        if (window.getSelection()?.toString() === '') onOpen(position)
      }}
    >
      {columns.map((column, index) => {
        const value = column.value(row)
        const isSorted = column.id === sort.column && typeof value === 'number' && max > 0
        const isName = column.kind === 'name'
        return (
          <td
            key={column.id}
            class={`${isText(column) ? 'is-text' : ''}${isName ? ' is-name' : ''}${value === null ? ' is-absent' : ''}`}
            title={exactValue(column, value)}
            style={isSorted ? { '--share': `${(100 * Math.max(0, value)) / max}%` } : undefined}
            data-bar={isSorted ? '' : undefined}
            onContextMenu={(event) => {
              event.preventDefault()
              onMenu(position, column, event.clientX, event.clientY)
            }}
          >
            {column.draw?.(row, roomIn(widths[index])) ??
              (isName && typeof value === 'string' ? cutMiddle(value, roomIn(widths[index])) : short(column, value))}
          </td>
        )
      })}
    </tr>
  )
}

/** How many monospace characters fit into a cell of this width. */
function roomIn(width = 0): number {
  return Math.floor((width - CELL_PADDING) / MONO_PX)
}
