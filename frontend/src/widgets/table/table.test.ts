import { expect, test } from 'vitest'

import type { Column } from './column'
import { exactValue, short } from './column'
import { toCsv, toJson, toLine } from './export'
import { formatSort, nextSort, parseSearch, parseSort, shownRows, total } from './order'

interface Row {
  readonly name: string
  readonly self_ns: number | null
}

const NAME: Column<Row> = { id: 'name', title: 'Name', kind: 'name', value: (row) => row.name, definition: '' }
const SELF: Column<Row> = {
  id: 'host_self_ns',
  title: 'Self',
  kind: 'ns',
  sums: true,
  value: (row) => row.self_ns,
  definition: '',
}
const COLUMNS = [NAME, SELF]
const ROWS: readonly Row[] = [
  { name: 'aten::mm', self_ns: 2000 },
  { name: 'op_10', self_ns: null },
  { name: 'op_9', self_ns: 2000 },
  { name: 'say "hi", twice', self_ns: 5_000_000 },
]
const BY_TIME = { column: 'host_self_ns', descending: true }

function names(sort: Parameters<typeof shownRows>[2], search = ''): string[] {
  return Array.from(shownRows(ROWS, COLUMNS, sort, parseSearch(search).pattern), (index) => ROWS[index]?.name ?? '')
}

test('largest first; equal rows stay in the server’s order; rows without a value come last both ways', () => {
  expect(names(BY_TIME)).toEqual(['say "hi", twice', 'aten::mm', 'op_9', 'op_10'])
  expect(names({ column: 'host_self_ns', descending: false })).toEqual(['aten::mm', 'op_9', 'say "hi", twice', 'op_10'])
})

test('names sort with their numbers as numbers', () => {
  expect(names({ column: 'name', descending: false }).slice(1, 3)).toEqual(['op_9', 'op_10'])
})

test('a click on a header starts with the largest number or with A, a second one turns it around', () => {
  expect(nextSort(BY_TIME, NAME)).toEqual({ column: 'name', descending: false })
  expect(nextSort({ column: 'name', descending: false }, SELF)).toEqual(BY_TIME)
  expect(nextSort(BY_TIME, SELF)).toEqual({ column: 'host_self_ns', descending: false })
})

test('the sort of a link', () => {
  expect(parseSort('-host_self_ns', { column: 'name', descending: false })).toEqual(BY_TIME)
  expect(parseSort(undefined, BY_TIME)).toBe(BY_TIME)
})

test('search is a regular expression, and case counts only with capitals', () => {
  expect(names(BY_TIME, '^OP_\\d+$')).toEqual([])
  expect(names(BY_TIME, '^op_\\d+$')).toEqual(['op_9', 'op_10'])
  expect(names(BY_TIME, 'ATEN')).toEqual([])
})

test('what is no regular expression is searched as text, and the reason is told', () => {
  const search = parseSearch('kernel<(')
  expect(search.error).toMatch(/unterminated/)
  expect(search.pattern?.test('a kernel<(int)>')).toBe(true)
})

test('totals are of the rows shown, and only where a sum means something', () => {
  const shown = shownRows(ROWS, COLUMNS, BY_TIME, parseSearch('op_|mm').pattern)
  expect(total(ROWS, shown, SELF)).toBe(4000)
  expect(total(ROWS, shown, NAME)).toBeUndefined()
})

test('CSV has base units, the unit in the header, and quotes what needs it', () => {
  const csv = toCsv(ROWS, Uint32Array.of(3, 1), COLUMNS)
  expect(csv).toBe('name,host_self_ns\r\n"say ""hi"", twice",5000000\r\nop_10,\r\n')
})

test('JSON has the same rows under the same names', () => {
  expect(JSON.parse(toJson(ROWS, Uint32Array.of(0, 1), COLUMNS))).toEqual([
    { name: 'aten::mm', host_self_ns: 2000 },
    { name: 'op_10', host_self_ns: null },
  ])
})

test('a copied row is one line', () => {
  expect(toLine({ name: 'a\tb\nc', self_ns: 1 }, COLUMNS)).toBe('a b c\t1')
})

test('what is missing is a word, what is there has all its digits on hover', () => {
  expect(short(SELF, null)).toBe('not recorded')
  expect(short(SELF, 98_066_640)).toBe('98.1 ms')
  expect(exactValue(SELF, 98_066_640)).toBe('98,066,640 ns')
})

test('Shift and a click sorts by one more column; a second turns it around, a third takes it out', () => {
  const byBoth = nextSort(BY_TIME, NAME, true)
  expect(formatSort(byBoth)).toBe('-host_self_ns,name')
  expect(parseSort('-host_self_ns,name', BY_TIME)).toEqual(byBoth)
  const turned = nextSort(byBoth, NAME, true)
  expect(formatSort(turned)).toBe('-host_self_ns,-name')
  expect(names(byBoth)).toEqual(['say "hi", twice', 'aten::mm', 'op_9', 'op_10'])
  expect(names(turned)).toEqual(['say "hi", twice', 'op_9', 'aten::mm', 'op_10'])
  expect(nextSort(turned, NAME, true)).toEqual(BY_TIME)
  // Without Shift it is the only one again.
  expect(nextSort(turned, NAME)).toEqual({ column: 'name', descending: false })
  expect(nextSort(BY_TIME, SELF, true)).toEqual({ column: 'host_self_ns', descending: false })
})

test('100,000 rows of 25,000 names sort in less than 200 ms, by number, by name and by both', () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => ({
    name: `aten::op_${(i * 7919) % 25_000}`,
    self_ns: (i * 31) % 1000,
  }))
  for (const sort of ['-host_self_ns', 'name', '-host_self_ns,name']) {
    // CPU time: a busy machine does not count. It holds the garbage collector's threads too.
    const times = [1, 2, 3, 4].map(() => {
      const start = process.cpuUsage()
      shownRows(rows, COLUMNS, parseSort(sort, BY_TIME), undefined)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    })
    expect(Math.min(...times), sort).toBeLessThan(200)
  }
})
