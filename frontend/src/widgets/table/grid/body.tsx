import { useMemo } from 'preact/hooks'

import { Names } from '../../../base/names'
import type { RowsPlace } from '../../../layout/rows'
import type { Column } from '../column'
import type { Rows } from '../rows/rows'
import { Cell, Space } from './cell'
import type { GridProps } from './props'

interface GridBodyProps<R> extends GridProps<R> {
  /** Of the table in the document. */
  readonly name: string
  readonly place: RowsPlace
  readonly widths: readonly number[]
  /** The largest value of the sorted column: what a full bar means. */
  readonly largest: number
}

/** Names of so many rows are cut apart from each other; of more only those in sight. */
const MOST_APART = 2000

export function GridBody<R>(props: GridBodyProps<R>) {
  const { rows, columns, place } = props
  const [first, end] = rows.count <= MOST_APART ? [0, rows.count] : [place.first, place.end]
  const names = useMemo(() => namesOf(rows, columns, first, end), [rows, columns, first, end])
  const positions = Array.from({ length: place.end - place.first }, (_, index) => place.first + index)
  return (
    <tbody>
      <Space px={place.before} columns={columns.length} />
      {positions.map((position) => (
        <Row key={position} {...props} names={names} position={position} />
      ))}
      <Space px={place.after} columns={columns.length} />
    </tbody>
  )
}

/** By column. */
function namesOf<R>(rows: Rows<R>, columns: readonly Column<R>[], first: number, end: number): readonly Names[] {
  return columns.map((column) => {
    if (column.kind !== 'name') return NO_NAMES
    const texts: string[] = []
    for (let position = first; position < end; position++) {
      const row = rows.rowAt(position)
      const value = row === undefined ? null : column.value(row)
      if (typeof value === 'string') texts.push(value)
    }
    return new Names(texts)
  })
}

const NO_NAMES = new Names([])

interface RowProps<R> extends GridBodyProps<R> {
  readonly names: readonly Names[]
  readonly position: number
}

function Row<R>(props: RowProps<R>) {
  const { name, position, rows, columns, widths, sort, active, isOpen, attributes, onOpen, onMenu } = props
  const row = rows.rowAt(position)
  const isSelected = row !== undefined && isOpen(row)
  const barOf = (column: Column<R>): number | undefined => {
    const value = row === undefined || column.id !== sort.column || column === columns[0] ? null : column.value(row)
    // What stands in the order as nothing has no bar.
    if (row !== undefined && column.order?.(row) === 0) return undefined
    return typeof value === 'number' && props.largest > 0 ? value / props.largest : undefined
  }
  return (
    <tr
      id={`${name}-row-${position}`}
      class={`row${position === active ? ' is-active' : ''}${isSelected ? ' is-selected' : ''}`}
      aria-rowindex={position + 2}
      aria-selected={isSelected}
      {...(row === undefined ? undefined : attributes?.(row))}
      onClick={(event) => {
        // A link goes where it says, and dragging over text to copy it is no click.
        if (event.target instanceof Element && event.target.closest('a') !== null) return
        if (window.getSelection()?.toString() === '') onOpen(position, false)
      }}
    >
      {columns.map((column, index) => {
        if (row === undefined) return <td key={column.id}>{index === 0 ? '…' : ''}</td>
        return (
          <Cell
            key={column.id}
            row={row}
            column={column}
            width={widths[index]}
            bar={barOf(column)}
            names={props.names[index] ?? NO_NAMES}
            onMenu={(x, y) => onMenu(position, column, x, y)}
          />
        )
      })}
    </tr>
  )
}
