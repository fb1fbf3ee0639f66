/** A table whose rows stay on the server: it asks for the windows in sight and keeps a few. Any number of rows, one sort key. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { cutMiddle } from '../../base/cut'
import { plural } from '../../base/units'
import { ROW_HEIGHT } from '../../layout/window'
import { adjust, at, go } from '../../state/place'
import { SidePanel } from '../side_panel'
import { MONO_PX } from '../use_width'
import type { Column } from './column'
import { exactValue, isText, short, widthOf } from './column'
import { ColumnChoice, SearchBox, chosenColumns, menuItems } from './data_table'
import { TableHead } from './head'
import { CopyMenu } from './menu'
import type { MenuAt } from './menu'
import { formatSort, nextSort, parseSearch, parseSort } from './order'
import type { Sort } from './order'
import { setWidth, widthsOf } from './widths'
import { placeOf, scrollFor } from './windows'
import type { Load } from './windows'
import { useWindows } from './use_windows'

const CHROME = 31 + 29 // header and footer, which cover rows that are scrolled under them
const CELL_PADDING = 22

export interface WindowedTableProps<R> {
  /** Where the table's state stands in the link. */
  readonly id: string
  readonly label: string
  /** The first is the name: pinned, and what a row is called. */
  readonly columns: readonly Column<R>[]
  readonly sort: Sort
  /** Tells questions apart: another source is another list. */
  readonly source: string
  /** Asks for rows of this list, sorted by a column and with a match of the pattern. */
  readonly load: (wish: WindowWish) => Load<R>
  readonly keyOf: (row: R) => string
  readonly details?: (row: R) => ComponentChildren
  /** Hands the whole list over as a file. */
  readonly onExport: (ending: 'csv' | 'json', wish: WindowWish) => void
  /** About the list, where its length does not say it: `first 200,000`. */
  readonly exportNote?: string
  readonly totalOf?: (column: Column<R>) => number | undefined
  readonly children?: ComponentChildren
}

export interface WindowWish {
  readonly sort: string
  readonly descending: boolean
  /** A regular expression, or nothing. */
  readonly pattern: string | undefined
}

export function WindowedTable<R>(props: WindowedTableProps<R>) {
  const { id, columns, keyOf } = props
  const sort = parseSort(at(`${id}.sort`), props.sort)
  const query = at(`${id}.q`) ?? ''
  const search = useMemo(() => parseSearch(query), [query])
  const wish = { sort: sort.column, descending: sort.descending, pattern: search.pattern?.source }
  const chosen = chosenColumns(columns, at(`${id}.cols`))
  const openKey = at(`${id}.row`)
  const [active, setActive] = useState(-1)
  const [opened, setOpened] = useState<R>()
  const [menu, setMenu] = useState<MenuAt>()
  const list = useWindows([props.source, wish.sort, wish.descending, wish.pattern].join('\n'), props.load(wish))
  useEffect(() => setActive(-1), [list.source])

  const open = (row: R, change: typeof go): void => {
    setOpened(row)
    change({ [`${id}.row`]: keyOf(row) })
  }
  const close = (): void => go({ [`${id}.row`]: undefined })
  const isOpen = (row: R): boolean => openKey !== undefined && keyOf(row) === openKey
  const openRow = opened !== undefined && isOpen(opened) ? opened : list.find(isOpen)
  const count = list.count ?? 0
  return (
    <div
      class="data-table"
      onKeyDown={(event) => {
        if (event.code === 'Escape' && openRow !== undefined) close()
      }}
    >
      <div class="toolbar">
        {props.children}
        <SearchBox id={id} query={query} error={search.error} />
        <span class="soft" aria-live="polite">
          {list.count === undefined ? 'Asking the server…' : plural(count, 'row')}
        </span>
        <span class="grow" />
        <ColumnChoice id={id} columns={columns} chosen={chosen} />
        {(['csv', 'json'] as const).map((ending) => (
          <button
            key={ending}
            type="button"
            class="button"
            title={`All columns of the list, in base units${props.exportNote === undefined ? '' : `; ${props.exportNote}`}`}
            onClick={() => props.onExport(ending, wish)}
          >
            {ending.toUpperCase()}
          </button>
        ))}
      </div>
      <div class={list.isOld ? 'table-and-panel is-pending' : 'table-and-panel'}>
        {list.error !== undefined && <p class="nothing is-bad">{list.error}</p>}
        {list.error === undefined && list.count === 0 && (
          <p class="nothing">{query === '' ? 'Nothing was recorded.' : `No row matches “${query}”.`}</p>
        )}
        {list.error === undefined && count > 0 && (
          <Rows
            {...props}
            list={list}
            count={count}
            chosen={chosen}
            sort={sort}
            active={active}
            isOpen={isOpen}
            onActive={(position) => {
              setActive(position)
              const row = list.rowAt(position)
              if (row !== undefined && openRow !== undefined) open(row, adjust)
            }}
            onOpen={(row) => open(row, go)}
            onMenu={(row, column, x, y) => setMenu({ x, y, items: menuItems(id, row, column, chosen, keyOf(row)) })}
          />
        )}
        {openRow !== undefined && (
          <SidePanel title={String(columns[0]?.value(openRow))} onClose={close} more={props.details?.(openRow)}>
            {columns.slice(1).map((column) => ({ title: column.title, column, value: column.value(openRow) }))}
          </SidePanel>
        )}
      </div>
      {menu !== undefined && <CopyMenu at={menu} onClose={() => setMenu(undefined)} />}
    </div>
  )
}

