/** Colours of theme.css, and how well one reads on another. For tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Colors = Readonly<Record<string, string>>

/** Both themes: `--name` to `#rrggbb`. What the dark one leaves out, it takes from the light one. */
export function themes(): { readonly light: Colors; readonly dark: Colors; readonly ownOfDark: Colors } {
  const css = readFileSync(join(import.meta.dirname, '../src/base/theme.css'), 'utf8')
  const blocks = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(([, block]) => colorsIn(block ?? ''))
  const [light, ownOfDark] = blocks
  if (light === undefined || ownOfDark === undefined) throw new Error('theme.css has not its two blocks')
  return { light, ownOfDark, dark: { ...light, ...ownOfDark } }
}

/** WCAG's ratio, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [high = NaN, low = NaN] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const [r = NaN, g = NaN, b = NaN] = linear(color)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** How far two colours are from each other in OKLab, 0 to 1, as somebody sees them. */
export function distance(a: string, b: string, eye: readonly (readonly number[])[]): number {
  const [seen, other] = [a, b].map((color) =>
    oklab(times(eye, linear(color)).map((part) => Math.min(1, Math.max(0, part)))),
  )
  return Math.hypot(...(seen ?? []).map((part, at) => part - (other?.[at] ?? NaN)))
}

/** Linear sRGB as it is seen. Machado, Oliveira and Fernandes 2009, severity 1. */
export const EYES = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
} as const

function linear(color: string): number[] {
  return [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
}

/** Ottosson 2020, from linear sRGB. */
function oklab(rgb: readonly number[]): number[] {
  const cones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ]
  const axes = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ]
  return times(axes, times(cones, rgb).map(Math.cbrt))
}

function times(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  return matrix.map((row) => row.reduce((sum, each, at) => sum + each * (vector[at] ?? NaN), 0))
}

function colorsIn(block: string): Colors {
  const found = block.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)
  return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value] as const))
}
