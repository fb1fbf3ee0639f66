import { expect, test } from 'vitest'

import { pagesOf } from './pages'

test('pages in sight', () => {
  expect(pagesOf(0, 40)).toEqual([0])
  expect(pagesOf(190, 210)).toEqual([0, 1])
  expect(pagesOf(400, 400)).toEqual([])
})
