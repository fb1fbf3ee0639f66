/** Draws the rows in sight of a table of any length. Knows order and columns only as they are given. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import { formatCount } from '../../base/units'
import { ROW_HEIGHT, rowsInSight, scrollToRow } from '../../layout/window'
import { TableBody } from './body'
import type { Column } from './column'
import { exactValue, isText, short, widthOf } from './column'
import { copyWhole } from './copy'
import { TableHead } from './head'
import { total } from './order'
import type { Sort } from './order'

const CHROME = 31 + 29 // header and footer, which cover rows that are scrolled under them

export interface TableProps<R> {
  readonly label: string
  readonly rows: readonly R[]
  /** Indices into rows, in order. */
  readonly shown: Uint32Array
  readonly columns: readonly Column<R>[]
  readonly sort: Sort
  readonly onSort: (column: Column<R>) => void
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
  const { rows, shown, columns, active } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: 900 })

  const look = (): void => {
    const element = box.current
    // A hidden tab has no height: keep what was, so that nothing is thrown away.
    if (element === null || element.clientHeight === 0) return
    setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth })
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

  const widths = columnWidths(columns, view.width)
  const { first, end } = rowsInSight(view.top, view.height, ROW_HEIGHT, shown.length)
  return (
    <div class="table-box" ref={box} onScroll={look}>
      <table
        role={props.rowAttributes === undefined ? 'grid' : 'treegrid'}
        class="table"
        aria-label={props.label}
        aria-rowcount={shown.length + 2}
        aria-activedescendant={active >= first && active < end ? `row-${active}` : undefined}
        tabIndex={0}
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
        onKeyDown={(event) => moveByKey(event, props, view.height)}
        onCopy={(event) => copyWhole(event, (position) => rows[shown[position] ?? -1], columns)}
      >
        <colgroup>
          {widths.map((width, index) => (
            <col key={columns[index]?.id} style={{ width: `${width}px` }} />
          ))}
        </colgroup>
        <TableHead columns={columns} sort={props.sort} onSort={props.onSort} />
        <TableBody {...props} first={first} end={end} widths={widths} />
        <tfoot>
          <tr aria-rowindex={shown.length + 2}>
            {columns.map((column, index) => {
              const sum = props.totalOf === undefined ? total(rows, shown, column) : props.totalOf(column)
              if (index === 0)
                return (
                  <th key={column.id}>
                    {props.totalOf ? 'Whole profile' : `Total of ${formatCount(shown.length)} rows`}
                  </th>
                )
              return (
                <td
                  key={column.id}
                  class={isText(column) ? 'is-text' : ''}
                  title={sum === undefined ? undefined : exactValue(column, sum)}
                >
                  {sum === undefined ? '' : column.kind === 'count' ? formatCount(sum) : short(column, sum)}
                </td>
              )
            })}
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

/** The first column takes what the others leave. */
function columnWidths<R>(columns: readonly Column<R>[], available: number): readonly number[] {
  const widths = columns.map(widthOf)
  const others = widths.slice(1).reduce((sum, width) => sum + width, 0)
  // A pinned column as wide as the window would hide all others.
  const least = Math.min(widths[0] ?? 0, Math.max(160, available * 0.45))
  return [Math.max(least, available - others), ...widths.slice(1)]
}

function moveByKey<R>(event: KeyboardEvent, props: TableProps<R>, height: number): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
  const page = Math.max(1, Math.floor((height - CHROME) / ROW_HEIGHT) - 1)
  const last = props.shown.length - 1
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: props.active + 1,
    ArrowUp: props.active - 1,
    PageDown: props.active + page,
    PageUp: props.active - page,
    Home: 0,
    End: last,
  }
  const wanted = moves[event.code]
  if (wanted !== undefined) props.onActive(Math.max(0, Math.min(last, wanted)))
  else if ((event.code === 'Enter' || event.code === 'Space') && props.active >= 0) props.onOpen(props.active)
  else return
  event.preventDefault()
}
