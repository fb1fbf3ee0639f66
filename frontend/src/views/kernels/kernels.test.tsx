import { render, type ComponentChild } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { rowOf } from '../../../test/rows'
import { KERNEL_CATEGORIES } from '../../base/categories'
import type { Names } from '../../base/names'
import { at, go } from '../../state/place'
import type { KernelDetails, KernelRow, Kernels } from '../../wire/wire'
import { DataTable } from '../../widgets/table/data_table'
import { columnWidths } from '../../widgets/table/grid/widths'
import { CategoryBar } from './category_bar'
import { columnsFor, nameOf } from './columns'
import { Details } from './details'
import { KERNEL_ROW } from './row_figures'

const ROW = rowOf<KernelRow>(KERNEL_ROW, {
  name: 'nvjet_gemm',
  kind: 'kernel',
  category: 'matmul',
  registers: 32,
  n_unsized: 0,
  example: 7,
  names: 1,
  count: 2,
  total_ns: 4000,
  mean_ns: 2000,
  min_ns: 1000,
  max_ns: 3000,
  share: 1,
  matrix_core: 'yes',
  matrix_ns: 4000,
  matrix_unknown_ns: 0,
  may_multiply: true,
  launch_delay_median_ns: 5000,
  launch_delay_max_ns: 6000,
  queue_length: 0,
  flops: 8_000_000,
  flops_per_s: 2e12,
  peak_share: 0.02,
})

const KERNELS: Kernels = {
  no_effect: null,
  group_by: 'name',
  kind: 'kernel',
  rows: [ROW],
  count: 2,
  total_ns: 4000,
  busy_ns: 4000,
  matrix_ns: 4000,
  matrix_unknown_ns: 0,
  categories: [],
  has_launches: true,
  has_shapes: true,
  groupings: [
    { id: 'name', title: 'name', missing: null },
    { id: 'module', title: 'module', missing: 'No modules were recorded. Record with with_stack=True.' },
  ],
  peak: null,
}

const DETAILS: KernelDetails = {
  count: 2,
  total_ns: 4000,
  spread: {
    count: 2,
    total_ns: 4000,
    mean_ns: 2000,
    min_ns: 1000,
    median_ns: 2000,
    p95_ns: 3000,
    max_ns: 3000,
    bins: [{ start_ns: 1000, end_ns: 5000, count: 2, total_ns: 4000 }],
  },
  names: [{ name: 'nvjet_gemm', is_rest: false, count: 2, total_ns: 4000 }],
  operators: [
    { name: 'aten::mm', is_rest: false, count: 1, total_ns: 3000 },
    { name: null, is_rest: false, count: 1, total_ns: 1000 },
  ],
  modules: [],
  call_sites: [],
  streams: [],
  launches: [],
  collectives: [],
  longest: [{ row: 7, name: 'nvjet_gemm', start_ns: 50_000, duration_ns: 3000 }],
}

let root: HTMLElement

beforeEach(() => {
  root = document.createElement('div')
  document.body.append(root)
})

afterEach(() => {
  render(null, root)
  root.remove()
  vi.unstubAllGlobals()
  go({ view: undefined, 'timeline.row': undefined, 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined })
})

async function show(content: preact.ComponentChild): Promise<void> {
  await act(() => render(content, root))
  // What effects ask for is there a moment later.
  await act(async () => new Promise<void>((done) => setTimeout(done, 20)))
}

function column(kernels: Kernels, id: string) {
  const found = columnsFor(kernels).find((each) => each.id === id)
  if (found === undefined) throw new Error(`no column ${id}`)
  return found
}

test('a group of several kernels says which share of their time uses matrix cores', () => {
  const several: KernelRow = {
    ...ROW,
    category: null,
    matrix_core: 'several',
    matrix_ns: 1000,
    matrix_unknown_ns: 2000,
  }
  const kernels: Kernels = { ...KERNELS, group_by: 'operator', rows: [several, { ...ROW, name: '' }] }
  expect(column(kernels, 'matrix_core').value(several)).toBe('25.0 % of time, 50.0 % unknown')
  expect(column(kernels, 'category').value(several)).toBeNull()
  expect(nameOf({ ...ROW, name: '' }, 'operator')).toBe('not attributed')
})

