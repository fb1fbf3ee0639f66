import { expect, test } from 'vitest'

import { EYES, contrast, distance, themes } from '../../../../test/contrast'
import type { Colors } from '../../../../test/contrast'
import { STRENGTHS, cellsOf, colorOf, firstNamed, isStrong, scaleOf, withRoom } from './scale'

test('colours are centred, large values differ, one outlier leaves the others theirs, and noise has none', () => {
  const { levelOf, low, high } = scaleOf([-100, 20, null], 10)
  expect([low, high]).toEqual([-100, 20])
  expect([-100, -58, -33, 0, 1, 10, 33, 58].map(levelOf)).toEqual([-8, -6, -4, 0, 0, 2, 4, 6])
  expect(scaleOf([5, -5], 400).levelOf(5)).toBe(1)
  expect(scaleOf([5, -5], 1000).levelOf(-5)).toBe(-0)
  expect([null, -4, 8].map(colorOf)).toEqual([
    'none',
    'color-mix(in srgb, var(--c-kernel) 50%, var(--line))',
    'color-mix(in srgb, var(--c-communication) 100%, var(--line))',
  ])
})

test('few cells fill the room, thousands are three pixels wide', () => {
  expect(cellsOf(8, 3, 800)).toEqual({ across: 8, down: 3, width: 100, height: 24 })
  expect(cellsOf(64, 2, 800).width).toBe(12)
  expect(cellsOf(4096, 100, 800)).toMatchObject({ width: 3, height: 3 })
})

test('the first rank is named, a long name of the first column is not', () => {
  expect(firstNamed('0', 2, 12)).toBe(0)
  expect(firstNamed('0', 12, 3)).toBe(0)
  expect(firstNamed('node0000', 4, 16)).toBe(2)
})

test('what comes first is named where there is room, then what comes next, the others beside them', () => {
  const named = (px: readonly number[], ...first: readonly number[]) => [
    ...withRoom(px, 10, (at) => (first.includes(at) ? first.indexOf(at) : px.length), [0, 10 * px.length]),
  ]
  expect(named([10, 10, 10])).toEqual([0, 1, 2])
  expect(named([20, 20, 20, 20, 20], 2, 3)).toEqual([2]) // 0 and 4 reach out
  expect(named([20, 20, 20, 20, 20], 3, 2)).toEqual([3, 1])
  expect(named([8, 8, 30, 8, 8], 2)).toEqual([2, 0, 4])
})

test('a value is read on every colour of the map', () => {
  const { light, dark } = themes()
  for (const [colors, inks] of [
    [light, ['#000000', '#ffffff']],
    [dark, ['#ffffff', '#000000']],
  ] as const)
    for (let level = -STRENGTHS; level <= STRENGTHS; level++)
      expect(contrast(mixedAt(level, colors), inks[isStrong(level) ? 1 : 0])).toBeGreaterThan(4)
})

test('from the median outwards each colour is darker than the one before, in the dark lighter, and told from it', () => {
  const { light, dark } = themes()
  for (const [colors, ground] of [
    [light, '#ffffff'],
    [dark, '#000000'],
  ] as const)
    for (const side of [-1, 1])
      for (let level = 1; level <= STRENGTHS; level++) {
        const [before, one] = [level - 1, level].map((at) => mixedAt(side * at, colors))
        expect(contrast(one ?? '', ground)).toBeGreaterThan(1.08 * contrast(before ?? '', ground))
        for (const eye of Object.values(EYES)) expect(distance(one ?? '', before ?? '', eye)).toBeGreaterThan(0.02)
      }
})

/** As CSS resolves it. */
function mixedAt(level: number, colors: Colors): string {
  const [, end = '', share = '', from = ''] =
    /var\((--[\w-]+)\) ([\d.]+)%, var\((--[\w-]+)\)/.exec(colorOf(level)) ?? []
  return mix(colors[from] ?? '', colors[end] ?? '', Number(share) / 100)
}

function mix(from: string, to: string, share: number): string {
  const channel = (color: string, at: number): number => parseInt(color.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) => Math.round(channel(from, at) + (channel(to, at) - channel(from, at)) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
