import { expect, test } from 'vitest'
import { waited } from './waited'

test('a wait that is less than clocks can tell is said to be so, and none is none', () => {
  expect([waited(3), waited(999), waited(1000), waited(0)]).toEqual([
    'under 1.00 µs',
    'under 1.00 µs',
    '1.00 µs',
    '0 ns',
  ])
  expect([waited(3000, 3500), waited(4000, 3500), waited(3, 20), waited(3, null)]).toEqual([
    'under 3.50 µs',
    '4.00 µs',
    'under 1.00 µs',
    'under 1.00 µs',
  ])
})
