import { expect, test } from 'vitest'

import { rowOf } from '../../../../test/rows'
import type { Column } from '../../../widgets/table/column'
import type { ModuleRow } from '../../../wire/wire'
import { MODULE_ROW } from '../row_figures'
import {
  formatToggled,
  isOpen,
  matching,
  parseToggled,
  revealed,
  toggled,
  treeOf,
  usualLevels,
  visible,
  wholeOf,
} from './tree'

/** `name:own` by indentation. Device times; totals are own values and those below. */
function rowsOf(drawing: string): readonly ModuleRow[] {
  const rows: ModuleRow[] = []
  for (const line of drawing.split('\n').filter((each) => each.trim() !== '')) {
    const depth = line.search(/\S/) / 2
    const [name = '', own = '0'] = line.trim().split(':')
    const parent = rows.findLast((row) => row.depth === depth - 1)?.id ?? null
    rows.push(rowNamed(rows.length, depth === 0 ? null : parent, depth, name, Number(own)))
  }
  const totalOf = (row: ModuleRow): number =>
    rows.filter(({ parent }) => parent === row.id).reduce((sum, child) => sum + totalOf(child), row.device.self_ns)
  return rows.map((row) => ({ ...row, device: { ...row.device, total_ns: totalOf(row) } }))
}

function rowNamed(id: number, parent: number | null, depth: number, name: string, own: number): ModuleRow {
  const device = { forward_self_ns: own, forward_total_ns: own, self_ns: own, total_ns: own }
  return rowOf<ModuleRow>(MODULE_ROW, {
    id,
    parent,
    depth,
    kind: name === 'outside' ? 'outside' : 'module',
    name,
    class_name: name,
    path: name,
    instances: 1,
    calls: 1,
    host: device,
    device,
    calls_pattern: '',
  })
}

const ROWS = rowsOf(`
net:10
  a:1
    a_small:2
    a_big:7
  b:20
outside:50
`)
const TREE = treeOf(ROWS)
const TOTAL: Column<ModuleRow> = {
  id: 'total',
  title: 'Total',
  kind: 'ns',
  sums: true,
  value: (row) => row.device.total_ns,
  definition: '',
}
const NAME: Column<ModuleRow> = { id: 'name', title: 'Name', kind: 'name', value: (row) => row.name, definition: '' }
const LARGEST = { column: 'total', descending: true }
const ALL_OPEN = { levels: 9, toggled: new Set<number>() }

function names(sort = LARGEST, opened: Parameters<typeof visible>[3] = ALL_OPEN, search?: RegExp): string[] {
  return Array.from(visible(TREE, [NAME, TOTAL], sort, opened, matching(TREE, search)), (id) => ROWS[id]?.name ?? '')
}

test('rows are sorted among siblings, children stay below their parent, and what is no module comes last', () => {
  expect(names()).toEqual(['net', 'b', 'a', 'a_big', 'a_small', 'outside'])
  expect(names({ column: 'total', descending: false })).toEqual(['net', 'a', 'a_small', 'a_big', 'b', 'outside'])
})

test('a closed row hides what is below it, and a toggle turns it around', () => {
  expect(names(LARGEST, { levels: 1, toggled: new Set() })).toEqual(['net', 'b', 'a', 'outside'])
  expect(names(LARGEST, { levels: 1, toggled: new Set([1]) })).toEqual(['net', 'b', 'a', 'a_big', 'a_small', 'outside'])
  expect(names(LARGEST, { levels: 1, toggled: new Set([0]) })).toEqual(['net', 'outside'])
})

test('a search shows what matches with what is around it, closed or not', () => {
  expect(names(LARGEST, { levels: 0, toggled: new Set() }, /big/)).toEqual(['net', 'a', 'a_big'])
  expect(names(LARGEST, ALL_OPEN, /nothing/)).toEqual([])
})

test('revealing a row opens all around it and nothing else', () => {
  const closed = { levels: 0, toggled: new Set<number>() }
  const opened = revealed(TREE, closed, 3)
  expect(ROWS.filter((row) => isOpen(row, opened)).map((row) => row.name)).toEqual(['net', 'a'])
  expect(revealed(TREE, opened, 3)).toBe(opened)
  expect(toggled(toggled(closed, 1), 1)).toEqual(closed)
})

test('what is opened stands in the link', () => {
  expect(formatToggled(new Set([3, 17]))).toBe('3,17')
  expect(parseToggled('3,17,x')).toEqual(new Set([3, 17]))
  expect(formatToggled(parseToggled(undefined))).toBeUndefined()
})

test('as many levels are open at first as fit on a screen', () => {
  expect(usualLevels(ROWS)).toBe(2)
  const many = rowsOf(['net', ...Array.from({ length: 30 }, (_, i) => `  m${i}\n    x\n    y`)].join('\n'))
  expect(usualLevels(many)).toBe(1)
})

test('the footer is the whole profile: roots of a total, all rows of a self column', () => {
  const own: Column<ModuleRow> = { ...TOTAL, value: (row) => row.device.self_ns }
  expect(wholeOf(TREE, own, false)).toBe(90)
  expect(wholeOf(TREE, NAME, false)).toBeUndefined()
})

test('the whole of classes is that of the classes: what is below one is in it', () => {
  const own: Column<ModuleRow> = { ...TOTAL, value: (row) => row.device.self_ns }
  expect(wholeOf(TREE, own, true)).toBe(60)
  expect(usualLevels(ROWS, true)).toBe(0)
})
