/** What changed, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../data/kept'
import { runs } from '../../data/runs'
import { at, go } from '../../state/place'
import type {
  ChangeRow,
  Comparison,
  Item,
  JointReply,
  MatrixRow,
  Pair,
  PartChange,
  RunState,
  SpanState,
  WorkerState,
} from '../../wire/wire'
import { CompareView } from '.'
import { flameNodes, onlyIn } from './flame_nodes'
import { formatItems, itemsOf, parseItems, swapped, withItem } from './items'
import { inSight, nextFinding, openAtFirst, parseToggled, revealing } from './rows'
import { areTimelines, bothAtRow, bothOf } from './timelines'
import { fallsOf } from './waterfall'

const REPLY_MS = 20
const ONE = { run: 'a/b', worker: 'w', span: '1' }
const TWO = { run: 'c', worker: 'rank 3', span: '2' }

function row(id: number, parent: number, name: string, delta: number, more: Partial<ChangeRow> = {}): ChangeRow {
  const depth = parent < 0 ? 0 : parent === 0 ? 1 : parent < 3 ? 2 : 3
  const times = { a_ns: 1000, b_ns: 1000 + delta, delta_ns: delta, count_ns: 0, duration_ns: delta, size_ns: null }
  const rest = { p: 0.5, verdict: 'noise', n_rows: 1, a_at: null, b_at: null, matched: 'shapes' } as const
  return { id, parent, depth, kind: 'operator', name, ...times, a_calls: 2, b_calls: 2, ...rest, ...more }
}

const ROWS = [
  row(0, -1, 'step', 30, { kind: 'step', matched: 'sum' }),
  row(1, 0, 'busy', 30, { kind: 'busy', matched: 'sum' }),
  row(2, 1, 'Net_0', 30, { kind: 'module' }),
  row(3, 2, 'linear', 20, { verdict: 'finding', a_at: { recording: 0, start_ns: 5000, lasted_ns: 100 } }),
  row(4, 3, '<b>gemm</b>', 20, { kind: 'kernel' }),
  row(5, 2, 'relu', 10),
  row(6, 0, 'idle', 0, { kind: 'idle', matched: 'sum', a_calls: null, b_calls: null }),
]

function part(name: string, a: number, b: number, more: Partial<PartChange> = {}): PartChange {
  const tested = { shift_ns: b - a, low_ns: b - a, high_ns: b - a, p: 0.01, p_holm: 0.02, verdict: 'noise' } as const
  return { part: name, a_ns: a, b_ns: b, delta_ns: b - a, ...tested, ...more }
}

function item(label: string): Item {
  const step = { number: 3, start_ns: 1000, lasted_ns: 2000, recording: 0, outlier: false }
  const member = { ...(label === 'A' ? ONE : TWO), label: 'w', state: 'ready', reason: null } as const
  const counts = { n_recordings: 1, n_steps: 1, steps: [step], median_ns: 2000, mean_ns: 2000 }
  return { label, members: [member], ...counts, device: null }
}

const PAIR: Pair = {
  b: item('B'),
  headline: "B's step takes 2030 ns.",
  ranks: null,
  doubts: ['A has one step only: a difference, not evidence.'],
  differences: [{ what: 'device', a: 'H100', b: '<i>MI300X</i>', spoils: 'nothing' }],
  alike: [],
  step: {
    ...{ a_median_ns: 2000, b_median_ns: 2030, a_mean_ns: 2000, b_mean_ns: 2030, delta_ns: 30, shift_ns: 30 },
    ...{ low_ns: 30, high_ns: 30, confidence: 0.9, p: 0.01, verdict: 'finding' },
  },
  parts: [part('kernel', 1000, 1060, { verdict: 'finding' }), part('idle', 1000, 970), part('copy', 0, 0)],
  others: [],
  rows: ROWS,
  n_matched: 2,
  n_added: 0,
  n_removed: 0,
}

async function show(result: Comparison): Promise<string> {
  const reply: JointReply<Comparison> = { n_members: 2, n_pending: 0, n_failed: 0, result }
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response(JSON.stringify(reply), { status: 200 }))),
  )
  await act(() => {
    go({ view: 'compare', 'compare.items': formatItems([ONE, TWO]) })
    render(<CompareView />, document.body)
  })
  await act(() => new Promise((resolve) => setTimeout(resolve, REPLY_MS)))
  return document.body.textContent
}

async function press(code: string, target: Element | null = document.body): Promise<void> {
  await act(() => {
    target?.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true, cancelable: true }))
  })
}

const COMPARED: Comparison = { by: 'module', noise: 0.01, a: item('A'), pairs: [PAIR], matrix: null, lacking: [] }

beforeEach(() => forgetReplies())
afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
  go({ view: undefined, 'compare.items': undefined, 'compare.toggled': undefined, 'compare.by': undefined })
})

test('items survive the link, and what is none is left out', () => {
  expect(parseItems(formatItems([ONE, TWO]))).toEqual([ONE, TWO])
  expect(parseItems('a\tb\n\nx\ty\tz\t9\tw')).toEqual([])
  expect(parseItems(formatItems([{ ...ONE, also: [TWO] }, TWO]))).toEqual([{ ...ONE, also: [TWO] }, TWO])
  expect(swapped([ONE, TWO])).toEqual([TWO, ONE])
  expect(withItem([ONE, TWO], 1, undefined)).toEqual([ONE])
  expect(formatItems([])).toBeUndefined()
})

test('without items A is the profile that the link is about', () => {
  const span = (name: string): SpanState => ({ name, files: [] }) as unknown as SpanState
  const worker = { name: 'w', opens: '2', spans: [span('1'), span('2')] } as unknown as WorkerState
  const all = [{ name: 'a/b', opens: 'w', workers: [worker] } as unknown as RunState]
  expect(itemsOf(undefined, { run: 'a/b' }, all)).toEqual([{ run: 'a/b', worker: 'w', span: '2' }])
  expect(itemsOf(undefined, { run: 'a/b', worker: 'w', span: '1' }, all)).toEqual([ONE])
  expect(itemsOf(undefined, { run: 'gone' }, all)).toEqual([])
  expect(itemsOf(undefined, {}, all)).toEqual([])
  expect(itemsOf(formatItems([TWO]), { run: 'a/b' }, all)).toEqual([TWO])
})

test('rows with one row below them are open down to the first choice', () => {
  expect(Array.from(openAtFirst(ROWS))).toEqual([0, 1, 2])
  expect(inSight(ROWS, new Set()).map((one) => one.name)).toEqual(['step', 'busy', 'Net_0', 'linear', 'relu', 'idle'])
  expect(inSight(ROWS, new Set([1])).map((one) => one.name)).toEqual(['step', 'busy', 'idle'])
  expect(inSight(ROWS, revealing(ROWS, new Set([1]), 4)).map((one) => one.id)).toContain(4)
  expect(parseToggled('3,x,5')).toEqual(new Set([3, 5]))
})

test('findings are walked in both directions', () => {
  expect(nextFinding(ROWS, -1, 1)?.id).toBe(3)
  expect(nextFinding(ROWS, 3, 1)).toBeUndefined()
  expect(nextFinding(ROWS, 5, -1)?.id).toBe(3)
})

test('the waterfall leads from A to B and leaves out what nobody has', () => {
  const falls = fallsOf(PAIR)
  expect(falls.map(({ part: of, from, to }) => [of.part, from, to])).toEqual([
    ['kernel', 2000, 2060],
    ['idle', 2060, 2030],
  ])
})

test('what must be known first stands before the figures, and no text of a profile is markup', async () => {
  const said = await show(COMPARED)
  expect(said.indexOf('not evidence')).toBeLessThan(said.indexOf('linear'))
  expect(said).toContain('device H100 → <i>MI300X</i>')
  expect(document.querySelector('i, b')).toBeNull()
  expect(said).toContain('B 2.03 µs = A 2.00 µs + 30 ns')
  expect(document.querySelectorAll('.is-bad')).toHaveLength(2) // the finding of the waterfall, and of the tree
})

test('some steps of a profile are called as its filter calls them, behind what the profile is called', async () => {
  const run = { name: ONE.run, workers: [{ name: ONE.worker, spans: [{ name: ONE.span, files: [] }] }] }
  vi.spyOn(runs, 'value', 'get').mockReturnValue({ reply: { runs: [run] } } as unknown as typeof runs.value)
  await show(COMPARED)
  await act(() =>
    go({
      'compare.items': formatItems([
        { ...ONE, steps: '5' },
        { ...ONE, steps: '7-8,9' },
      ]),
    }),
  )
  const labels = [...document.querySelectorAll('.compare-choose .picker-label')].map(({ textContent }) => textContent)
  expect(labels.slice(0, 2)).toEqual([`${ONE.run} · step 5`, `${ONE.run} · steps 7–8, 9`])
  vi.restoreAllMocks()
})

test('two runs of several ranks lead to where Ranks has both jobs beside each other', async () => {
  const workers = (name: string, spans: readonly string[]) =>
    [name, 'other'].map((each) => ({ name: each, opens: '1', spans: spans.map((span) => ({ name: span, files: [] })) }))
  const both = [
    { name: ONE.run, workers: workers(ONE.worker, ['1']) },
    { name: TWO.run, workers: workers(TWO.worker, ['1', '2']) },
  ]
  vi.spyOn(runs, 'value', 'get').mockReturnValue({ reply: { runs: both } } as unknown as typeof runs.value)
  await show(COMPARED)
  const link = [...document.querySelectorAll('a')].find(({ textContent: text }) =>
    text.startsWith('Ranks has both jobs'),
  )
  await act(() => link?.click())
  expect([at('view'), at('run'), at('ranks.show'), at('ranks.beside')]).toEqual(['ranks', 'a/b', 'beside', 'c\t2'])
  vi.restoreAllMocks()
  go({ run: undefined, worker: undefined, span: undefined, 'ranks.show': undefined, 'ranks.beside': undefined })
})

test('a row opens by click and by keys, and leads to its longest event', async () => {
  await show(COMPARED)
  await act(() => document.querySelector<HTMLElement>('[aria-label="Open linear"]')?.click())
  expect(at('compare.toggled')).toBe('3')
  expect(document.body.textContent).toContain('<b>gemm</b>')
  await press('ArrowLeft', document.querySelector('#compare-row-3'))
  expect(at('compare.toggled')).toBeUndefined()
  const link = document.querySelector<HTMLAnchorElement>('#compare-row-3 a')
  await act(() => link?.click())
  expect([at('view'), at('run'), at('timeline.t0_ns')]).toEqual(['timeline', 'a/b', '4000'])
})

test('X swaps, ] goes to the next finding', async () => {
  await show(COMPARED)
  await press('BracketRight')
  await act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))))
  expect(document.activeElement?.id).toBe('compare-row-3')
  await press('KeyX')
  expect(parseItems(at('compare.items'))).toEqual([TWO, ONE])
})

test('a profile that cannot be read is named with its reason', async () => {
  const broken = { ...TWO, label: '', state: 'failed', reason: 'the file is cut' } as const
  expect(await show({ ...COMPARED, pairs: [], lacking: [broken] })).toMatch(/c · .*: the file is cut/)
})

test('blocks are as wide as the longer side, and parents as wide as what is below them', () => {
  const rows = [
    row(0, -1, 'step', 0),
    row(1, 0, 'busy', 10, { a_ns: 90, b_ns: 100 }),
    row(2, 1, 'gone', -60, { a_ns: 60, b_ns: 0 }),
    row(3, 1, 'new', 70, { a_ns: 0, b_ns: 70 }),
    row(4, 1, 'same', 0, { a_ns: 30, b_ns: 30 }),
    row(5, 0, 'idle', -10, { a_ns: 20, b_ns: 10 }),
  ]
  const nodes = flameNodes(rows)
  expect([0, 1, 2, 3, 4].map((id) => nodes.total(id))).toEqual([160, 60, 70, 30, 20])
  expect(nodes.total(-1)).toBe(180)
  expect(nodes.own(0)).toBe(0)
  expect(nodes.around(2)).toEqual([0])
  expect(rows.slice(1).map(onlyIn)).toEqual([undefined, 'a', 'b', undefined, undefined])
})

test('the flame graph says its differences in words and signs, and a click looks closer', async () => {
  await show(COMPARED)
  const blocks = [...document.querySelectorAll('.compare-flame .block')]
  const titles = blocks.map((block) => block.querySelector('title')?.textContent)
  expect(titles).toContain('linear\n1.00 µs → 1.02 µs\n+20 ns, a finding: it can be told from noise')
  await act(() => void blocks.at(-1)?.dispatchEvent(new MouseEvent('click', { bubbles: true })))
  expect(at('compare.zoom')).toBeDefined()
  go({ 'compare.zoom': undefined })
})

test('of more than two all stand side by side, what varies most first, and a head opens its pair', async () => {
  const of = (name: string, values: readonly number[], spread: number): MatrixRow => ({
    ...{ kind: 'operator', name, values_ns: [...values], spread_ns: spread, n_rows: 1 },
    verdicts: ['finding', 'noise'],
  })
  const many = Array.from({ length: 12 }, (_, i) => of(`<i>op ${i}</i>`, [1000, 1500, 900 - i], 600 + i))
  const matrix = { rows: many, geomeans: [1, 1.5, 0.9], n_geomean: 12 }
  const said = await show({ ...COMPARED, pairs: [PAIR, { ...PAIR, b: item('C') }], matrix })
  expect(said).toContain('<i>op 0</i>')
  expect(said).toContain('× 1.50')
  expect(document.querySelectorAll('.compare-matrix th.mono').length).toBe(10)
  const button = (name: string): HTMLButtonElement | undefined =>
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name)
  await act(() => button('All 12 rows')?.click())
  expect(document.querySelectorAll('.compare-matrix th.mono').length).toBe(12)
  await act(() => button('C')?.click())
  expect(at('compare.pair')).toBe('1')
  go({ 'compare.matrix': undefined, 'compare.pair': undefined })
})

test('both timelines begin with the same step, and with the two events of a row', () => {
  const b = item('B')
  const numbered = (number: number): Item => ({ ...b, steps: b.steps.map((step) => ({ ...step, number })) })
  const later = { ...b, steps: [...numbered(2).steps, ...b.steps] }
  const both = bothOf(item('A'), later)
  expect(both).toMatchObject({ view: 'compare', run: 'a/b', 'beside.upper': '3', 'beside.lower': '3' })
  expect(both?.['beside.profile']).toBe('c\trank 3\t2')
  expect(bothOf(item('A'), numbered(9))?.['beside.lower']).toBe('9')
  expect(bothOf(item('A'), { ...b, members: [] })).toBeUndefined()
  expect(bothOf(item('A'), item('A'))?.['beside.profile']).toBeUndefined()
  const row = bothAtRow(
    { profile: ONE, start_ns: 5000, lasted_ns: 100 },
    { profile: TWO, start_ns: 70, lasted_ns: 900 },
  )
  expect([row['beside.upper'], row['beside.lower']]).toEqual(['@5000', '@70'])
  expect(Number(row['timeline.t1_ns'])).toBeGreaterThanOrEqual(5000 + 900)
  go(row)
  expect(areTimelines()).toBe(true)
  go({ 'beside.lower': undefined, 'beside.upper': undefined, 'beside.profile': undefined })
  expect(areTimelines()).toBe(false)
})