interface RowsProps<R> extends WindowedTableProps<R> {
  readonly list: ReturnType<typeof useWindows<R>>
  readonly count: number
  readonly chosen: readonly Column<R>[]
  readonly active: number
  readonly isOpen: (row: R) => boolean
  readonly onActive: (position: number) => void
  readonly onOpen: (row: R) => void
  readonly onMenu: (row: R, column: Column<R>, x: number, y: number) => void
}

function Rows<R>(props: RowsProps<R>) {
  const { id, label, list, count, chosen, sort, active, totalOf } = props
  const name = useId()
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: 900 })
  const look = (): void => {
    const element = box.current
    // A hidden tab has no height: keep what was.
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
    if (box.current !== null) box.current.scrollTop = 0
  }, [list.source])
  const inner = view.height - CHROME
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null && active >= 0) element.scrollTop = scrollFor(active, element.scrollTop, inner, count)
  }, [active])
  const { first, end, before, after } = placeOf(view.top, inner, count)
  useEffect(() => list.want(first, end), [list.source, first, end])

  const widths = columnWidths(chosen, view.width, widthsOf(label))
  const positions = Array.from({ length: end - first }, (_, index) => first + index)
  return (
    <div class="table-box" ref={box} onScroll={look}>
      <table
        role="grid"
        class="table"
        aria-label={label}
        aria-rowcount={count + 2}
        aria-activedescendant={active >= first && active < end ? `${name}-row-${active}` : undefined}
        tabIndex={0}
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
        onKeyDown={(event) => moveByKey(event, props, inner)}
      >
        <colgroup>
          {widths.map((width, index) => (
            <col key={chosen[index]?.id} style={{ width: `${width}px` }} />
          ))}
        </colgroup>
        <TableHead
          columns={chosen}
          widths={widths}
          sort={sort}
          onSort={(column) => go({ [`${id}.sort`]: formatSort(nextSort(sort, column)) })}
          onResize={(column, px) => setWidth(label, column.id, px)}
        />
        <tbody>
          <Space px={before} columns={chosen.length} />
          {positions.map((position) => (
            <Row key={position} {...props} name={name} position={position} widths={widths} />
          ))}
          <Space px={after} columns={chosen.length} />
        </tbody>
        <tfoot>
          <tr aria-rowindex={count + 2}>
            {chosen.map((column, index) => {
              const sum = totalOf?.(column)
              if (index === 0) return <th key={column.id}>Total of {plural(count, 'row')}</th>
              return (
                <td key={column.id} title={sum === undefined ? undefined : exactValue(column, sum)}>
                  {sum === undefined ? '' : short(column, sum)}
                </td>
              )
            })}
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

interface RowProps<R> extends RowsProps<R> {
  readonly name: string
  readonly position: number
  readonly widths: readonly number[]
}

function Row<R>({ name, position, list, chosen, widths, active, isOpen, onActive, onOpen, onMenu }: RowProps<R>) {
  const row = list.rowAt(position)
  const isSelected = row !== undefined && isOpen(row)
  return (
    <tr
      id={`${name}-row-${position}`}
      class={`row${position === active ? ' is-active' : ''}${isSelected ? ' is-selected' : ''}`}
      aria-rowindex={position + 2}
      aria-selected={isSelected}
      onClick={() => {
        // Dragging over text to copy it is no click.
        if (row === undefined || window.getSelection()?.toString() !== '') return
        onActive(position)
        onOpen(row)
      }}
    >
      {chosen.map((column, index) => {
        if (row === undefined) return <td key={column.id}>{index === 0 ? '…' : ''}</td>
        const value = column.value(row)
        const room = Math.floor(((widths[index] ?? 0) - CELL_PADDING) / MONO_PX)
        const isName = column.kind === 'name'
        return (
          <td
            key={column.id}
            class={`${isText(column) ? 'is-text' : ''}${isName ? ' is-name' : ''}${value === null ? ' is-absent' : ''}`}
            title={exactValue(column, value)}
            onContextMenu={(event) => {
              event.preventDefault()
              onMenu(row, column, event.clientX, event.clientY)
            }}
          >
            {column.draw?.(row, room) ??
              (isName && typeof value === 'string' ? cutMiddle(value, room) : short(column, value))}
          </td>
        )
      })}
    </tr>
  )
}

function Space({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null
  return (
    <tr aria-hidden="true" class="space">
      <td colSpan={columns} style={{ height: `${px}px` }} />
    </tr>
  )
}

/** The first column takes what the others leave, unless it was given a width. */
function columnWidths<R>(
  columns: readonly Column<R>[],
  available: number,
  given: Readonly<Record<string, number>>,
): readonly number[] {
  const widths = columns.map((column) => given[column.id] ?? widthOf(column))
  if (given[columns[0]?.id ?? ''] !== undefined) return widths
  const others = widths.slice(1).reduce((sum, width) => sum + width, 0)
  const least = Math.min(widths[0] ?? 0, Math.max(160, available * 0.45))
  return [Math.max(least, available - others), ...widths.slice(1)]
}

function moveByKey<R>(event: KeyboardEvent, { list, count, active, onActive, onOpen }: RowsProps<R>, height: number) {
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
  const row = list.rowAt(active)
  if (wanted !== undefined) onActive(Math.max(0, Math.min(count - 1, wanted)))
  else if ((event.code === 'Enter' || event.code === 'Space') && row !== undefined) onOpen(row)
  else return
  event.preventDefault()
}
