/** Everything can be read: WCAG's 4.5:1 for text and 3:1 for marks, on every background it stands on, in both themes. */
import { describe, expect, test } from 'vitest'

import { contrast, themes } from '../../test/contrast'

const { light, dark, ownOfDark } = themes()

/** Text, and where it stands. */
const TEXT: Readonly<Record<string, readonly string[]>> = {
  text: ['bg', 'bg-raised', 'bg-hover', 'bg-selected', 'bar', 'bad-bg', 'warn-bg'],
  'text-soft': ['bg', 'bg-raised', 'bg-hover', 'bg-selected', 'bad-bg', 'warn-bg'],
  accent: ['bg', 'bg-raised', 'bg-hover', 'bg-selected'],
  bad: ['bg', 'bg-hover', 'bad-bg'],
  warn: ['bg', 'warn-bg'],
  good: ['bg'],
  bg: ['text-soft'], // an open "?"
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
})

test('the dark theme has a value of its own for every colour', () => {
  expect(Object.keys(light).filter((name) => ownOfDark[name] === undefined)).toEqual([])
})
