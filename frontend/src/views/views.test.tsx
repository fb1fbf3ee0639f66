/** The views as a user meets them, over replies of a made-up server. */
import { render } from 'preact'
import type { ComponentChild } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { rowOf } from '../../test/rows'
import { forgetReplies } from '../data/kept'
import { at, go } from '../state/place'
import type { Advice, Breakdown, KernelRow, Kernels, OperatorRow, Operators, Overview, SoFar } from '../wire/wire'
import { KernelsView } from './kernels'
import { KERNEL_ROW } from './kernels/row_figures'
import { OperatorsView } from './operators'
import { OPERATOR_ROW } from './operators/row_figures'
import { OverviewView } from './overview'

const PROFILE = { run: 'r', worker: 'w', span: '1' }
const NOTHING: Breakdown = {
  kernel: 0,
  copy: 0,
  set: 0,
  communication: 0,
  runtime: 0,
  data_loader: 0,
  other_host: 0,
  python: 0,
  unknown_queue: 0,
  idle: 0,
}

const OPERATORS: Operators = {
  group_by: 'name',
  has_device: true,
  has_shapes: false,
  no_shapes: 'No input shapes were recorded.',
  no_effect: null,
  groupings: [{ id: 'name', title: 'name', missing: null }],
  rows: [
    operator('aten::mm', 3_000_000),
    operator('<img src=x onerror=alert(1)>', 1_000_000),
    { ...operator('not attributed', 500_000), kind: 'not_attributed', host_self_ns: null, host_total_ns: null },
  ],
  totals: { count: 6, host_self_ns: 2000, device_self_ns: 4_500_000, not_attributed_ns: 500_000, flops: null },
}

function operator(name: string, device: number): OperatorRow {
  const figures = { count: 2, host_self_ns: 1000, host_total_ns: 1000, device_self_ns: device, device_total_ns: device }
  return rowOf<OperatorRow>(OPERATOR_ROW, { name, kind: 'operator', ...figures })
}

const CPU_ONLY: Overview = {
  verdict: {
    bound: 'mixed',
    share: null,
    sentence: 'Nothing alone is the limit.',
    of_job: null,
    of_ranks: null,
    changes: [{ finding: 'data_loader', lead: 'Change first', title: 'Load batches', told: '(up to 5.00 us)' }],
    doubts: [],
  },
  steps: [
    {
      name: 'ProfilerStep#7',
      number: 7,
      start_ns: 0,
      duration_ns: 2_000_000,
      host_ns: 2_000_000,
      complete: true,
      selected: true,
      breakdown_ns: { ...NOTHING, other_host: 1_500_000, idle: 500_000 },
      operators_ns: { matmul: 1_000_000, other: 500_000 },
      device_use_ns: null,
      communication_ns: null,
      mfu: null,
    },
  ],
  steps_end: 'with_host_range',
  step_notes: [],
  average: {
    start_ns: 0,
    duration_ns: 2_000_000,
    breakdown_ns: { ...NOTHING, other_host: 1_500_000, idle: 500_000 },
    operators_ns: { matmul: 1_000_000, other: 500_000 },
    device_use_ns: null,
    communication_ns: null,
  },
  model_flops: { mfu: null, hfu: null, reason: 'nothing multiplied matrices on a device', note: null, mix: {} },
  step_time: { count: 1, median_ns: 2e6, p5_ns: 2e6, p95_ns: 2e6, min_ns: 2e6, max_ns: 2e6 },
  whole: {
    start_ns: 0,
    duration_ns: 3_000_000,
    breakdown_ns: { ...NOTHING, idle: 3_000_000 },
    operators_ns: {},
    device_use_ns: null,
    communication_ns: null,
  },
  not_recorded: ['kernel', 'copy', 'set'],
  not_filtered: [],
  devices: [],
  communication_parts: null,
  communication_parts_lack: null,
  memory: [],
  device_time_ns: 0,
  not_attributed_ns: 0,
  categories: [],
  top_operators: [{ name: 'aten::mm', count: 2, time_ns: 1000, share: 0.5 }],
  top_operators_by: 'host_self',
  top_kernels: [],
  top_modules: [],
  recorded: [
    absent('memory', 'profile_memory=True', 'No memory was recorded.'),
    absent('device', 'activities=[CPU, CUDA]', 'No device activity was recorded.'),
  ],
  issues: [{ kind: 'cut', count: 3, text: 'The file ends early.', first: 'byte 17' }],
  source: {
    file: 'w.1.pt.trace.json',
    format: 'chrome-json',
    n_events: 10,
    base_ns: null,
    rank: null,
    world_size: null,
    host: null,
    backend: null,
    torch_version: null,
    cycle: null,
  },
}

