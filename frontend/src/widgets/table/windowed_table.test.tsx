/** A list on a made-up server: what differs from a table whose rows are here. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { ROW_HEIGHT } from '../../layout/rows'
import { at, go } from '../../state/place'
import type { Column } from './column'
import { WindowedTable } from './windowed_table'
import type { WindowWish } from './windowed_table'

const LOADED_MS = 80 // longer than what flies by

interface Row {
  readonly number: number
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: 'Name', kind: 'name', value: (row) => `block ${row.number}`, definition: '' },
  { id: 'bytes', title: 'Bytes', kind: 'bytes', value: (row) => row.number, definition: '', sums: true },
]

let wishes: WindowWish[] = []

type More = Partial<Parameters<typeof WindowedTable<Row>>[0]>

async function show(count: number, fails = false, more: More = {}): Promise<void> {
  const load =
    (wish: WindowWish) =>
    (offset: number, limit: number): Promise<{ rows: readonly Row[]; count: number }> => {
      wishes.push(wish)
      if (fails) return Promise.reject(new Error('no such column'))
      const rows = Array.from({ length: Math.min(limit, count - offset) }, (_, index) => ({ number: offset + index }))
      return Promise.resolve({ rows, count })
    }
  await act(() =>
    render(
      <WindowedTable<Row>
        id="blocks"
        label="Blocks"
        columns={COLUMNS}
        sort={{ column: 'bytes', descending: true }}
        source="1"
        load={load}
        keyOf={(row) => String(row.number)}
        exportNote="all"
        onExport={() => undefined}
        {...more}
      />,
      document.body,
    ),
  )
  await settled()
}

async function settled(): Promise<void> {
  await act(() => new Promise((resolve) => setTimeout(resolve, LOADED_MS)))
}

beforeEach(() => {
  wishes = []
  go({ 'blocks.sort': undefined, 'blocks.row': undefined, 'blocks.q': undefined })
})

afterEach(() => render(null, document.body))

test('it asks for the rows in sight and says how many there are', async () => {
  await show(1_000_000)
  expect(document.body.textContent).toContain('1,000,000 rows')
  expect(document.querySelector('tr.row')?.textContent).toBe('block 00 B')
  expect(wishes[0]).toEqual({ sort: 'bytes', descending: true, pattern: undefined })
  // Nobody here knows the sum.
  expect(document.querySelector('tfoot')?.textContent).toBe('Total of 1,000,000 rows')
})

test('the server sorts by one column: Shift adds none', async () => {
  await show(10)
  const header = document.querySelector<HTMLElement>('.head-sort')
  await act(() => {
    header?.dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }))
  })
  await settled()
  expect(at('blocks.sort')).toBe('name')
  expect(wishes.at(-1)).toMatchObject({ sort: 'name', descending: false })
})

test('a row that was opened has its panel, and closing gives the focus back to the table', async () => {
  await show(10)
  await act(() => document.querySelector<HTMLElement>('tr.row:nth-of-type(3)')?.click())
  expect(at('blocks.row')).toBe('2')
  expect(document.querySelector('.side-panel h2')?.textContent).toBe('block 2')
  await act(() => document.querySelector<HTMLElement>('[aria-label="Close details"]')?.click())
  expect(document.querySelector('.side-panel')).toBeNull()
  expect(document.activeElement).toBe(document.querySelector('.table'))
})

test('a marked row that is not here yet is brought into sight where the server says it stands', async () => {
  await show(1000, false, { isMarked: ({ number }) => number === 700, markedAt: 700 })
  expect(document.querySelector('.table-box')?.scrollTop).toBeGreaterThan(699 * ROW_HEIGHT)
})

test('where rows lead elsewhere Enter and a click on any cell go there, and nothing opens here', async () => {
  const visited: number[] = []
  go({ 'blocks.row': '3' }) // of a link from before
  await show(10, false, { visit: ({ number }) => visited.push(number) })
  await act(() => document.querySelector<HTMLElement>('tr.row:nth-of-type(3) td:last-child')?.click())
  for (const code of ['ArrowDown', 'Enter'])
    await act(() => {
      document.querySelector('.table')?.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true }))
    })
  expect(visited).toEqual([2, 3])
  expect(document.querySelector('.side-panel')).toBeNull()
  expect(at('blocks.row')).toBe('3')
})

test('why there are no rows is said', async () => {
  await show(0)
  expect(document.querySelector('.nothing')?.textContent).toBe('Nothing was recorded.')
  render(null, document.body)
  await show(10, true)
  expect(document.querySelector('.nothing.is-bad')?.textContent).toBe('no such column')
})
