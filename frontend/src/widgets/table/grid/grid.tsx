/** Draws the rows in sight of a list of any length. Knows order and columns only as they are given. */
import '../table.css'
import './grid.css'

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { ROW_HEIGHT, drawnTop, placeOf, scrollFor } from '../../../layout/rows'
import { GridBody } from './body'
import { copyWhole } from './copy'
import { GridFoot } from './foot'
import { GridHead } from './head'
import { moveByKey } from './keys'
import type { GridProps } from './props'
import { keepScrolled, wasScrolled } from './scrolled'
import { columnWidths, setWidth, widthsOf } from './widths'

const CHROME = 31 + 29 // header and footer, which cover rows that are scrolled under them

export function Grid<R>(props: GridProps<R>) {
  const { label, rows, figures, columns, active, sort } = props
  const { count } = rows
  const name = useId()
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: 900 })
  const countNow = useRef(count)
  countNow.current = count

  const look = (): void => {
    const element = box.current
    // A hidden tab has no height: keep what was, so that nothing is thrown away.
    if (element === null || element.clientHeight === 0) return
    const next = {
      top: drawnTop(element.scrollTop, countNow.current),
      height: element.clientHeight,
      width: element.clientWidth,
    }
    setView((now) => (now.top === next.top && now.height === next.height && now.width === next.width ? now : next))
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
    if (box.current !== null && rows.isFromTop === true) box.current.scrollTop = 0
  }, [rows.key])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || active < 0) return
    const wanted = scrollFor(active, element.scrollTop, element.clientHeight - CHROME, count)
    if (wanted !== element.scrollTop) element.scrollTop = wanted
  }, [active])
  useLayoutEffect(() => {
    const top = wasScrolled(label)
    if (box.current !== null && top !== undefined && count > 0) box.current.scrollTop = top
  }, [count > 0])

  const widths = columnWidths(columns, view.width, widthsOf(label))
  const inner = view.height - CHROME
  const place = placeOf(view.top, inner, count)
  useEffect(() => rows.want(place.first, place.end), [rows.key, place.first, place.end])
  const sorted = columns.find((column) => column.id === sort.column)
  const largest = useMemo(
    () => (sorted === undefined ? 0 : (figures?.largest(sorted) ?? 0)),
    [figures, columns, sort.column],
  )
  return (
    <div
      class="table-box"
      ref={box}
      onScroll={(event) => {
        keepScrolled(label, event.currentTarget.scrollTop)
        look()
      }}
    >
      <table
        role={props.attributes === undefined ? 'grid' : 'treegrid'}
        class="table"
        aria-label={label}
        aria-rowcount={count + 2}
        aria-activedescendant={active >= place.first && active < place.end ? `${name}-row-${active}` : undefined}
        tabIndex={0}
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
        onKeyDown={(event) => {
          const open = rows.rowAt(active) === undefined ? undefined : () => props.onOpen(active, true)
          moveByKey(event, { active, count, onActive: props.onActive, open }, inner)
        }}
        onContextMenu={(event) => {
          // From the keyboard: the menu of the active row, at its left end.
          if (event.target !== event.currentTarget) return
          const at = document.getElementById(`${name}-row-${active}`)?.getBoundingClientRect()
          const column = sorted ?? columns[0]
          if (at === undefined || column === undefined) return
          event.preventDefault()
          props.onMenu(active, column, at.left + ROW_HEIGHT, at.bottom)
        }}
        onCopy={(event) => copyWhole(event, rows.rowAt, columns)}
      >
        <colgroup>
          {widths.map((width, index) => (
            <col key={columns[index]?.id} style={{ width: `${width}px` }} />
          ))}
        </colgroup>
        <GridHead
          columns={columns}
          widths={widths}
          sort={sort}
          onSort={props.onSort}
          onResize={(column, px) => setWidth(label, column.id, px)}
        />
        <GridBody {...props} name={name} place={place} widths={widths} largest={largest} />
        <GridFoot {...props} />
      </table>
    </div>
  )
}