const TWO_STEPS: Overview = {
  ...CPU_ONLY,
  steps: CPU_ONLY.steps.flatMap((step) => [step, { ...step, name: 'ProfilerStep#8', number: 8, start_ns: 2_000_000 }]),
}

const ADVICE: Advice = {
  verdict: {
    bound: 'mixed',
    share: null,
    sentence: 'Nothing alone is the limit.',
    of_job: null,
    of_ranks: null,
    changes: [],
    doubts: [],
  },
  findings: [],
  n_small: 0,
  nothing_found: [],
  not_checked: [],
  window_ns: 1,
  window: 'steps',
  n_steps: 1,
}

/** The replies in turn, the last again and again. The overview asks for the advice too, besides. */
function serve(...replies: (readonly [status: number, body: unknown])[]): void {
  const left = [...replies]
  vi.stubGlobal('fetch', (address: string) => {
    if (address.includes('view/advice'))
      return Promise.resolve(new Response(JSON.stringify(answer('advice', ADVICE)[1])))
    const [status, body] = (left.length > 1 ? left.shift() : left[0]) ?? [500, {}]
    return Promise.resolve(new Response(JSON.stringify(body), { status }))
  })
}

function answer(view: string, result: unknown, missing: string | null = null): readonly [number, unknown] {
  return [200, { view, missing, notes: [], result }]
}

const REPLY_MS = 20 // for a made-up reply to be read and drawn

async function show(view: ComponentChild): Promise<HTMLElement> {
  await act(() => render(view, document.body)) // effects run at the end, and ask the server
  await act(() => new Promise((resolve) => setTimeout(resolve, REPLY_MS)))
  return document.body
}

async function settle(change: () => void): Promise<void> {
  await act(async () => {
    change()
    await new Promise((resolve) => setTimeout(resolve, 0))
  })
}

function absent(id: string, how: string, lack: string): Overview['recorded'][number] {
  return { id, what: id, recorded: false, how, instead: null, lack }
}

const text = (selector: string): string[] =>
  Array.from(document.querySelectorAll(selector), (element) => element.textContent)

beforeEach(() => {
  forgetReplies()
  go({ 'operators.row': undefined, 'operators.q': undefined, 'operators.sort': undefined })
})

afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
})

test('a profile that loads shows its stage and how far it is', async () => {
  serve([202, { state: 'loading', progress: 0.43, stage: 'reading', seconds_left: null, so_far: null }])
  const page = await show(<OverviewView profile={PROFILE} />)
  await act(async () => vi.dynamicImportSettled())
  expect(page.textContent).toContain('Loading: reading')
  expect(page.textContent).toContain('43 %')
})

