import { expect, test } from 'vitest'

import { besideWindow, linkedWindow, stepAlone, stepOf, stepsWindow } from './steps_window'

function step(number: number, start_ns: number, end_ns: number, timed_start_ns = start_ns, timed_end_ns = end_ns) {
  return { name: `ProfilerStep#${number}`, number, start_ns, end_ns, timed_start_ns, timed_end_ns, complete: true }
}

const STEPS = [step(3, 0, 40), step(4, 40, 100)]

test('a step lasts until its device work is done, also where the device is behind', () => {
  const behind = [step(5, 0, 40, 20, 60), step(6, 40, 80, 120, 160)]
  expect(stepsWindow(behind, '5')).toEqual([0, 60])
  expect(stepsWindow(behind, '6')).toEqual([40, 160])
})

test('chosen steps are a stretch of time', () => {
  expect(stepsWindow(STEPS, '4')).toEqual([40, 100])
  expect(stepsWindow(STEPS, '3-4')).toEqual([0, 100])
  expect(stepsWindow(STEPS, '9')).toBeUndefined()
  expect(stepsWindow(STEPS, undefined)).toBeUndefined()
})

test('of steps above each other the window has all of the longer one, wherever the upper one lies', () => {
  const [short, long] = [step(8, 500, 600, 510, 650), step(9, 600, 800, 660, 850)]
  expect(besideWindow(short, long, 100)).toEqual([500, 750])
  expect(besideWindow(long, short, -100)).toEqual([600, 850])
  expect(besideWindow(undefined, long, 600)).toEqual([0, 250])
  expect(besideWindow(undefined, undefined, 0)).toBeUndefined()
  expect(['9', 'begin', undefined].map((id) => stepOf({ steps: [short, long] }, id))).toEqual([
    long,
    undefined,
    undefined,
  ])
})

test('a link to steps above each other that says no window shows them', () => {
  const tracks = { steps: [step(8, 500, 600), step(9, 600, 800)] }
  expect(linkedWindow(tracks, { 'beside.upper': '8', 'beside.lower': '9' })).toEqual([500, 700])
  expect(linkedWindow(tracks, { 'beside.upper': '8', 'beside.lower': '9', steps: '8' })).toEqual([500, 700])
  expect(linkedWindow(tracks, { 'beside.upper': 'begin', steps: '9' })).toEqual([600, 800])
  expect(linkedWindow(tracks, { 'beside.upper': 'begin', 'beside.lower': '9' })).toBeUndefined()
  const other = { steps: [step(8, 10, 400)] }
  expect(linkedWindow(tracks, { 'beside.upper': '8', 'beside.lower': '8' }, other)).toEqual([500, 890])
})

test('a stretch that is a step with its device work is of that step alone', () => {
  const behind = [step(5, 0, 40, 20, 60), step(6, 40, 80, 60, 160)]
  expect([stepAlone(behind, 0, 60), stepAlone(behind, 40, 160), stepAlone(behind, 40, 80)]).toEqual([
    { steps: '5' },
    { steps: '6' },
    {},
  ])
})
