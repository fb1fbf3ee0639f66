import { describe, expect, it } from 'vitest'

import { EYES, contrast, distance, themes } from '../../../test/contrast'
import { KERNEL_CATEGORIES } from '../../base/categories'
import { SHADES, VARIABLES, VARIANTS, makePalette, mergedVariant, shadeOf } from './palette'

it('gives each paint shades that differ, and a dimmer copy of all', () => {
  const palette = makePalette(
    ['kernel', 'operator'],
    (name) => ({ '--bg': '#ffffff', '--text': '#1b1f24' })[name] ?? '#005a94',
  )
  expect(palette.fills).toHaveLength(2 * 2 * VARIANTS)
  expect(new Set(palette.fills.slice(0, VARIANTS)).size).toBe(VARIANTS - 1) // what is full has its own colour
  expect(palette.fills[palette.dimmed]).not.toBe(palette.fills[0])
  expect(palette.inks[0]).toBe('#ffffff')
  expect(new Set([0, 1, 2, 3, 4, 5, 6, 7].map(shadeOf)).size).toBeGreaterThan(2)
  expect(makePalette(['kernel'], () => '#fff').fills).toEqual(makePalette(['kernel'], () => '#ffffff').fills)
  expect(makePalette(['kernel'], () => '#fff').fills[0]).toBe('#ffffff')
  expect([1, 0.9, 0.5, 0.125, 0.01, 0, 2].map(mergedVariant)).toEqual([4, 7, 20, 32, 35, 35, 4])
})

it('draws a category in the colour that it has in tables and bars', () => {
  for (const { id, color } of KERNEL_CATEGORIES) {
    expect(`var(${VARIABLES[id === 'other' ? 'kernel' : id]})`).toBe(color)
  }
  const used = Object.values(VARIABLES)
  expect(new Set(used).size).toBe(used.length)
})

it('writes names that can be read, 4.5:1, on every shade of both themes', () => {
  const { light, dark } = themes()
  for (const colors of [light, dark]) {
    const paints = Object.keys(VARIABLES)
    const { fills, inks } = makePalette(paints, (name) => colors[name] ?? '')
    expect(fills.filter((fill, index) => !(contrast(fill, inks[index] ?? '') >= 4.5))).toEqual([])
  }
})

/** Any two may lie side by side. Marks have a row to themselves. */
const PAINTS = Object.keys(VARIABLES).filter((paint) => paint !== 'mark')

describe.each(Object.entries(themes()).filter(([name]) => name !== 'ownOfDark'))('%s', (_, colors) => {
  describe.each([
    ['usual', 0.115],
    ['deuteranope', 0.08],
    ['protanope', 0.075],
  ] as const)('%s', (eye, least) => {
    it('tells any two paints apart', () => {
      const { fills } = makePalette(PAINTS, (name) => colors[name] ?? '')
      const fill = (paint: number, shade = 0): string => fills[paint * VARIANTS + shade] ?? ''
      const pairs = PAINTS.flatMap((a, i) => PAINTS.map((b, j) => ({ a, b, i, j }))).filter(({ i, j }) => i !== j)
      expect(pairs).toHaveLength(19 * 18)
      expect(pairs.filter(({ i, j }) => !(distance(fill(i), fill(j), EYES[eye]) >= least))).toEqual([])
      // And each shade for its own category: no other's full colour is nearer.
      const strays = pairs.flatMap(({ a, b, i, j }) =>
        Array.from({ length: SHADES }, (_, shade) => fill(i, shade))
          .filter((shade) => !(distance(shade, fill(i), EYES[eye]) < distance(shade, fill(j), EYES[eye])))
          .map((shade) => [a, shade, b]),
      )
      expect(strays).toEqual([])
    })
  })
})

/** What lies in the rows of a device, where events touch and many share a column; no texture tells them apart there. */
const ON_DEVICE = [
  ...['matmul', 'convolution', 'attention', 'normalisation', 'elementwise', 'reduction', 'indexing', 'fused', 'kernel'],
  ...['communication', 'copy', 'set', 'sync', 'annotation'],
]
const MOVES_DATA = ['communication', 'copy', 'set']

describe.each(Object.entries(themes()).filter(([name]) => name !== 'ownOfDark'))('%s', (_, colors) => {
  it.each(['usual', 'deuteranope', 'protanope'] as const)(
    'tells those of one row farther apart, and what moves data where it is pale, too (%s)',
    (eye) => {
      const { fills } = makePalette(ON_DEVICE, (name) => colors[name] ?? '')
      const near = (paints: readonly string[], least: number, variant: number): unknown[] =>
        paints.flatMap((a, i) =>
          paints.slice(i + 1).flatMap((b) => {
            const [one = '', other = ''] = [a, b].map((paint) => fills[ON_DEVICE.indexOf(paint) * VARIANTS + variant])
            const apart = distance(one, other, EYES[eye])
            return apart >= least ? [] : [[a, b, apart]]
          }),
        )
      expect(near(ON_DEVICE, 0.09, 0)).toEqual([])
      expect(near(MOVES_DATA, 0.11, 0)).toEqual([])
      expect(near(MOVES_DATA, 0.05, mergedVariant(0.4))).toEqual([])
      expect(near(['communication', 'copy'], 0.16, 0)).toEqual([])
    },
  )
})

describe.each(Object.entries(themes()).filter(([name]) => name !== 'ownOfDark'))('%s', (_, colors) => {
  it.each([0.1, 0.05])(
    'shows by its edge what a filter keeps, however little, beside what it leaves out, however full',
    (least) => {
      const { fills, dimmed } = makePalette(PAINTS, (name) => colors[name] ?? '')
      const eye = EYES[least === 0.1 ? 'usual' : 'deuteranope']
      const near = PAINTS.flatMap((paint, i) => {
        const edge = fills[i * VARIANTS + mergedVariant(1)] ?? ''
        return fills
          .slice(dimmed)
          .map((out) => distance(edge, out, eye))
          .filter((apart) => !(apart >= least))
          .map((apart) => [paint, apart])
      })
      expect(near).toEqual([])
    },
  )
})
