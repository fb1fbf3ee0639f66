/** The details of a row: asked for when it is opened, and every line of them leads on. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { OperatorsView } from '.'
import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import type { OperatorDetails, OperatorRow, Operators } from '../../wire/wire'
import { columnsFor, groupOf } from './columns'
import { OPERATOR_ROW } from './row_figures'
import { shownFrame } from './stacks'

const PROFILE = { run: 'r', worker: 'w', span: '1' }
const CLEAR = { view: undefined, module: undefined, inside: undefined, 'operators.row': undefined }

function row(name: string, kind: OperatorRow['kind'] = 'operator'): OperatorRow {
  return rowOf<OperatorRow>(OPERATOR_ROW, {
    name,
    kind,
    count: 2,
    host_self_ns: 1000,
    host_total_ns: 3000,
    device_self_ns: 4000,
    device_total_ns: 5000,
    flops: 2e12,
    flops_per_s: 6e14,
    rates_over: 'device',
  })
}

const GROUPINGS = [
  { id: 'name', title: 'name', missing: null },
  { id: 'call_site', title: 'call site', missing: null },
]

function operators(rows: readonly OperatorRow[], changes: Partial<Operators> = {}): Operators {
  const totals = { count: 2, host_self_ns: 1000, device_self_ns: 4000, not_attributed_ns: 0, flops: 2e12 }
  return {
    group_by: 'name',
    has_device: true,
    has_shapes: true,
    no_shapes: null,
    no_effect: null,
    groupings: GROUPINGS,
    rows,
    totals,
    ...changes,
  }
}

const SPREAD = {
  count: 2,
  total_ns: 3000,
  mean_ns: 1500,
  min_ns: 1000,
  median_ns: 1500,
  p95_ns: 1950,
  max_ns: 2000,
  bins: [
    { start_ns: 1000, end_ns: 1250, count: 1, total_ns: 1000 },
    { start_ns: 1250, end_ns: 2500, count: 1, total_ns: 2000 },
  ],
}

const DETAILS: OperatorDetails = {
  count: 2,
  host: SPREAD,
  device: SPREAD,
  operators: [],
  callers: [{ name: 'aten::linear', kind: 'operator', count: 2, host_ns: 3000, device_ns: 5000 }],
  callees: [{ name: 'cudaLaunchKernel', kind: 'launch', count: 2, host_ns: 500, device_ns: null }],
  kernels: [{ name: 'gemm', kind: 'kernel', count: 2, self_ns: 4000, total_ns: 5000 }],
  stacks: [
    { frames: ['torch/nn/f.py(3): g', 'train.py(7): step'], is_rest: false, count: 2, host_ns: 3000, device_ns: 5000 },
  ],
  modules: [{ path: 'Net_0/Linear_1', is_rest: false, count: 2, host_ns: 3000, device_ns: 5000 }],
  pairs: [
    {
      forward: 'aten::mm',
      backward: 'MmBackward0',
      forward_count: 2,
      backward_count: 2,
      forward_host_ns: 3000,
      forward_device_ns: 5000,
      backward_host_ns: 6000,
      backward_device_ns: 9000,
    },
  ],
  longest: [{ row: 12, name: 'aten::mm', start_ns: 1_000_000, duration_ns: 2000, device_ns: 4000 }],
  no_stacks: null,
  has_modules: true,
}

const asked: URL[] = []

function serve(result: Operators, details: OperatorDetails = DETAILS): void {
  asked.length = 0
  vi.stubGlobal('fetch', (address: string) => {
    const url = new URL(address)
    asked.push(url)
    const isDetails = url.pathname.endsWith('/details')
    const body = isDetails ? details : { view: 'operators', missing: null, notes: [], result }
    return Promise.resolve(new Response(JSON.stringify(body), { status: 200 }))
  })
}

async function settle(change: () => void = () => undefined): Promise<void> {
  await act(async () => {
    change()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
}

async function show(): Promise<HTMLElement> {
  await act(() => render(<OperatorsView profile={PROFILE} />, document.body))
  await settle()
  return document.body
}

const section = (page: HTMLElement, title: string): Element | undefined =>
  Array.from(page.querySelectorAll('.sections section')).find((each) =>
    (each.querySelector('h3')?.textContent ?? '').startsWith(title),
  )

beforeEach(() => {
  forgetReplies()
  go({ ...CLEAR, 'operators.group': undefined })
})

afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
})

test('details are asked for when a row is opened, under the same filters and grouping', async () => {
  serve(operators([row('Net_0', 'module')], { group_by: 'module' }))
  go({ 'operators.group': 'module', inside: 'aten' })
  const page = await show()
  expect(asked.map((url) => url.pathname.split('/').pop())).toEqual(['operators', 'operators'])
  expect(asked.map((url) => url.searchParams.get('effects'))).toEqual([null, '30']) // which takes longer, so it comes after
  await settle(() => page.querySelector<HTMLElement>('tbody .row')?.click())
  const question = asked.at(-1)
  expect(Object.fromEntries(question?.searchParams ?? [])).toEqual({
    ...PROFILE,
    inside: 'aten',
    group_by: 'module',
    name: 'Net_0',
    kind: 'module',
  })
})

test('callers, kernels, modules and calls lead to their own rows', async () => {
  serve(operators([row('aten::mm')]))
  go({ 'operators.row': 'aten::mm' })
  const page = await show()
  await settle()
  const click = async (title: string): Promise<void> => {
    await settle(() => section(page, title)?.querySelector<HTMLElement>('a')?.click())
  }
  await click('Kernels')
  expect([at('view'), at('kernels.row')]).toEqual(['kernels', 'gemm'])
  await click('Modules')
  expect(at('module')).toBe('Net_0/Linear_1')
  await click('Longest calls')
  expect([at('view'), at('timeline.row')]).toEqual(['timeline', '12'])
  await click('Called by')
  expect(at('operators.row')).toBe('aten::linear')
})

test('forward and backward stand side by side, and launch calls have no device time of their own', async () => {
  serve(operators([row('aten::mm')]))
  go({ 'operators.row': 'aten::mm' })
  const page = await show()
  await settle()
  expect(section(page, 'Forward and backward')?.textContent).toContain('MmBackward0')
  expect(section(page, 'Calls')?.querySelector('tbody')?.textContent).toBe('cudaLaunchKernel2500 ns–')
})

test('a histogram has its table', async () => {
  serve(operators([row('aten::mm')]))
  go({ 'operators.row': 'aten::mm' })
  const page = await show()
  await settle()
  const chart = section(page, 'Host time of a call')
  expect(chart?.querySelector('svg')?.getAttribute('aria-label')).toContain('2 events, median 1.50 µs')
  await settle(() => chart?.querySelector<HTMLElement>('.histogram-switch')?.click())
  expect(Array.from(chart?.querySelectorAll('tbody tr') ?? [], (line) => line.textContent)).toEqual([
    '1.00 µs1.25 µs11.00 µs',
    '1.25 µs2.50 µs12.00 µs',
  ])
})

test('what was not recorded is said beside the choice and in the panel', async () => {
  const note = 'No Python stacks were recorded. Record with with_stack=True.'
  const groupings = GROUPINGS.map((each) => (each.id === 'call_site' ? { ...each, missing: note } : each))
  serve(operators([row('no Python frame', 'none')], { group_by: 'call_site', groupings }), {
    ...DETAILS,
    stacks: [{ frames: [], is_rest: false, count: 2, host_ns: 3000, device_ns: 5000 }],
    no_stacks: note,
  })
  go({ 'operators.group': 'call_site', 'operators.row': 'no Python frame' })
  const page = await show()
  await settle()
  expect(page.querySelector('.toolbar')?.textContent).toContain(note)
  expect(section(page, 'Call stacks')?.textContent).toContain(note)
})

test('columns of what was not recorded are not there', () => {
  const ids = (changes: Partial<Operators>): string[] => columnsFor(operators([], changes)).map((column) => column.id)
  expect(ids({})).toContain('flops_per_s')
  expect(ids({ has_shapes: false })).not.toContain('flops_per_s')
  expect(ids({ has_device: false }).filter((id) => /device|matrix/.test(id))).toEqual([])
})

test('a link with an unknown grouping shows names', () => {
  expect([groupOf('module'), groupOf('nonsense'), groupOf(undefined)]).toEqual(['module', 'name', 'name'])
})

test("a stack is called by its innermost frame of the user's own code", () => {
  expect(shownFrame(['torch/nn/f.py(3): g', '<built-in method x>', 'train.py(7): step'])).toBe('train.py(7): step')
  expect(shownFrame(['torch/nn/f.py(3): g'])).toBe('torch/nn/f.py(3): g')
})
