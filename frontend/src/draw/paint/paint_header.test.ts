import { expect, test } from 'vitest'

import { stepWords } from './paint_header'

const STEP = { name: 'ProfilerStep#170', complete: true }

test('the number of a step is whole or not there: no two steps read the same', () => {
  expect([16, 15, 4, 3, 2, 0].map((n) => stepWords(STEP, n))).toEqual([
    'ProfilerStep#170',
    '#170',
    '#170',
    '170',
    '',
    '',
  ])
  const cut = { name: 'ProfilerStep#7', complete: false }
  expect([20, 19, 2, 1].map((n) => stepWords(cut, n))).toEqual(['ProfilerStep#7 (cut)', '#7', '#7', '7'])
  expect([9, 6, 2].map((n) => stepWords({ name: 'epoch one', complete: true }, n))).toEqual(['epoch one', 'epo…ne', ''])
})
