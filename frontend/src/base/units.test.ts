import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import {
  exactCount,
  exactNs,
  exactTime,
  formatBytes,
  formatCount,
  formatFlops,
  formatNumber,
  formatNs,
  formatRate,
  formatShare,
  formatTime,
  knownNs,
  signedNs,
  threeDigits,
  withMicroseconds,
} from './units'

const SHOWN = {
  ns: formatNs,
  signed_ns: signedNs,
  bytes: formatBytes,
  bytes_per_s: formatRate,
  flops: formatFlops,
} as const

type Case = readonly [value: number, shell: string]
const CASES = JSON.parse(readFileSync('../tests/base/units_cases.json', 'utf-8')) as Record<keyof typeof SHOWN, Case[]>

test.each(Object.keys(SHOWN) as (keyof typeof SHOWN)[])('%s reads as in the shell', (kind) => {
  const words = CASES[kind].map(([value, said]) => [
    SHOWN[kind](value),
    said.replace(' us', ' µs').replace(/^-/, '−'), // what every terminal can show
  ])
  expect(words.map(([page]) => page)).toEqual(words.map(([, shell]) => shell))
})

test('times have three significant digits and the unit that fits', () => {
  const shown = [0, 7, 0.5, 999, 1234, 98_589_000, 177_592_000, 996_476_900, 12_920_244_100].map(formatNs)
  expect(shown).toEqual(['0 ns', '7 ns', '0.50 ns', '999 ns', '1.23 µs', '98.6 ms', '178 ms', '996 ms', '12.9 s'])
})

test('what rounds up to a thousand is one of the next unit', () => {
  expect(formatNs(999_600)).toBe('1.00 ms')
  expect(formatNs(99_960)).toBe('100 µs')
  expect(formatBytes(1024 * 1023.9)).toBe('1.00 MiB')
})

test('differences keep their sign', () => {
  expect(formatNs(-1_500_000)).toBe('−1.50 ms')
})

test('bytes are binary, rates are decimal', () => {
  expect(formatBytes(16_945_512_448)).toBe('15.8 GiB')
  expect(formatBytes(512)).toBe('512 B')
  expect(formatRate(812e9)).toBe('812 GB/s')
})

test('a share that is there is never shown as nothing', () => {
  expect(formatShare(0)).toBe('0 %')
  expect(formatShare(0.000_01)).toBe('< 0.01 %')
  expect(formatShare(0.4519)).toBe('45.2 %')
  expect(formatShare(1)).toBe('100 %')
})

test('counts and exact values', () => {
  expect(formatCount(12_345)).toBe('12,345')
  expect(formatCount(1_231_442)).toBe('1.23 M')
  expect([999_499, 999_500, -2_500_000, 9_119_334_400, 999_950_000_000].map(formatCount)).toEqual([
    '999,499',
    '1.00 M',
    '−2.50 M',
    '9.12 G',
    '1.00 T',
  ])
  expect([0, 7, 0.000_123_4, -3.14159, 99.96, 12_345.6, 9_119_334_400].map(formatNumber)).toEqual([
    '0',
    '7',
    '0.000123',
    '−3.14',
    '100',
    '12,346',
    '9.12 G',
  ])
  expect(exactNs(98_066_640)).toBe('98,066,640 ns')
  expect([exactNs(-1_500), exactCount(-3), threeDigits(-9.31), formatBytes(-7)].join(' ')).toBe(
    '−1,500 ns −3 −9.31 −7 B',
  )
})

test('of what is known to within a step as many digits are shown as that leaves', () => {
  const shown = [1, 2, 64, 1000, 16_384, 2 ** 31].map((step) => knownNs(43_241_452_960, step))
  expect(shown).toEqual([
    '43,241,452,960 ns',
    '43,241,452.96 µs',
    '43,241,453.0 µs',
    '43,241,453 µs',
    '43,241.5 ms',
    '44 s',
  ])
  expect(knownNs(-95_344, 8)).toBe('−95.34 µs')
})

test('microseconds in sentences of the server are written as everywhere', () => {
  expect(withMicroseconds('It would take 9 ms (-11 %), ranks 4-7.')).toBe('It would take 9 ms (−11 %), ranks 4-7.')
  expect(withMicroseconds('A kernel runs 21.0 us; 3 us of it for us.')).toBe(
    'A kernel runs 21.0 µs; 3 µs of it for us.',
  )
})

test('a time is of the clock of whoever reads, and sorts as text', () => {
  const ns = new Date(2026, 10, 21, 9, 8, 7).getTime() * 1e6
  expect(formatTime(ns)).toBe('2026-11-21 09:08')
  expect(exactTime(ns)).toBe('2026-11-21 09:08:07')
})
