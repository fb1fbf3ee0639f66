/** Colours of the theme as strings ready for a canvas. Read from CSS once per theme.

    index = paint * VARIANTS + variant [+ dimmed]      variants 0-3: shades that tell neighbours apart
                                                       variants 4-35: merged blocks, fuller or emptier
                                                       variant 36: the seam between events that touch
                                                       dimmed: the same for all paints, pale greys
*/

export const SHADES = 4
const SHADE = 0.018 // of the background, from shade to shade: with more, one category's palest is nearer to another category
const MERGED = 32 // a step is too small to be seen
const PALEST = 0.8 // of the background, where hardly anything is at work
const LEFT = 0.6 // of the background: the low bars of a strip are seen
const EQUAL = 0.179 // luminance on which black and white read equally well, 4.58:1
const SEAM_STRENGTH = 0.4 // away from the background: what is paler would be taken for a gap
export const SEAM = SHADES + MERGED
export const VARIANTS = SEAM + 1

/** What a paint of the server is drawn with. */
export const VARIABLES: Readonly<Record<string, string>> = {
  operator: '--c-other-host',
  annotation: '--c-annotation',
  data_loader: '--c-data-loader',
  python: '--c-python',
  runtime: '--c-runtime',
  kernel: '--c-other',
  communication: '--c-communication',
  copy: '--c-copy',
  set: '--c-set',
  sync: '--c-sync',
  mark: '--text-soft',
  overhead: '--text',
  matmul: '--c-matmul',
  convolution: '--c-convolution',
  attention: '--c-attention',
  normalisation: '--c-normalisation',
  elementwise: '--c-elementwise',
  reduction: '--c-reduction',
  indexing: '--c-indexing',
  fused: '--c-fused',
}

export interface Palette {
  readonly fills: readonly string[]
  /** The same as pixels of an image. */
  readonly pixels: Uint32Array
  /** Black or white, whichever reads better on the fill. */
  readonly inks: readonly string[]
  /** Added to an index for what a search leaves out. */
  readonly dimmed: number
  readonly background: string
  readonly raised: string
  readonly line: string
  readonly lineStrong: string
  readonly text: string
  readonly soft: string
  readonly accent: string
  readonly selected: string
  readonly host: string
  readonly device: string
  /** What filters leave out of the strip and of values. */
  readonly left: string
}

type Rgb = readonly [number, number, number]

/** Whatever it is: no paint that is left out is taken for one that is kept, which may be as pale. */
const GREY: Rgb = [128, 128, 128]

/** `read` gives the value of a CSS variable, `#rrggbb`. */
export function makePalette(paints: readonly string[], read: (variable: string) => string): Palette {
  const background = parse(read('--bg'))
  const away = parse(read('--text'))
  const base = paints.map((paint) => parse(read(VARIABLES[paint] ?? '--text-soft')))
  const solid = base.flatMap((color) => variants(color, background, away))
  const dim = variants(GREY, background, away).map((color) => mix(color, background, 0.78))
  const all = [...solid, ...base.flatMap(() => dim)]
  return {
    fills: all.map(text),
    pixels: new Uint32Array(Uint8Array.from(all.flatMap((color) => [...color, 255])).buffer),
    inks: all.map((color) => (luminance(color) > EQUAL ? '#000000' : '#ffffff')),
    dimmed: solid.length,
    background: read('--bg'),
    raised: read('--bg-raised'),
    line: read('--line'),
    lineStrong: read('--line-strong'),
    text: read('--text'),
    soft: read('--text-soft'),
    accent: read('--accent'),
    selected: read('--bg-selected'),
    host: read('--c-other-host'),
    device: read('--c-kernel'),
    left: text(mix(GREY, background, LEFT)),
  }
}

export function shadeOf(nameId: number): number {
  return (Math.imul(nameId + 1, 0x9e3779b1) >>> 30) & (SHADES - 1)
}

/** Of a stretch that is covered to `share`, 0 to 1: what is hardly at work is pale. */
export function mergedVariant(share: number): number {
  return SHADES + MERGED - Math.max(Math.round(Math.min(share, 1) * MERGED), 1)
}

function variants(color: Rgb, background: Rgb, away: Rgb): readonly Rgb[] {
  const shades = Array.from({ length: SHADES }, (_, i) => mix(color, background, i * SHADE))
  const merged = Array.from({ length: MERGED }, (_, i) => mix(color, background, (i * PALEST) / (MERGED - 1)))
  return [...shades, ...merged, mix(color, away, SEAM_STRENGTH)]
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => Math.round((a[i] as number) * (1 - share) + (b[i] as number) * share)) as unknown as Rgb
}

/** `#rrggbb`, or `#rgb` as style sheets are minified to. */
function parse(color: string): Rgb {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color.trim())
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color.trim())
  const parts = short?.slice(1).map((digit) => digit + digit) ?? long?.slice(1) ?? ['80', '80', '80']
  return parts.map((part) => parseInt(part, 16)) as unknown as Rgb
}

function text([r, g, b]: Rgb): string {
  return `#${((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1)}`
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((c) => (c <= 10 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as unknown as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
