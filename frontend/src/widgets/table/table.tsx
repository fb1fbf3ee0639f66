/** Draws the rows in sight of a table of any length. Knows order and columns only as they are given. */
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { ROW_HEIGHT, rowsInSight, scrollToRow } from '../../layout/window'
import { TableBody } from './body'
import type { Column } from './column'
import { isText } from './column'
import { copyWhole } from './copy'
import { TableFoot } from './foot'
import { TableHead } from './head'
import type { Sort } from './order'
import { CHROME, columnWidths, moveByKey } from './rows'
import { setWidth, widthsOf } from './widths'

const DRAW_EVERY = 4 * ROW_HEIGHT // scrolling less than this draws nothing anew: those rows are there

export interface TableProps<R> {
  /** What it is called; widths of columns are kept under this name. */
  readonly label: string
  readonly rows: readonly R[]
  /** Indices into rows, in order. */
  readonly shown: Uint32Array
  readonly columns: readonly Column<R>[]
  readonly sort: Sort
  /** `add`: sort by this column after the others, not instead of them. */
  readonly onSort: (column: Column<R>, add: boolean) => void
  /** A position in `shown`, or -1. */
  readonly active: number
  readonly selected: number
  readonly onActive: (position: number) => void
  readonly onOpen: (position: number) => void
  readonly onMenu: (position: number, column: Column<R>, x: number, y: number) => void
  /** Of a tree: what a row says of its level, and whether it is open. */
  readonly rowAttributes?: (row: R) => { 'aria-level': number; 'aria-expanded': boolean | undefined }
  /** The sum in the footer, where it is not that of the rows shown. */
  readonly totalOf?: (column: Column<R>) => number | undefined
}

export function Table<R>(props: TableProps<R>) {
  const { label, rows, shown, columns, active, sort } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: 900 })

  const look = (): void => {
    const element = box.current
    // A hidden tab has no height: keep what was, so that nothing is thrown away.
    if (element === null || element.clientHeight === 0) return
    const top = Math.floor(element.scrollTop / DRAW_EVERY) * DRAW_EVERY
    const next = { top, height: element.clientHeight, width: element.clientWidth }
    setView((now) => (now.top === top && now.height === next.height && now.width === next.width ? now : next))
  }
  useLayoutEffect(() => {
    look()
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || active < 0) return
    const wanted = scrollToRow(active, element.scrollTop, element.clientHeight - CHROME, ROW_HEIGHT)
    if (wanted !== element.scrollTop) element.scrollTop = wanted
  }, [active])

  const widths = columnWidths(columns, view.width, widthsOf(label))
  const { first, end } = rowsInSight(view.top, view.height + DRAW_EVERY, ROW_HEIGHT, shown.length)
  const max = useMemo(() => largest(props), [rows, shown, columns, sort.column])
  return (
    <div class="table-box" ref={box} onScroll={look}>
      <table
        role={props.rowAttributes === undefined ? 'grid' : 'treegrid'}
        class="table"
        aria-label={label}
        aria-rowcount={shown.length + 2}
        aria-activedescendant={active >= first && active < end ? `${id}-row-${active}` : undefined}
        tabIndex={0}
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
        onKeyDown={(event) =>
          moveByKey(
            event,
            {
              active,
              count: shown.length,
              onActive: props.onActive,
              open: active < 0 ? undefined : () => props.onOpen(active),
            },
            view.height - CHROME,
          )
        }
        onContextMenu={(event) => {
          // From the keyboard: the menu of the active row, at its left end.
          if (event.target !== event.currentTarget) return
          const at = document.getElementById(`${id}-row-${active}`)?.getBoundingClientRect()
          const column = columns.find((each) => each.id === sort.column) ?? columns[0]
          if (at === undefined || column === undefined) return
          event.preventDefault()
          props.onMenu(active, column, at.left + ROW_HEIGHT, at.bottom)
        }}
        onCopy={(event) => copyWhole(event, (position) => rows[shown[position] ?? -1], columns)}
      >
        <colgroup>
          {widths.map((width, index) => (
            <col key={columns[index]?.id} style={{ width: `${width}px` }} />
          ))}
        </colgroup>
        <TableHead
          columns={columns}
          widths={widths}
          sort={sort}
          onSort={props.onSort}
          onResize={(column, px) => setWidth(label, column.id, px)}
        />
        <TableBody {...props} id={id} first={first} end={end} widths={widths} max={max} />
        <TableFoot {...props} />
      </table>
    </div>
  )
}

/** The largest value of the sorted column among the rows shown: what a full bar means. */
function largest<R>({ rows, shown, columns, sort }: TableProps<R>): number {
  const column = columns.find((each) => each.id === sort.column)
  if (column === undefined || isText(column)) return 0
  let max = 0
  for (const index of shown) {
    const row = rows[index]
    const value = row === undefined ? null : column.value(row)
    if (typeof value === 'number' && value > max) max = value
  }
  return max
}
