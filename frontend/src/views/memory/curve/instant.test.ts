import { expect, test } from 'vitest'

import { instantWords } from './instant'

test('an instant has the digits that its range needs', () => {
  expect(instantWords(133_123_456, [0, 1_200_000_000])).toBe('0.133 s')
  expect(instantWords(1_099_031_400, [1_099_000_000, 1_099_400_000])).toBe('1.0990314 s')
  expect(instantWords(46_512_345, [0, 49_800_000])).toBe('46.51 ms')
})

test('no more digits than nanoseconds', () => {
  expect(instantWords(1_000_000_007, [1_000_000_000, 1_000_000_010])).toBe('1.000000007 s')
  expect(instantWords(5, [0, 10])).toBe('5 ns')
})
