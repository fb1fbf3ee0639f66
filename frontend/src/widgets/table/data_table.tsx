/** A whole table as views use it: search, columns, export, the rows, and the side panel of the row that was clicked. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { exactCount, plural } from '../../base/units'
import { addressOf, adjust, at, go } from '../../state/place'
import { download, fileName } from '../download'
import { Popup } from '../popup'
import { SidePanel } from '../side_panel'
import type { Column } from './column'
import { absentWord, exactValue } from './column'
import { toCsv, toJson, toLine } from './export'
import { CopyMenu } from './menu'
import type { MenuAt } from './menu'
import { formatSort, nextSort, parseSearch, parseSort, shownRows } from './order'
import type { Sort } from './order'
import { Table } from './table'

export interface DataTableProps<R> {
  /** The view's id: where the table's state stands in the link. */
  readonly id: string
  readonly label: string
  readonly rows: readonly R[]
  /** The first is the name: pinned, and what a row is called. */
  readonly columns: readonly Column<R>[]
  readonly sort: Sort
  /** Tells rows apart; stands in the link when a row is open. */
  readonly keyOf: (row: R) => string
  /** Left of the search box: how rows are grouped. */
  readonly children?: ComponentChildren
  /** More in the side panel: buttons and sections. */
  readonly details?: (row: R) => ComponentChildren
  /** What is behind the row, below its figures. */
  readonly sections?: (row: R) => ComponentChildren
  /** For the exported file's name. */
  readonly fileParts: readonly string[]
}

export function DataTable<R>(props: DataTableProps<R>) {
  const { id, rows, columns, keyOf } = props
  const sort = parseSort(at(`${id}.sort`), props.sort)
  const query = at(`${id}.q`) ?? ''
  const chosen = chosenColumns(columns, at(`${id}.cols`))
  const search = useMemo(() => parseSearch(query), [query])
  const shown = useMemo(
    // What is not seen is not searched: a hidden "kind" would match every operator.
    () => shownRows(rows, columns, sort, search.pattern, chosen),
    // By their ids: views make their columns anew whenever the link changes.
    [rows, idsOf(columns), formatSort(sort), search, idsOf(chosen)],
  )
  const openKey = at(`${id}.row`)
  const selected = useMemo(
    () => (openKey === undefined ? -1 : shown.findIndex((index) => keyOf(rows[index] as R) === openKey)),
    [openKey, shown, rows],
  )
  const [active, setActive] = useState(-1)
  const [menu, setMenu] = useState<MenuAt>()
  useEffect(() => setActive(selected), [shown])
  useEffect(() => {
    if (selected >= 0) setActive(selected) // and when it is closed, that row stays the one that arrows start from
  }, [selected])

  const rowAt = (position: number): R | undefined => rows[shown[position] ?? -1]
  const open = (position: number, change: typeof go): void => {
    const row = rowAt(position)
    if (row !== undefined) change({ [`${id}.row`]: keyOf(row) })
  }
  const box = useRef<HTMLDivElement>(null)
  const close = (): void => {
    go({ [`${id}.row`]: undefined })
    // The button that had the focus goes with the panel.
    box.current?.querySelector<HTMLElement>('.table')?.focus({ preventScroll: true })
  }
  const openRow = rows.find((row) => openKey !== undefined && keyOf(row) === openKey)

  return (
    <div
      ref={box}
      class="data-table"
      onKeyDown={(event) => {
        if (event.code === 'Escape' && openRow !== undefined) close()
      }}
    >
      <div class="toolbar">
        {props.children}
        <SearchBox id={id} query={query} error={search.error} />
        <span class="soft" aria-live="polite">
          {shown.length === rows.length
            ? plural(rows.length, 'row')
            : `${exactCount(shown.length)} of ${plural(rows.length, 'row')}`}
        </span>
        <span class="grow" />
        <ColumnChoice id={id} columns={columns} chosen={chosen} />
        <Export {...props} shown={shown} chosen={chosen} />
      </div>
      <div class="table-and-panel">
        {shown.length === 0 ? (
          <p class="nothing">{rows.length === 0 ? 'Nothing was recorded.' : `No row matches “${query}”.`}</p>
        ) : (
          <Table
            label={props.label}
            rows={rows}
            shown={shown}
            columns={chosen}
            sort={sort}
            onSort={(column, add) => go({ [`${id}.sort`]: formatSort(nextSort(sort, column, add)) })}
            active={active}
            selected={selected}
            onActive={(position) => {
              setActive(position)
              if (openRow !== undefined) open(position, adjust)
            }}
            onOpen={(position) => open(position, go)}
            onMenu={(position, column, x, y) => {
              const row = rowAt(position)
              if (row !== undefined) setMenu({ x, y, items: menuItems(id, row, column, chosen, keyOf(row)) })
            }}
          />
        )}
        {openRow !== undefined && (
          <SidePanel
            title={String(columns[0]?.value(openRow))}
            onClose={close}
            more={props.details?.(openRow)}
            sections={props.sections?.(openRow)}
          >
            {columns.slice(1).map((column) => ({
              title: column.title,
              column,
              value: column.value(openRow),
            }))}
          </SidePanel>
        )}
      </div>
      {menu !== undefined && <CopyMenu at={menu} onClose={() => setMenu(undefined)} />}
    </div>
  )
}