test('while a large file is read, what is known so far is shown as partial, and it can be cancelled', async () => {
  const name = 'aten::<b>mm</b>'
  const soFar: SoFar = {
    part: 0.38,
    n_events: 1_203_000,
    seconds: 4,
    rank: 3,
    n_tracks: 12,
    device_names: ['H100', 'H100'],
    n_steps: 12,
    mean_step_ns: 5_000_000,
    operators: [{ name, count: 40, total_ns: 2_000_000 }],
    kernels: [],
    devices: [{ name: '0', n_events: 3, busy_ns: 250_000, span_ns: 1_000_000 }],
    span_ns: 1_000_000,
    lanes: [],
  }
  serve([202, { state: 'loading', progress: 0.43, stage: 'reading', seconds_left: 5.2, so_far: soFar }])
  const page = await show(<OverviewView profile={PROFILE} />)
  await act(async () => vi.dynamicImportSettled())
  expect(page.textContent).toContain('1,203,000 events read · 300,000 a second · about 6 s left')
  const known = page.querySelector('.so-far')
  expect(known?.querySelector('h3')?.textContent).toBe('So far: 12 steps')
  const said = known?.textContent.replaceAll('\u00a0', ' ') // a number is not broken from its unit
  expect(said).toContain('Partial')
  expect(said).toContain('rank 3 · H100 · 12 tracks')
  expect(said).toContain('device 0 busy 25.0 % of 1.00 ms')
  expect(said).toContain(name)
  expect(said).toContain('Kernels: none read yet')
  const sent = vi.fn<(to: string, how: RequestInit) => Promise<Response>>(() =>
    Promise.resolve(Response.json({ was_working: true })),
  )
  vi.stubGlobal('fetch', sent)
  const cancel = Array.from(page.querySelectorAll('button')).find((button) => button.textContent === 'Cancel')
  await act(() => cancel?.click())
  const [address, how] = sent.mock.calls.find(([to]) => to.includes('/cancel')) ?? []
  expect(address).toContain('api/v1/cancel?run=r&worker=w&span=1')
  expect(how?.method).toBe('POST')
  expect(page.textContent).toContain('Ending it…')
})

test('a profile that failed shows the reason as the server gives it', async () => {
  serve([422, { error: { kind: 'FormatError', message: 'a.json: not a profile: the file is empty' } }])
  const page = await show(<OverviewView profile={PROFILE} />)
  expect(page.querySelector('[role=alert]')?.textContent).toContain('a.json: not a profile: the file is empty')
})

test('a view without data says why', async () => {
  serve(answer('kernels', null, 'No device activity was recorded.'))
  expect((await show(<KernelsView profile={PROFILE} />)).textContent).toBe('No device activity was recorded.')
})

test('without a device, device figures are words and never zeros', async () => {
  serve(answer('overview', CPU_ONLY))
  await show(<OverviewView profile={PROFILE} />)
  const figures = text('.figure')
  expect(figures.filter((figure) => figure.includes('not recorded'))).toHaveLength(2) // peak memory, not attributed
  expect(figures.join()).toContain('Host busy')
  expect(text('.legend tr').some((row) => row.includes('Kernel'))).toBe(false)
})

test('without a device the step is split by what the operators compute, and nothing is said of devices', async () => {
  serve(answer('overview', CPU_ONLY))
  const page = await show(<OverviewView profile={PROFILE} />)
  const titles = [...page.querySelectorAll('.breakdown .legend tbody th')].map((th) => th.textContent.replace('?', ''))
  expect(titles).toEqual(['Communication', 'Data loader', 'Matrix multiply', 'Other operators', 'Python', 'Idle'])
  expect(page.querySelectorAll('.stacked-bar:first-child .part')).toHaveLength(3)
})

test('the overview tells what was not recorded and how to, and what is odd in the file', async () => {
  const cut = {
    ...absent('steps', 'prof.step() after every step', 'The file is cut off.'),
    instead: 'the file is cut off',
  }
  const recorded = [...CPU_ONLY.recorded, cut]
  serve(answer('overview', { ...CPU_ONLY, steps: [], step_time: null, average: null, recorded }))
  const page = await show(<OverviewView profile={PROFILE} />)
  expect(text('.is-absent-list li')).toEqual([
    'memory profile_memory=True',
    'device activities=[CPU, CUDA]',
    'steps: the file is cut off',
  ])
  const [operators, kernels] = text('.top-list')
  expect(operators).not.toContain('recorded')
  expect(kernels).toContain('No device activity was recorded. activities=[CPU, CUDA]')
  expect(text('.figure').find((figure) => figure.includes('Step time'))).toContain(
    '3.00 ms in all. The file is cut off.',
  )
  expect(page.querySelector('.issues')?.textContent).toContain('3× The file ends early. first: byte 17')
})

test('what a step time does not show stands above it, and the average beside a median that differs', async () => {
  const note = 'The steps cover only 0.03 % of the recording: 5.00 us'
  const times = { count: 3, median_ns: 2_000_000, p5_ns: 0, p95_ns: 0, min_ns: 1_000_000, max_ns: 3_000_000 }
  const average = { ...CPU_ONLY.whole, duration_ns: 2_500_000 }
  serve(answer('overview', { ...CPU_ONLY, step_notes: [note], step_time: times, average }))
  const page = await show(<OverviewView profile={PROFILE} />)
  expect(page.querySelector('[role=note]')?.textContent).toBe(note.replace('us', 'µs'))
  const figure = page.querySelector('[aria-label="Step time"]')?.textContent
  expect(figure).toContain('2.00 ms')
  expect(figure).toContain('median; average 2.50 ms')
})

