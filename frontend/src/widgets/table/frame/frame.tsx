/** What stands around the rows of every table: search, columns, export, menu, and the side panel of the row that was clicked. */
import './frame.css'

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { Changes } from '../../../state/hash'
import { addressOf, adjust, at, go } from '../../../state/place'
import { Menu } from '../../panel/menu'
import type { MenuAt } from '../../panel/menu'
import { exactValue } from '../column'
import type { Column } from '../column'
import { toLine } from '../export'
import { Grid } from '../grid/grid'
import type { RowAttributes } from '../grid/props'
import { formatSort, nextSort } from '../rows/order'
import type { Sort } from '../rows/order'
import type { List } from '../rows/rows'
import { ColumnChoice } from './column_choice'
import type { TableLink } from './link'
import { SearchBox } from './search_box'
import { SidePanel } from './side_panel'

/** What a view says of its table, wherever the rows are. */
export interface TableProps<R> {
  /** Where the table's state stands in the link: the view's id, or one that begins with it. */
  readonly id: string
  readonly label: string
  /** The first is the name: pinned, and what a row is called. */
  readonly columns: readonly Column<R>[]
  /** Unless the link says otherwise. */
  readonly sort: Sort
  /** Tells rows apart; stands in the link when a row is open. */
  readonly keyOf: (row: R) => string
  /** Left of the search box: how rows are grouped. */
  readonly children?: ComponentChildren
  /** What a row is called where it stands alone, if not as in the first column. */
  readonly wholeName?: (row: R) => string
  /** Where a row leads: it goes there instead of opening its details here. */
  readonly goTo?: (row: R) => Changes
  /** What a click and Enter do instead of going there; `goTo` is then the link to it. */
  readonly visit?: (row: R) => void
  /** The row that stands for what is chosen beside the table: it is marked and in sight. Else the one whose details are open. */
  readonly isMarked?: (row: R) => boolean
  /** Rows come and fill in: the one that keys are on is followed. */
  readonly isLive?: boolean
  /** More in the side panel: buttons and sections. */
  readonly details?: (row: R) => ComponentChildren
  /** What is behind the row, below its figures. */
  readonly sections?: (row: R) => ComponentChildren
  /** Enter goes on into the side panel, which has what one walks over; Escape leads back to the row. */
  readonly isEntered?: boolean
}

/** Rows that hold rows. */
export interface Tree<R> {
  readonly attributes: (row: R) => RowAttributes
  /** Right opens a row or goes into it, left closes it or goes out of it: the row to go to, if any. */
  readonly onArrow: (row: R, isRight: boolean) => R | undefined
}

export type Ending = 'csv' | 'json'

interface TableFrameProps<R> extends Omit<TableProps<R>, 'sort'> {
  readonly link: TableLink<R>
  readonly list: List<R>
  readonly onExport: (ending: Ending) => void
  /** What an export holds. */
  readonly exportNote: string
  readonly tree?: Tree<R>
  /** Right of the search box. */
  readonly buttons?: ComponentChildren
  /** Above the rows: a chart of them. */
  readonly above?: ComponentChildren
}

/** Where the keys are. */
interface Active<R> {
  readonly position: number
  readonly row: R | undefined
}