test('what multiplies nothing has no FLOPs to be unknown', () => {
  const flops = column({ ...KERNELS, rows: [ROW] }, 'flops_per_s')
  expect(flops.isKnown?.({ ...ROW, flops_per_s: null })).toBe(true)
  expect(flops.isKnown?.({ ...ROW, flops_per_s: null, may_multiply: false })).toBe(false)
})

test('collectives have columns of their own, where there are some, and other kernels are blank in them', async () => {
  const sent: KernelRow = {
    ...ROW,
    name: 'ncclDevKernel_SendRecv',
    kind: 'communication',
    dimension: 'several',
    message_bytes: 2 ** 20,
    least_bus_bytes_per_s: 140e9,
  }
  const ids = (rows: readonly KernelRow[]) => columnsFor({ ...KERNELS, rows: [...rows] }).map(({ id }) => id)
  expect(ids([ROW])).not.toContain('least_bus_bytes_per_s')
  expect(ids([ROW, sent])).toContain('least_bus_bytes_per_s')
  const dimension = column({ ...KERNELS, rows: [ROW, sent] }, 'dimension')
  expect([ROW, sent, { ...sent, dimension: null }].map((row) => dimension.isKnown?.(row))).toEqual([false, true, true])
  const some = { ...sent, dimension: 'tensor', n_without_dimension: 2 }
  const unused = { cut: (name: string) => name } as unknown as Names
  const drawn = [some, { ...some, n_without_dimension: 0 }].map((row) => dimension.draw?.(row, 9, unused))
  expect(drawn).toEqual(['tensor, 2 not recorded', undefined])
  expect(dimension.value(some)).toBe('tensor')
  const sized = column({ ...KERNELS, rows: [ROW, sent] }, 'message_bytes')
  expect(sized.sums).toBe(true)
  const unsized = { ...sent, n_unsized: 5 }
  const least = column({ ...KERNELS, rows: [ROW, unsized] }, 'message_bytes')
  expect(least.sums).toBe(false)
  const text = (drawn: unknown) => {
    void act(() => render(drawn as ComponentChild, root))
    return root.textContent
  }
  const names = { cut: (name: string) => name } as unknown as Names
  expect([sent, unsized].map((row) => text(least.draw?.(row, 9, names)))).toEqual(['1.00 MiB', '≥ 1.00 MiB'])
  const part = {
    process_group: 'mesh_tp',
    n_ranks: 4,
    n_collectives: 3,
    kernels_ns: 3000,
    message_bytes: null,
    n_unsized: 3,
  }
  const collectives = [{ kind: 'all_gather', dimension: null, least_bus_bytes_per_s: null, ...part }]
  vi.stubGlobal('fetch', async () => Promise.resolve(new Response(JSON.stringify({ ...DETAILS, collectives }))))
  await show(<Details row={sent} group="name" profile={{ run: 'r', worker: 'w', span: '1' }} params={{}} />)
  const cells = [...root.querySelectorAll('table tbody tr:first-child > *')].slice(0, 5).map((cell) => cell.textContent)
  expect(cells).toEqual(['all_gathermesh_tp, 4 ranks', '3', '3.00 µs', 'not recorded', 'not recorded'])
})

test('the panel of a row leaves out what it cannot have', async () => {
  const sent: KernelRow = { ...ROW, name: 'nccl', kind: 'communication', message_bytes: 2 ** 20, may_multiply: false }
  const rows = [ROW, sent]
  for (const [open, has, lacks] of [
    ['nvjet_gemm', 'FLOP/s', 'Message'],
    ['nccl', 'Message', 'FLOP/s'],
  ] as const) {
    await show(
      <DataTable
        id="kernels"
        label="Kernels"
        rows={rows}
        columns={columnsFor({ ...KERNELS, rows })}
        sort={{ column: 'total_ns', descending: true }}
        keyOf={(row) => row.name}
        fileParts={[]}
      />,
    )
    const cell = [...root.querySelectorAll<HTMLElement>('td.is-name')].find((each) => each.textContent === open)
    await act(() => cell?.click())
    const terms = [...root.querySelectorAll('aside dt')].map((term) => term.textContent)
    expect(terms).toContain(has)
    expect(terms).not.toContain(lacks)
  }
})

