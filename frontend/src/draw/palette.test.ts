import { expect, it } from 'vitest'

import { contrast, themes } from '../../test/contrast'
import { VARIANTS, makePalette, mergedVariant, shadeOf } from './palette'

it('gives each paint shades that differ, and a dimmer copy of all', () => {
  const palette = makePalette(['kernel', 'operator'], (name) => (name === '--bg' ? '#ffffff' : '#005a94'))
  expect(palette.fills).toHaveLength(2 * 2 * VARIANTS)
  expect(new Set(palette.fills.slice(0, VARIANTS)).size).toBe(VARIANTS)
  expect(palette.fills[palette.dimmed]).not.toBe(palette.fills[0])
  expect(palette.inks[0]).toBe('#ffffff')
  expect(new Set([0, 1, 2, 3, 4, 5, 6, 7].map(shadeOf)).size).toBeGreaterThan(2)
  expect(makePalette(['kernel'], () => '#fff').fills).toEqual(makePalette(['kernel'], () => '#ffffff').fills)
  expect(makePalette(['kernel'], () => '#fff').fills[0]).toBe('#ffffff')
  expect(mergedVariant(255)).not.toBe(mergedVariant(17))
})

it('writes names that can be read, 4.5:1, on every shade of both themes', () => {
  const { light, dark } = themes()
  for (const colors of [light, dark]) {
    const paints = [
      'operator',
      'annotation',
      'data_loader',
      'python',
      'runtime',
      'kernel',
      'communication',
      'copy',
      'set',
    ]
    const { fills, inks } = makePalette(paints, (name) => colors[name] ?? '')
    expect(fills.filter((fill, index) => !(contrast(fill, inks[index] ?? '') >= 4.5))).toEqual([])
  }
})