export function TableFrame<R>(props: TableFrameProps<R>) {
  const { id, columns, keyOf, link, list, tree } = props
  const { chosen, sort } = link
  const { rows } = list
  const { visit } = props
  const openKey = visit === undefined ? at(`${id}.row`) : undefined
  const isOpen = (row: R): boolean => openKey !== undefined && keyOf(row) === openKey
  const openRow = openKey === undefined ? undefined : list.find(isOpen)
  const isMarked = props.isMarked ?? isOpen
  const markedRow = props.isMarked === undefined ? openRow : list.find(isMarked)
  const here = useMemo(() => (markedRow === undefined ? -1 : list.positionOf(markedRow)), [markedRow, list])
  const marked = list.markedAt ?? here
  const [now, setNow] = useState<Active<R>>({ position: -1, row: undefined })
  const [menu, setMenu] = useState<MenuAt>()
  const [nEntered, setEntered] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  // Where rows move, the row is followed and not its place: in a tree, opening one moves those below it.
  const follows = tree !== undefined || props.isLive === true
  const active = !follows ? now.position : now.row === undefined ? -1 : list.positionOf(now.row)
  const setActive = (position: number): void => setNow({ position, row: rows.rowAt(position) })
  useEffect(() => setActive(marked), [rows.key])
  useEffect(() => {
    if (marked >= 0) setActive(marked) // and when it is closed, that row stays the one that arrows start from
  }, [marked])

  useLayoutEffect(() => {
    if (nEntered > 0) box.current?.querySelector<HTMLElement>('.side-panel')?.focus({ preventScroll: true })
  }, [nEntered])

  const placeOf = props.goTo ?? ((row: R): Changes => ({ [`${id}.row`]: keyOf(row) }))
  const open = (position: number, change: typeof go): void => {
    const row = rows.rowAt(position)
    if (row === undefined) return
    if (visit === undefined) change(placeOf(row))
    else visit(row)
  }
  const moveTo = (position: number): void => {
    setActive(position)
    if (openRow !== undefined) open(position, adjust)
  }
  const close = (): void => {
    go({ [`${id}.row`]: undefined })
    // The button that had the focus goes with the panel.
    box.current?.querySelector<HTMLElement>('.table')?.focus({ preventScroll: true })
  }
  const onArrow = (event: KeyboardEvent): void => {
    const row = rows.rowAt(active)
    if (tree === undefined || row === undefined || !(event.target instanceof HTMLTableElement)) return
    event.preventDefault()
    const next = tree.onArrow(row, event.code === 'ArrowRight')
    if (next !== undefined) moveTo(list.positionOf(next))
  }

  return (
    <div
      ref={box}
      class="data-table"
      onKeyDown={(event) => {
        if (event.code === 'Escape' && openRow !== undefined) close()
        else if (event.code === 'ArrowRight' || event.code === 'ArrowLeft') onArrow(event)
      }}
    >
      <div class="toolbar">
        {props.children}
        <SearchBox id={id} query={link.query} error={link.search.error} />
        <span class="soft" aria-live="polite">
          {list.words}
        </span>
        <span class="grow" />
        {props.buttons}
        <ColumnChoice id={id} columns={columns} chosen={chosen} />
        {(['csv', 'json'] as const).map((ending) => (
          <button
            key={ending}
            type="button"
            class="button"
            title={props.exportNote}
            onClick={() => props.onExport(ending)}
          >
            {ending.toUpperCase()}
          </button>
        ))}
      </div>
      {props.above}
      <div class={list.isOld === true ? 'table-and-panel is-pending' : 'table-and-panel'}>
        {list.error !== undefined ? (
          <p class="nothing is-bad">{list.error}</p>
        ) : rows.count === 0 ? (
          list.nothing !== undefined && <p class="nothing">{list.nothing}</p>
        ) : (
          <Grid
            label={props.label}
            rows={rows}
            figures={list.figures}
            columns={chosen}
            sort={sort}
            onSort={(column, add) =>
              go({ [`${id}.sort`]: formatSort(nextSort(sort, column, add && list.hasOneKey !== true)) })
            }
            active={active}
            isOpen={isMarked}
            onActive={moveTo}
            onOpen={(position, byKey) => {
              setActive(position)
              open(position, go)
              if (byKey && props.isEntered === true) setEntered(nEntered + 1)
            }}
            onMenu={(position, column, x, y) => {
              const row = rows.rowAt(position)
              if (row !== undefined) setMenu({ x, y, items: menuItems(row, column, chosen, placeOf(row)) })
            }}
            attributes={tree?.attributes}
          />
        )}
        {openRow !== undefined && (
          <SidePanel
            title={props.wholeName?.(openRow) ?? String(columns[0]?.value(openRow))}
            onClose={close}
            more={props.details?.(openRow)}
            sections={props.sections?.(openRow)}
          >
            {columns
              .slice(1)
              .filter((column) => column.isKnown?.(openRow) !== false)
              .map((column) => ({ title: column.title, column, value: column.value(openRow) }))}
          </SidePanel>
        )}
      </div>
      {menu !== undefined && <Menu at={menu} onClose={() => setMenu(undefined)} />}
    </div>
  )
}

function menuItems<R>(row: R, column: Column<R>, chosen: readonly Column<R>[], to: Changes): MenuAt['items'] {
  const hasValue = column !== chosen[0] && column.isKnown?.(row) !== false
  return [
    { label: 'Copy name', text: () => String(chosen[0]?.value(row)) },
    { label: `Copy ${column.title.toLowerCase()}`, text: () => exactValue(column, column.value(row)) },
    { label: 'Copy row', text: () => toLine(row, chosen) },
    { label: 'Copy link to row', text: () => addressOf(to) },
  ].filter((_, index) => index !== 1 || hasValue)
}
