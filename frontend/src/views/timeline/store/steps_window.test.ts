import { expect, test } from 'vitest'

import { stepsWindow } from './steps_window'

const STEPS = [
  { name: 'ProfilerStep#3', number: 3, start_ns: 0, end_ns: 40, complete: true },
  { name: 'ProfilerStep#4', number: 4, start_ns: 40, end_ns: 100, complete: true },
]

test('chosen steps are a stretch of time', () => {
  expect(stepsWindow(STEPS, '4')).toEqual([40, 100])
  expect(stepsWindow(STEPS, '3-4')).toEqual([0, 100])
  expect(stepsWindow(STEPS, '9')).toBeUndefined()
  expect(stepsWindow(STEPS, undefined)).toBeUndefined()
})
