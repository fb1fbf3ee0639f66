import { expect, test } from 'vitest'

import { Viewport } from '../../../draw/time/viewport'
import { go, place } from '../../../state/place'
import type { StepMark } from '../../../wire/wire'
import type { TimelineStore } from '../store/store'
import { shiftBetween } from '../store/job_clock'
import { NOT_BESIDE } from '../store/link'
import { areRanks, clockWords, inAnother, layOf, openBeside, profiles } from './beside'

test('another file is laid at the step that it is beside, and at its beginning where that is none', () => {
  expect(['5', 'begin', undefined, '@12345', 'clock'].map((upper) => inAnother(upper))).toEqual([
    '5',
    'begin',
    'begin',
    'begin',
    'begin',
  ])
})

const PROFILE = { run: 'a', worker: 'w', span: '2' }
type Others = Parameters<typeof openBeside>[1]

/** The steps that lie above each other, and the window in the link. */
function opened(
  numbers: readonly number[],
  t0: number,
  t1: number,
  others: Others = [],
  lastLonger = 0,
): readonly (string | undefined)[] {
  go({ ...NOT_BESIDE, 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined })
  const steps = numbers.map((number, i) => {
    const [start_ns, end_ns] = [100 * i + 50, 100 * i + 150 + (i === numbers.length - 1 ? lastLonger : 0)]
    return { number, start_ns, end_ns, timed_start_ns: start_ns, timed_end_ns: end_ns }
  })
  const view = new Viewport(0, 1000)
  view.show(t0, t1)
  openBeside({ profile: PROFILE, tracks: { steps, start_ns: 0 }, window: { view } } as unknown as TimelineStore, others)
  return ['beside.upper', 'beside.lower', 'timeline.t0_ns', 'timeline.t1_ns'].map((key) => place.value[key])
}

test('it opens on the first two steps, and where one has zoomed in on the step in sight and its neighbour', () => {
  expect(opened([5, 6, 7], 0, 1000)).toEqual(['5', '6', '50', '150'])
  expect(opened([5, 6], 0, 1000, [], 70)).toEqual(['5', '6', '50', '220'])
  expect(opened([5, 6, 7], 160, 200)).toEqual(['6', '7', undefined, undefined])
  expect(opened([5, 6], 50, 150, [], 70)).toEqual(['5', '6', '50', '220']) // of a step that a chip shows
  expect(opened([5, 6, 7], 40, 320)).toEqual(['6', '7', '40', '320'])
  expect(opened([5, 6, 7], 270, 290)).toEqual(['7', '6', undefined, undefined])
  expect(opened([5, 6, 7], 800, 900)).toEqual(['7', '6', undefined, undefined])
  expect(opened([5], 0, 1000)).toEqual(['5', '5', '50', '150'])
  expect(opened([], 0, 1000)).toEqual(['begin', 'begin', undefined, undefined])
})

test('a profile without another step opens beside its next recording, else another of its run, and never beside itself', () => {
  const of = (worker: string, span: string, run = 'a') => ({ run, worker, span })
  const below = (...others: NonNullable<Others>) => {
    const [upper, lower] = opened([], 0, 1000, [of('w', '2'), of('x', '1', 'b'), ...others])
    expect([upper, lower]).toEqual(['begin', 'begin'])
    return place.value['beside.profile']
  }
  expect(below(of('w', '3'), of('v', '1'))).toBe('a\tw\t3')
  expect(below({ ...of('w', '3'), isOdd: true }, of('v', '1'))).toBe('a\tv\t1')
  expect(below()).toBeUndefined()
  expect(opened([5], 0, 1000, [of('w', '1'), of('w', '2')]).slice(0, 2)).toEqual(['5', '5'])
  expect(place.value['beside.profile']).toBe('a\tw\t1')
  opened([5, 6], 0, 1000, [of('w', '1'), of('w', '2')])
  expect(place.value['beside.profile']).toBeUndefined()
})

test('two ranks lie on the clock of their job where that is known, and where it is not that is said', () => {
  const upper = { clock: 'w0 1', at_ns: 0, ahead_ns: 100, drift: 0, error_ns: 0 }
  const lower = { clock: 'w0 1', at_ns: 1_000_000, ahead_ns: -400, drift: 1e-4, error_ns: 1_050 }
  expect([500, 1_000_500, 2_000_500].map((time) => shiftBetween(time, upper, lower))).toEqual([-600, -500, -400])
  expect(shiftBetween(-500, lower, lower)).toBe(0)
  expect(clockWords(true, upper, lower)).toBe("on the job's clock, ±1.05 µs")
  expect(shiftBetween(500, upper, { ...lower, clock: 'w4 1' })).toBeUndefined()
  expect(shiftBetween(500, upper, null)).toBeUndefined()
  expect(clockWords(false, upper, null)).toBe('clocks not known')
  expect(clockWords(false, upper, undefined)).toBe('the clocks of all ranks are being read')
})

test('on the clock of a job lies what can, else the same step in both: the one chosen, or the first that both have', () => {
  const of = (...numbers: readonly number[]) => ({ steps: numbers.map((number) => ({ number }) as StepMark) })
  const laid = (upper: string | undefined, isTied = false, below = of(6, 7)) => {
    go({ 'beside.upper': upper, 'beside.lower': 'clock' })
    return layOf(isTied, of(5, 6, 7), below)
  }
  expect(laid('7', true)).toEqual(['clock', 'clock'])
  expect(laid('7')).toEqual(['7', '7'])
  expect(laid('clock')).toEqual(['6', '6'])
  expect(laid('clock', false, of(9))).toEqual(['begin', 'begin'])
  expect(laid('@12345')).toEqual(['@12345', 'begin'])
  expect(laid(undefined)).toEqual(['begin', 'begin'])
  go({ 'beside.upper': '5', 'beside.lower': '7' })
  expect(layOf(false, of(5), of(7))).toEqual(['5', '7'])
  go(NOT_BESIDE)
})

test('profiles of one folder are ranks of a job where they say of which rank they are', () => {
  const ranks = { w0: 0, w1: 1, again: 0, unread: null, alone: null }
  const workers = Object.entries(ranks).map(([name, rank]) => ({ name, rank }))
  const of = (worker: string) => ({ run: 'job', worker, span: '1' })
  const besideFirst = ['w0', 'w1', 'again', 'unread'].map((worker) => areRanks(of('w0'), of(worker), workers))
  expect(besideFirst).toEqual([false, true, false, true])
  expect(areRanks(of('alone'), of('w0'), workers)).toBe(false) // it has been read, and said nothing
  expect(areRanks(of('w0'), { ...of('w1'), run: 'other' }, workers)).toBe(false)
})

test('what lies beside is chosen from this profile, the other ranks of its job, then other runs', () => {
  const of = (run: string, worker: string, span = '1') => ({ run, worker, span })
  const listed = [of('a', 'w0'), of('job', 'w0'), of('job', 'w1'), of('z', 'w0'), of('z', 'w0', '2')]
  const names = profiles(of('job', 'w1'), of('job', 'w1'), listed).map(({ label }) => label)
  expect(names).toEqual(['this profile', 'w0', 'w0 · a', 'w0 · z · 1', 'w0 · z · 2'])
  const again = [of('job', 'w1'), { ...of('job', 'w1', '1795'), label: '2 of 2 · 18:19:59' }]
  expect(profiles(of('job', 'w1'), of('job', 'w1', '1795'), again).map(({ label }) => label)).toEqual([
    'this profile',
    'w1 · 2 of 2 · 18:19:59',
  ])
})
