/** A second sign, beside the colour, of what is no computation: stripes or dots on what is wide enough for them. They
    move the fill away from the ink of its name, which reads better on them; a fill that is nearly white has room in one direction alone.

    communication  ╱╱╱     data loader  ╲╲╲     synchronisation  ═══     set  ∴∴∴
*/
import { VARIANTS } from './palette'
import type { Palette } from './palette'

export const TILE_PX = 6
const STRENGTH = 0.3
const LINE = 0.3 // of a tile
const NEARLY_WHITE = /^#(?:[ef].){2}/ // yellow too: what has red and green

export type Texture = 'rising' | 'falling' | 'bars' | 'dots'

export const TEXTURES: Readonly<Record<string, Texture>> = {
  communication: 'rising',
  data_loader: 'falling',
  sync: 'bars',
  set: 'dots',
}

/** Whether a pixel of a tile is drawn over. */
const IS_DRAWN: Readonly<Record<Texture, (x: number, y: number, size: number) => boolean>> = {
  rising: (x, y, size) => (x + y) % size < LINE * size,
  falling: (x, y, size) => (x - y + size) % size < LINE * size,
  bars: (_, y, size) => y < LINE * size,
  dots: (x, y, size) => {
    const half = Math.floor(size / 2)
    return Math.max(x % half, y % half) < LINE * size && x < half === y < half
  },
}

/** A tile as pixels of an image, `size` wide and high. */
export function tile(texture: Texture, size: number, ink: string, fill: string): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * size * size)
  // Black under white names, white under black ones.
  const part = ink === '#ffffff' || NEARLY_WHITE.test(fill) ? 0 : 255
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      if (IS_DRAWN[texture](x, y, size)) pixels.set([part, part, part, Math.round(STRENGTH * 255)], 4 * (y * size + x))
  return pixels
}

/** The tile of a pattern: its image, and where it begins, px. */
export interface Tile {
  readonly address: string
  readonly size: number
  x: number
  y: number
}

const TILES = new WeakMap<object, Tile>() // a pattern does not tell

export function tileOf(pattern: CanvasPattern | CanvasGradient): Readonly<Tile> | undefined {
  return TILES.get(pattern)
}

/** The patterns of one theme and screen, by the colours of its palette. */
export class Textures {
  /** As `Palette.fills`: undefined for most, and for all that is left out. */
  readonly of: readonly (CanvasPattern | undefined)[]
  private readonly all: readonly CanvasPattern[]
  private readonly size: number
  private readonly moved = typeof DOMMatrix === 'undefined' ? undefined : new DOMMatrix()

  constructor(paints: readonly string[], { inks, fills }: Palette, ratio: number) {
    this.size = Math.round(TILE_PX * ratio)
    const patterns = paints.map((paint, index) => {
      const texture = TEXTURES[paint]
      return texture === undefined
        ? undefined
        : patternOf(tile(texture, this.size, inks[index * VARIANTS] ?? '', fills[index * VARIANTS] ?? ''), this.size)
    })
    this.all = patterns.filter((each) => each !== undefined)
    this.of = fills.map((_, color) => patterns[Math.floor(color / VARIANTS)])
  }

  /** They move with what they are on, px of the screen: what slides under its stripes would seem to change. */
  moveTo(x: number, y: number): void {
    if (this.moved === undefined) return
    this.moved.e = x % this.size
    this.moved.f = y % this.size
    for (const pattern of this.all) {
      pattern.setTransform(this.moved)
      const tile = TILES.get(pattern)
      if (tile !== undefined) [tile.x, tile.y] = [this.moved.e, this.moved.f]
    }
  }
}

function patternOf(pixels: Uint8ClampedArray<ArrayBuffer>, size: number): CanvasPattern | undefined {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = size
  const context = canvas.getContext('2d')
  context?.putImageData(new ImageData(pixels, size, size), 0, 0)
  const pattern = context?.createPattern(canvas, 'repeat') ?? undefined
  if (pattern !== undefined) TILES.set(pattern, { address: canvas.toDataURL(), size, x: 0, y: 0 })
  return pattern
}
