/** Everything can be read: WCAG's 4.5:1 for text and 3:1 for marks, on every background it stands on, in both themes. */
import { describe, expect, test } from 'vitest'

import { EYES, contrast, distance, themes } from '../../test/contrast'
import type { Colors } from '../../test/contrast'

const { light, dark, ownOfDark } = themes()

/** Text, and where it stands. */
const TEXT: Readonly<Record<string, readonly string[]>> = {
  text: ['bg', 'bg-raised', 'bg-hover', 'bg-selected', 'bar', 'warn-bg'],
  'text-soft': ['bg', 'bg-raised', 'bg-hover', 'bg-selected', 'warn-bg'],
  accent: ['bg', 'bg-raised', 'bg-hover', 'bg-selected'],
  bad: ['bg', 'bg-hover'],
  warn: ['bg', 'warn-bg'],
  good: ['bg'],
  bg: ['text-soft'], // an open "?"
}

/** All that has a colour as a category, the profiler's overhead included: any two may stand in one picture. */
const CATEGORIES = [...Object.keys(light).filter((name) => /^--c-(?!idle)/.test(name)), '--text']

/** The nearest two of them first. */
function nearest(names: readonly string[], colors: Colors, eye: Eye): readonly (readonly [string, string, number])[] {
  return names
    .flatMap((a, at) =>
      names.slice(at + 1).map((b) => [a, b, distance(colors[a] ?? '', colors[b] ?? '', EYES[eye])] as const),
    )
    .sort(([, , one], [, , other]) => one - other)
}

type Eye = keyof typeof EYES

/** How far from each other two colours must be in OKLab: 0.05 is about what a 12 px square needs. */
const LEAST = [
  ['usual', 0.115],
  ['deuteranope', 0.08],
  ['protanope', 0.075],
] as const

describe.each([
  ['light', light],
  ['dark', dark],
])('%s', (_, colors) => {
  test.each(Object.entries(TEXT))('--%s can be read', (name, backgrounds) => {
    const ratios = backgrounds.map((each) => [each, contrast(colors[`--${name}`] ?? '', colors[`--${each}`] ?? '')])
    expect(ratios.filter(([, ratio]) => !(Number(ratio) >= 4.5))).toEqual([])
  })

  test('each category can be seen', () => {
    const marks = Object.keys(colors).filter((name) => name.startsWith('--c-'))
    expect(marks.length).toBeGreaterThan(8)
    const ratios = marks.map((name) => [name, contrast(colors[name] ?? '', colors['--bg'] ?? '')])
    expect(ratios.filter(([, ratio]) => !(Number(ratio) >= 3))).toEqual([])
  })

  test.each(LEAST)('any two categories are told apart (%s)', (eye, least) => {
    const pairs = nearest(CATEGORIES, colors, eye)
    expect(pairs).toHaveLength((20 * 19) / 2)
    expect(pairs.filter(([, , apart]) => !(apart >= least))).toEqual([])
  })

  test.each(LEAST)('a gap in the launches is told from a warning (%s)', (eye, least) => {
    const beside = ['--warn', '--c-kernel', '--text-soft', '--c-sync'] // what a device does
    expect(nearest(beside, colors, eye).filter(([, , apart]) => !(apart >= least))).toEqual([])
  })
})

test('the dark theme has a value of its own for every colour', () => {
  expect(Object.keys(light).filter((name) => ownOfDark[name] === undefined)).toEqual([])
})