function idsOf<R>(columns: readonly Column<R>[]): string {
  return columns.map((column) => column.id).join()
}

export function menuItems<R>(
  id: string,
  row: R,
  column: Column<R>,
  chosen: readonly Column<R>[],
  key: string,
): MenuAt['items'] {
  return [
    { label: 'Copy name', text: () => String(chosen[0]?.value(row)) },
    { label: `Copy ${column.title.toLowerCase()}`, text: () => exactValue(column, column.value(row)) },
    { label: 'Copy row', text: () => toLine(row, chosen) },
    { label: 'Copy link to row', text: () => addressOf({ [`${id}.row`]: key }) },
  ].filter((_, index) => index !== 1 || column !== chosen[0])
}

/** The name, and of the others those the link names, or else those not hidden. */
export function chosenColumns<R>(columns: readonly Column<R>[], listed: string | undefined): readonly Column<R>[] {
  const ids = listed?.split(',')
  return columns.filter((column, index) => index === 0 || (ids?.includes(column.id) ?? column.hidden !== true))
}

export function SearchBox({
  id,
  query,
  error,
}: {
  readonly id: string
  readonly query: string
  readonly error: string | undefined
}) {
  return (
    <span class="search">
      <input
        data-search=""
        type="search"
        placeholder="Search names (regex)   /"
        aria-label="Search names, as a regular expression"
        spellcheck={false}
        value={query}
        onInput={(event) => adjust({ [`${id}.q`]: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.code !== 'Escape') return
          event.stopPropagation()
          if (query === '') event.currentTarget.blur()
          else adjust({ [`${id}.q`]: undefined })
        }}
      />
      {error !== undefined && (
        <span class="search-error" role="status">
          Not a regular expression ({error}): searched as plain text.
        </span>
      )}
    </span>
  )
}

interface ColumnChoiceProps<R> {
  readonly id: string
  readonly columns: readonly Column<R>[]
  readonly chosen: readonly Column<R>[]
}

export function ColumnChoice<R>({ id, columns, chosen }: ColumnChoiceProps<R>) {
  const toggle = (column: Column<R>): void => {
    const next = columns.slice(1).filter((each) => chosen.includes(each) !== (each === column))
    // An empty list would read as "no choice made": the name alone is listed by its own id.
    const ids = next.length === 0 ? [columns[0]] : next
    go({ [`${id}.cols`]: ids.map((each) => each?.id).join(',') })
  }
  return (
    <Popup
      label="Columns ▾"
      content={() => (
        <div class="choices">
          {columns.slice(1).map((column) => (
            <label key={column.id}>
              <input type="checkbox" checked={chosen.includes(column)} onChange={() => toggle(column)} /> {column.title}
              {column.isEmpty === true && <span class="soft"> {absentWord(column)}</span>}
            </label>
          ))}
          <button type="button" class="button" onClick={() => go({ [`${id}.cols`]: undefined })}>
            Usual columns
          </button>
        </div>
      )}
    />
  )
}

interface ExportProps<R> extends Pick<DataTableProps<R>, 'id' | 'rows' | 'fileParts'> {
  readonly shown: Uint32Array
  readonly chosen: readonly Column<R>[]
}

export function Export<R>({ id, rows, shown, chosen, fileParts }: ExportProps<R>) {
  const save = (ending: string, type: string, text: string): void =>
    download(fileName([...fileParts, id], ending), type, text)
  return (
    <>
      <button
        type="button"
        class="button"
        title="The rows and columns shown, in base units"
        onClick={() => save('csv', 'text/csv', toCsv(rows, shown, chosen))}
      >
        CSV
      </button>
      <button
        type="button"
        class="button"
        title="The rows and columns shown, in base units"
        onClick={() => save('json', 'application/json', toJson(rows, shown, chosen))}
      >
        JSON
      </button>
    </>
  )
}
