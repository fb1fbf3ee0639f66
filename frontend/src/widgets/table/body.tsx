import { ROW_HEIGHT } from '../../layout/window'
import { Cell, Space } from './rows'
import type { TableProps } from './table'

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
      <Space px={first * ROW_HEIGHT} columns={columns.length} />
      {positions.map((position) => (
        <Row key={shown[position]} {...props} position={position} />
      ))}
      <Space px={(shown.length - end) * ROW_HEIGHT} columns={columns.length} />
    </tbody>
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
        return (
          <Cell
            key={column.id}
            row={row}
            column={column}
            width={widths[index]}
            bar={isSorted ? Math.max(0, value) / max : undefined}
            onMenu={(x, y) => onMenu(position, column, x, y)}
          />
        )
      })}
    </tr>
  )
}
