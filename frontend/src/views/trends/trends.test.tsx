/** Trends over a made-up server: what is drawn, where the keys lead, and what a click with Shift compares. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { onMadeUpServer, pass } from '../../../test/made_up_server'
import { at, go } from '../../state/place'
import { short } from '../../widgets/table/column'
import type { JointReply, LevelChange, TrendLine, TrendPoint, Trends } from '../../wire/wire'
import { TrendsView, normalCommand } from '.'
import { MOST_COLORS, colorOf } from './chart'
import { CHARTS } from './charts'
import { COLUMNS } from './columns'
import { comparing, comparingLevels, hand, moved } from './hand'
import { belowOf, marksOf, nearest, plotOf } from './plot'

const STEP_TIME = CHARTS[0] as (typeof CHARTS)[0]
const BOX = { width: 400, height: 150 }

function point(place: number, ms: number | null, more: Partial<TrendPoint> = {}): TrendPoint {
  const step = ms === null ? null : ms * 1e6
  return {
    ...{ run: 'a', worker: 'w', span: String(place), label: 'rank 0', recorded_ns: 1.7e18 + place * 1e12 },
    ...({ state: 'ready', quality: ms === null ? 'trouble' : 'complete', note: null, changed: null } as const),
    ...{ last_step: place * 100, n_steps: 6, step_ns: step, before_share: null, p5_ns: step, p95_ns: step },
    ...{ busy_share: 0.5, waiting_for_host_ns: 0, exposed_communication_ns: null, data_loader_ns: null },
    ...{ peak_bytes: null, reserved_bytes: null, kernels: null, launches: null, mfu: null },
    ...more,
  }
}

const SLOWER: LevelChange = {
  ...({ kind: 'change', figure: 'step_time', at: 3, before: 10e6, after: 12e6, share: 0.2, why: null } as const),
}
const RESET: LevelChange = {
  ...({
    kind: 'reset',
    figure: null,
    at: 2,
    before: null,
    after: null,
    share: null,
    why: 'torch 2.8 → <b>2.9</b>',
  } as const),
}

function line(points: readonly TrendPoint[], changes: readonly LevelChange[] = [], name = 'a'): TrendLine {
  return { name, points, changes, gate: null }
}

test('a line goes through its points, but not through trouble and not over a reset', () => {
  const points = [point(0, 10), point(1, 10), point(2, 10), point(3, null), point(4, 12), point(5, 12)]
  const plot = plotOf([line(points, [RESET])], STEP_TIME, 'order', BOX)
  expect(plot.paths[0]?.match(/M/g)).toHaveLength(3)
  expect(plot.dots.map(({ quality }) => quality)).toEqual([
    ...['complete', 'complete', 'complete', 'trouble', 'complete', 'complete'],
  ])
  const [first, , , trouble, later] = plot.dots
  expect(later?.y).toBeLessThan(first?.y ?? 0)
  expect(trouble?.y).toBeGreaterThan(first?.y ?? 0)
  expect(plot.ticks.map(({ x }) => x)).toEqual([plot.dots[2]?.x])
})

test('points stand in order, in time or at their step', () => {
  const points = [point(0, 10), point(1, 11), point(9, 12)]
  const xs = (along: 'order' | 'time' | 'step'): readonly number[] =>
    plotOf([line(points)], STEP_TIME, along, BOX).dots.map(({ x }) => x)
  const [a = 0, b = 0, c = 0] = xs('order')
  expect(c - b).toBeCloseTo(b - a)
  for (const along of ['time', 'step'] as const) {
    const [d = 0, e = 0, f = 0] = xs(along)
    expect(f - e).toBeCloseTo(8 * (e - d))
  }
})

test('in order, runs of one profile each do not lie upon one another', () => {
  const lines = [2, 0, 1].map((place) => line([point(place, 10)], [], String(place)))
  const xs = plotOf(lines, STEP_TIME, 'order', BOX).dots.map(({ x }) => x)
  expect([...xs].sort((a, b) => a - b)).toEqual([xs[1], xs[2], xs[0]])
  expect(new Set(xs).size).toBe(3)
})

test('marks below are round, within the chart, and times are short', () => {
  expect(belowOf([1, 2, 9, 10], 'order').map(({ text }) => text)).toEqual(['5', '10'])
  expect(belowOf([12_000, 15_500], 'step').map(({ text }) => text)).toEqual(['12,000', '13,000', '14,000', '15,000'])
  expect(belowOf([7], 'order')).toEqual([{ at: 7, text: '7' }])
  expect(belowOf([1.7e9, 1.7e9 + 60], 'time').map(({ text }) => text.length)).toEqual([5, 5, 5])
  expect(belowOf([1.7e9, 1.8e9], 'time').map(({ text }) => text.length)).toEqual([10, 10, 10])
  expect(belowOf([], 'time')).toEqual([])
})

test('no two lines share a colour: those beyond the colours are grey', () => {
  const colors = Array.from({ length: MOST_COLORS }, (_, place) => colorOf(place))
  expect(new Set(colors).size).toBe(MOST_COLORS)
  expect(colorOf(MOST_COLORS)).toBe('var(--text-soft)')
})

test('marks are round and hold every value; one point alone has a scale too', () => {
  for (const values of [[10.3e6, 12.9e6], [0.5], [0], [-3, 7], [1e-4, 3e-4]]) {
    const marks = marksOf(values)
    expect(marks.length).toBeGreaterThan(1)
    expect(marks.length).toBeLessThan(7)
    expect(marks[0]).toBeLessThanOrEqual(Math.min(...values))
    expect(marks.at(-1)).toBeGreaterThanOrEqual(Math.max(...values) - 1e-9)
  }
  expect(marksOf([])).toEqual([])
})

test('a chart of shares ends at the whole', () => {
  const points = [0.47, 0.995].map((busy_share, place) => ({ ...point(place, 10), busy_share }))
  const busy = CHARTS.find(({ id }) => id === 'busy')
  expect(busy && plotOf([line(points)], busy, 'order', BOX).marks.at(-1)?.value).toBe(1)
})

test('a change has its sign', () => {
  const before = COLUMNS.find(({ id }) => id === 'before_share')
  const said = [0.979, -0.05, 0].map((before_share) => before && short(before, before_share))
  expect(said).toEqual(['+97.9 %', '−5.00 %', '0 %'])
})

test('marks of values that are nearly the same can be told apart, and MiB are round', () => {
  const busy = marksOf([0.5579, 0.5581]).map((share) => `${(100 * share).toFixed(1)} %`)
  expect(new Set(busy).size).toBe(busy.length)
  expect(marksOf([5.4 * 2 ** 20], 1024).map((bytes) => bytes / 2 ** 20)).toEqual([4.5, 5, 5.5, 6, 6.5])
})

test('the nearest point is the one under the pointer', () => {
  const { dots } = plotOf([line([point(0, 10), point(1, 11), point(2, 12)])], STEP_TIME, 'order', BOX)
  const middle = dots[1]
  expect(nearest(dots, (middle?.x ?? 0) + 3, (middle?.y ?? 0) - 2)).toBe(middle)
  expect(nearest([], 0, 0)).toBeUndefined()
})

test('keys move along a line and between lines, and stop at the ends', () => {
  const lines = [line([point(0, 10), point(1, 11)]), line([point(2, 12)], [], 'b')]
  expect(moved(lines, { line: 0, at: 1 }, 'ArrowRight')).toEqual({ line: 0, at: 1 })
  expect(moved(lines, { line: 0, at: 1 }, 'ArrowLeft')).toEqual({ line: 0, at: 0 })
  expect(moved(lines, { line: 0, at: 1 }, 'ArrowDown')).toEqual({ line: 1, at: 0 })
  expect(moved(lines, { line: 0, at: 1 }, 'Home')).toEqual({ line: 0, at: 0 })
  expect(moved(lines, { line: 0, at: 0 }, 'KeyX')).toBeUndefined()
  expect(comparing(lines, { line: 0, at: 0 })).toBeUndefined()
  expect(comparing(lines, { line: 0, at: 1 })?.['compare.items']).toBe('a\tw\t0\na\tw\t1')
})

onMadeUpServer()

beforeEach(() => {
  const points = [0, 1, 2, 3, 4].map((place) => point(place, place < 3 ? 10 : 12))
  answerWith({ line: 'run', lines: [line(points, [RESET, SLOWER])], baseline: [], is_gated: false, is_cut: false })
})

function answerWith(result: Trends): void {
  const reply: JointReply<Trends> = { n_members: 5, n_pending: 0, n_failed: 0, result }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(reply))))
}

afterEach(() => {
  hand.value = undefined
})

async function show(): Promise<HTMLElement> {
  await act(() => render(<TrendsView />, document.body))
  await pass()
  return document.querySelector('.trends-charts') as HTMLElement
}

test('only figures that somebody has are drawn, changes with their words, and text of a profile stays text', async () => {
  const charts = await show()
  expect([...charts.querySelectorAll('h3')].map((title) => title.firstChild?.textContent)).toEqual([
    'Step time',
    'Busy',
  ])
  const words = [...charts.querySelectorAll('.change text')].map(({ textContent }) => textContent)
  expect(words).toEqual(['▲ +20.0 %'])
  expect(charts.querySelector('.change.is-reset title')?.textContent).toBe('torch 2.8 → <b>2.9</b>')
  expect(document.querySelector('b')).toBeNull()
})

test('Enter opens the point, with Shift it is compared with the one before', async () => {
  const charts = await show()
  const press = (key: KeyboardEventInit): Promise<void> =>
    act(() => void charts.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true })))
  await press({ code: 'ArrowLeft' })
  expect(document.querySelector('.trends-said')?.textContent).toContain('rank 0')
  await press({ code: 'Enter', shiftKey: true })
  expect([at('view'), at('compare.items')]).toEqual(['compare', 'a\tw\t2\na\tw\t3'])
  await press({ code: 'Enter' })
  expect([at('view'), at('span')]).toEqual(['overview', '3'])
})

test('Shift and a click compare, a click opens', async () => {
  const charts = await show()
  const picture = charts.querySelector('svg') as SVGElement
  await act(
    () =>
      void picture.dispatchEvent(new MouseEvent('click', { clientX: 9999, clientY: 0, shiftKey: true, bubbles: true })),
  )
  expect(at('compare.items')).toBe('a\tw\t3\na\tw\t4')
  await act(() => void picture.dispatchEvent(new MouseEvent('click', { clientX: 0, clientY: 0, bubbles: true })))
  expect([at('view'), at('span')]).toEqual(['overview', '0'])
})

test('the run that is open stands before the others', async () => {
  const others = [line([point(0, 10), point(1, 11)]), line([point(2, 12, { run: 'b' })], [], 'b')]
  answerWith({ line: 'run', lines: others, baseline: [], is_gated: false, is_cut: false })
  go({ run: 'b' })
  const charts = await show()
  expect([...document.querySelectorAll('.trends-legend button')].map(({ textContent }) => textContent)).toEqual([
    'b',
    'a',
  ])
  const drawn = [...charts.querySelectorAll('.trends-chart:first-child path.line')]
  expect(drawn.map((path) => path.classList.contains('is-back'))).toEqual([false, true])
})

test('what is typed is asked a moment later; no pattern yet is said, and what was drawn stays', async () => {
  await show()
  const box = document.querySelector('input[type=search]') as HTMLInputElement
  const fails = { error: { kind: 'UsageError', message: 'not a regular expression: missing )' } }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(fails), { status: 400 })))
  box.value = 'a('
  await act(() => void box.dispatchEvent(new Event('input', { bubbles: true })))
  expect(at('trends.only')).toBeUndefined()
  await pass(300)
  expect(at('trends.only')).toBe('a(')
  await pass()
  expect(document.querySelector('.trends-problem')?.textContent).toContain('missing )')
  expect(document.querySelectorAll('circle.dot').length).toBeGreaterThan(0)
})

test('a kept baseline is a line at its median, within the marks', () => {
  const plot = plotOf([line([point(0, 10)])], STEP_TIME, 'order', BOX, [point(1, 20), point(2, 30), point(3, 90)])
  expect(plot.baseline?.value).toBe(30e6)
  expect(plot.marks.at(-1)?.value).toBeGreaterThanOrEqual(90e6)
  expect(plotOf([line([point(0, 10)])], STEP_TIME, 'order', BOX).baseline).toBeUndefined()
})

test('the command that marks a new normal holds names as they are', () => {
  expect(normalCommand({ run: "o'b $(x)", span: '17' }, 'logs')).toBe(
    "tb-plugin normal 'logs' --run 'o'\\''b $(x)' --span '17' --reason '…'",
  )
})

test('both sides of a change are compared as recordings, without trouble and not beyond the changes beside it', () => {
  const points = [point(0, 10), point(1, 10), point(2, null), point(3, 12), point(4, 12), point(5, 20)]
  const later: LevelChange = { ...SLOWER, at: 5 }
  const lines = [line(points, [SLOWER, later])]
  expect(comparingLevels(lines, { line: 0, at: 4 })?.['compare.items']).toBe(
    ['a\tw\t0', '\ta\tw\t1', 'a\tw\t3', '\ta\tw\t4'].join('\n'),
  )
  expect(comparingLevels(lines, { line: 0, at: 5 })?.['compare.items']).toBe(
    ['a\tw\t3', '\ta\tw\t4', 'a\tw\t5'].join('\n'),
  )
  expect(comparingLevels(lines, { line: 0, at: 2 })).toBeUndefined()
})
