import { expect, test } from 'vitest'

import { filterText, filtersOf, insideName, listOf, numbersIn, toggled } from './filters'

test.each([
  ['3-5,8', [3, 4, 5, 8]],
  [' 7 , 20', [7, 20]],
  ['x,4-2', []],
  [undefined, []],
])('the numbers of %s', (text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers)
})

test('a list is written short', () => {
  expect(listOf([8, 4, 3, 5, 4])).toBe('3-5,8')
  expect(listOf([])).toBeUndefined()
})

test('choosing again takes out', () => {
  expect(toggled('3-5', 4)).toBe('3,5')
  expect(toggled('3,5', 4)).toBe('3-5')
  expect(toggled('3', 3)).toBeUndefined()
})

test.each([
  ['steps', '3-5,8', 'steps 3–5, 8'],
  ['devices', '0', 'device 0'],
  ['inside', insideName('aten::conv2d (x)'), 'inside aten::conv2d (x)'],
  ['inside', 'conv|linear', 'inside /conv|linear/'],
] as const)('%s %s in words', (id, value, words) => {
  expect(filterText(id, value)).toBe(words)
})

test('an exact name as a pattern finds that name alone', () => {
  const pattern = new RegExp(insideName('a.b*[0]'))
  expect(pattern.test('a.b*[0]')).toBe(true)
  expect(pattern.test('axb*[0]')).toBe(false)
})

test('only filters are filters', () => {
  expect(filtersOf({ view: 'kernels', 'kernels.q': 'x', steps: '3' })).toEqual({ steps: '3' })
})
