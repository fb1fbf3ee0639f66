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
  const [r = NaN, g = NaN, b = NaN] = [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function colorsIn(block: string): Colors {
  const found = block.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)
  return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value] as const))
}
