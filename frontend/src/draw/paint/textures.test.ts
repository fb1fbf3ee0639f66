import { expect, it } from 'vitest'

import { contrast, themes } from '../../../test/contrast'
import { VARIABLES, VARIANTS, makePalette } from './palette'
import { Rects } from './rects'
import { TEXTURES, tile } from './textures'

const SIZES = [6, 8, 12]

it.each(SIZES)('no two textures look alike, at %i pixels, and each repeats without a seam', (size) => {
  const all = Object.values(TEXTURES).map((texture) => tile(texture, size, '#ffffff', '').join())
  expect(new Set(all).size).toBe(all.length)
  for (const texture of Object.values(TEXTURES)) {
    const drawn = tile(texture, size, '#ffffff', '').filter((_, index) => index % 4 === 3 && _ > 0).length
    expect(drawn / size ** 2).toBeGreaterThan(0.15)
    expect(drawn / size ** 2).toBeLessThan(0.5)
  }
  // Stripes go on where the next tile begins: each row is the one above it, moved by a pixel.
  const rows = (texture: 'rising' | 'falling'): boolean[][] => {
    const alpha = tile(texture, size, '#ffffff', '').filter((_, index) => index % 4 === 3)
    return Array.from({ length: size }, (_, y) => Array.from(alpha.slice(y * size, (y + 1) * size), (each) => each > 0))
  }
  for (const [texture, by] of [
    ['rising', 1],
    ['falling', -1],
  ] as const) {
    const all = rows(texture)
    all.forEach((row, y) => {
      const next = all[(y + 1) % size]
      expect(next).toEqual(row.map((_, x) => row[(x + by + size) % size]))
    })
  }
})

it('a texture is seen on its fill, and a name reads on it no worse than on the plain fill, or well', () => {
  for (const colors of [themes().light, themes().dark]) {
    const paints = Object.keys(VARIABLES)
    const { fills, inks } = makePalette(paints, (name) => colors[name] ?? '')
    for (const [paint, texture] of Object.entries(TEXTURES)) {
      const at = paints.indexOf(paint) * VARIANTS
      const [fill = '', ink = ''] = [fills[at], inks[at]]
      const [part = 0, , , alpha = 0] = [...tile(texture, 6, ink, fill)].slice(4 * firstDrawn(texture))
      const striped = [1, 3, 5].map((from) => {
        const under = parseInt(fill.slice(from, from + 2), 16)
        return Math.round(under + ((part - under) * alpha) / 255)
      })
      const hex = `#${striped.map((each) => each.toString(16).padStart(2, '0')).join('')}`
      expect(contrast(hex, ink)).toBeGreaterThan(Math.min(contrast(fill, ink), 7))
      expect(contrast(hex, fill)).toBeGreaterThan(1.2)
    }
  }
})

function firstDrawn(texture: (typeof TEXTURES)[string]): number {
  return tile(texture, 6, '', '').findIndex((each, index) => index % 4 === 3 && each > 0) >> 2
}

it('is drawn over what is wide, of what has one', () => {
  const rects = new Rects()
  rects.begin(3)
  rects.add(1, 0, 0, 40, 10)
  rects.add(1, 50, 0, 3, 10) // too narrow
  rects.add(2, 60, 0, 40, 10)
  const drawn: [unknown, number][] = []
  const context = { fillStyle: '', fillRect: (x: number) => drawn.push([context.fillStyle, x]) }
  const stripes = 'stripes' as unknown as CanvasPattern
  rects.draw(context as unknown as CanvasRenderingContext2D, ['a', 'b', 'c'], [undefined, stripes, undefined])
  expect(drawn).toEqual([
    ['b', 50],
    ['b', 0],
    ['stripes', 0],
    ['c', 60],
  ])
})