test('steps are selected by the link, and a click changes it', async () => {
  serve(answer('overview', TWO_STEPS))
  const page = await show(<OverviewView profile={PROFILE} />)
  const bars = (): HTMLElement[] => Array.from(page.querySelectorAll<HTMLElement>('[data-id]'))
  await settle(() => bars()[0]?.click())
  expect(at('steps')).toBe('7')
  expect(bars().map((bar) => bar.getAttribute('aria-pressed'))).toEqual(['true', 'false'])
  await settle(() => bars()[1]?.dispatchEvent(new MouseEvent('click', { ctrlKey: true, bubbles: true })))
  expect(at('steps')).toBeUndefined() // both are all
  await settle(() =>
    bars()[1]?.dispatchEvent(new KeyboardEvent('keydown', { code: 'Enter', ctrlKey: true, bubbles: true })),
  )
  expect(at('steps')).toBe('8')
  await settle(() => page.querySelector<HTMLElement>('.is-average')?.click())
  expect(at('steps')).toBeUndefined()
})

test('the totals of operators are all device time, the part not attributed included', async () => {
  serve(answer('operators', OPERATORS))
  await show(<OperatorsView profile={PROFILE} />)
  expect(text('tfoot td')).toContain('4.50 ms')
  expect(text('tbody .is-name')).toContain('not attributed')
})

test('text of a trace is text', async () => {
  serve(answer('operators', OPERATORS))
  expect((await show(<OperatorsView profile={PROFILE} />)).querySelector('img')).toBeNull()
  expect(text('tbody .is-name')).toContain('<img src=x onerror=alert(1)>')
})

test('a click on a header sorts, and says so to screen readers', async () => {
  serve(answer('operators', OPERATORS))
  const page = await show(<OperatorsView profile={PROFILE} />)
  const header = (): Element | undefined =>
    Array.from(page.querySelectorAll('th')).find((each) => each.textContent.startsWith('Operator'))
  await settle(() => header()?.querySelector('button')?.click())
  expect(header()?.getAttribute('aria-sort')).toBe('ascending')
  expect(text('tbody .is-name')[0]).toBe('<img src=x onerror=alert(1)>')
})

test('a click on a row opens its details with every digit', async () => {
  serve(answer('operators', OPERATORS), [404, { error: { kind: 'NotFoundError', message: 'no details here' } }])
  const page = await show(<OperatorsView profile={PROFILE} />)
  await settle(() => page.querySelector<HTMLElement>('tbody .row')?.click())
  expect(page.querySelector('.side-panel h2')?.textContent).toBe('aten::mm')
  expect(page.querySelector('.side-panel')?.textContent).toContain('3,000,000 ns')
})

test('kernels without launch figures hide those columns instead of a thousand times “not recorded”', async () => {
  const kernels: Kernels = {
    group_by: 'name',
    kind: 'kernel',
    no_effect: null,
    count: 1,
    total_ns: 5,
    busy_ns: 5,
    rows: [
      rowOf<KernelRow>(KERNEL_ROW, {
        name: 'k',
        kind: 'kernel',
        category: 'other',
        example: 0,
        names: 1,
        count: 1,
        total_ns: 5,
        mean_ns: 5,
        min_ns: 5,
        max_ns: 5,
        share: 1,
        matrix_core: 'unknown',
        matrix_ns: 0,
        matrix_unknown_ns: 5,
      }),
    ],
    matrix_ns: 0,
    matrix_unknown_ns: 5,
    categories: [{ category: 'other', count: 1, total_ns: 5 }],
    has_launches: false,
    has_shapes: false,
    groupings: [],
    peak: null,
  }
  serve(answer('kernels', kernels))
  await show(<KernelsView profile={PROFILE} />)
  expect(text('th .head-sort').join()).not.toContain('Occupancy')
})