test('beside collectives the head of their bus rate is in sight at 1440 px', () => {
  const rate = { message_bytes: 2 ** 20, least_bus_bytes_per_s: 1e9, peak_share: null }
  const rows: readonly KernelRow[] = [{ ...ROW, ...rate, kind: 'communication' }]
  const shown = columnsFor({ ...KERNELS, rows }).filter((each) => each.hidden !== true)
  const upTo = shown.findIndex(({ id }) => id === 'least_bus_bytes_per_s')
  const around = 132 + 15 // the navigation, and a scroll bar
  const px = columnWidths(shown.slice(0, upTo + 1), 1440 - around, {}).reduce((sum, width) => sum + width, 0)
  expect(px).toBeLessThanOrEqual(1440 - around)
})

test('copies show bytes and way first, and no columns of kernels', () => {
  const copy: KernelRow = { ...ROW, kind: 'copy', bytes: 10, bytes_per_s: 5, copy_kind: 'pageable host to device' }
  const shown = columnsFor({ ...KERNELS, kind: 'copy', rows: [copy] }).filter((each) => each.hidden !== true)
  const ids = shown.map((each) => each.id)
  expect(ids.indexOf('bytes_per_s')).toBeLessThan(ids.indexOf('min_ns'))
  expect(ids).toContain('copy_kind')
  expect(ids).not.toContain('matrix_core')
})

test('the bar has a part for each category with time, and a click keeps one', async () => {
  const chosen: (string | undefined)[] = []
  const totals = [
    { category: 'matmul', count: 1, total_ns: 750 },
    { category: 'copy', count: 1, total_ns: 250 },
  ] as const
  await show(<CategoryBar totals={totals} chosen="copy" onChoose={(id) => chosen.push(id)} />)
  const keys = [...root.querySelectorAll<HTMLElement>('.kernel-key')]
  expect(keys.map((key) => key.textContent)).toEqual(['Matrix multiply 75.0 %', 'Copy 25.0 %'])
  keys.forEach((key) => key.click())
  expect(chosen).toEqual(['matmul', undefined])
  expect(keys.map((key) => key.getAttribute('aria-pressed'))).toEqual(['false', 'true'])
})

test('every category has a colour of its own', () => {
  expect(new Set(KERNEL_CATEGORIES.map((each) => each.color)).size).toBe(KERNEL_CATEGORIES.length)
})

test('details lead to the timeline and say what is not attributed', async () => {
  vi.stubGlobal('fetch', async () => Promise.resolve(new Response(JSON.stringify(DETAILS))))
  await show(<Details row={ROW} group="name" profile={{ run: 'r', worker: 'w', span: '1' }} params={{}} />)
  expect(root.textContent).toContain('aten::mm')
  expect(root.textContent).toContain('not attributed')
  const link = [...root.querySelectorAll('a')].find((each) => each.textContent.startsWith('at '))
  await act(() => link?.click())
  expect([at('view'), at('timeline.row'), at('timeline.t0_ns')]).toEqual(['timeline', '7', '41500'])
})

test('two kernels side by side never read the same, however narrow the column', async () => {
  const name = (tile: string): string => `void cutlass::Kernel2<cutlass_75_tensorop_f16_${tile}_nn_align1>(int, int)`
  const rows = ['256x128', '128x128'].map((tile, example) => ({ ...ROW, name: name(tile), example }))
  await show(
    <DataTable
      id="kernels"
      label="Kernels"
      rows={rows}
      columns={columnsFor(KERNELS)}
      sort={{ column: 'total_ns', descending: true }}
      keyOf={(row) => row.name}
      fileParts={[]}
    />,
  )
  const cells = [...root.querySelectorAll('td.is-name')].filter((cell) => cell.textContent.includes('cutlass'))
  expect(cells.map((cell) => cell.getAttribute('title'))).toEqual(rows.map((row) => row.name))
  expect(new Set(cells.map((cell) => cell.textContent)).size).toBe(2)
  expect(cells[0]?.textContent).toContain('256x128')
})
