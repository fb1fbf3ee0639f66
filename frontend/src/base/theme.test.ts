/** Everything can be read: WCAG's 4.5:1 for text and 3:1 for marks, on every background it stands on, in both themes. */
import { describe, expect, test } from 'vitest'

import { EYES, contrast, distance, themes } from '../../test/contrast'
import { BREAKDOWN, KERNEL_CATEGORIES } from './categories'

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

/** Names of what one chart or table draws: parts of a step, what a device does, parts of a rank's step, what may be faster, what
    memory is for, kernels by category. */
const BESIDE: readonly (readonly string[])[] = [
  BREAKDOWN.map(({ color }) => nameIn(color)).filter((name) => name.startsWith('--c-') && name !== '--c-idle'),
  ['--c-kernel', '--c-annotation', '--c-python', '--c-sync', '--warn'],
  ['--c-kernel', '--c-python', '--c-communication', '--c-runtime', '--c-copy'],
  ['--c-other-host', '--c-kernel', '--c-communication', '--c-python'],
  [
    ...['--c-kernel', '--c-communication', '--c-copy', '--c-data-loader', '--c-other-host', '--c-set'],
    ...['--c-annotation', '--c-python'],
  ],
  KERNEL_CATEGORIES.map(({ color }) => nameIn(color)),
]

function nameIn(color: string): string {
  return color.replace(/^var\((.*)\)$/, '$1')
}

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

  // 0.05 is about what a 12 px square needs: who sees no red or no green has half as much again, who sees all colours twice that.
  test.each([
    ['usual', 0.115],
    ['deuteranope', 0.08],
    ['protanope', 0.075],
  ] as const)('colours that stand side by side are told apart (%s)', (eye, least) => {
    const near = BESIDE.flatMap((names) =>
      names.flatMap((a, at) =>
        names.slice(at + 1).map((b) => [a, b, distance(colors[a] ?? '', colors[b] ?? '', EYES[eye])] as const),
      ),
    )
    expect(near.length).toBeGreaterThan(50)
    expect(near.filter(([, , apart]) => !(apart >= least))).toEqual([])
  })
})

test('the dark theme has a value of its own for every colour', () => {
  expect(Object.keys(light).filter((name) => ownOfDark[name] === undefined)).toEqual([])
})
