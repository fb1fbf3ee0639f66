/** A table whose rows stay on the server: it asks for the windows in sight and keeps a few. Any number of rows, one sort key. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { plural } from '../../base/units'
import { adjust, at, go } from '../../state/place'
import { SidePanel } from '../side_panel'
import type { Column } from './column'
import { exactValue, short } from './column'
import { ColumnChoice, SearchBox, chosenColumns, menuItems } from './data_table'
import { TableHead } from './head'
import { CopyMenu } from './menu'
import type { MenuAt } from './menu'
import { formatSort, nextSort, parseSearch, parseSort } from './order'
import type { Sort } from './order'
import { CHROME, Cell, Space, columnWidths, moveByKey } from './rows'
import { setWidth, widthsOf } from './widths'
import { placeOf, scrollFor } from './windows'
import type { Load } from './windows'
import { useWindows } from './use_windows'

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
  const { id, label, list, count, chosen, sort, active, onActive, onOpen, totalOf } = props
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
        onKeyDown={(event) => {
          const row = list.rowAt(active)
          const open = row === undefined ? undefined : () => onOpen(row)
          moveByKey(event, { active, count, onActive, open }, inner)
        }}
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
        return (
          <Cell
            key={column.id}
            row={row}
            column={column}
            width={widths[index]}
            onMenu={(x, y) => onMenu(row, column, x, y)}
          />
        )
      })}
    </tr>
  )
}
