import { expect, test } from 'vitest'

import { chosen, howOf } from './choice'

const ALL = [5, 6, 7, 8, 9]
const NONE = { selected: [], anchor: undefined }
const KEYS = { shiftKey: false, ctrlKey: false, metaKey: false }

test('a click selects one step, a second click on it all of them', () => {
  const one = chosen(ALL, NONE, 6, 'only')
  expect(one).toEqual({ selected: [6], anchor: 6 })
  expect(chosen(ALL, one, 8, 'only').selected).toEqual([8])
  expect(chosen(ALL, one, 6, 'only')).toEqual(NONE)
})

test('Ctrl adds a step and takes it out', () => {
  const two = chosen(ALL, chosen(ALL, NONE, 6, 'only'), 9, 'also')
  expect(two.selected).toEqual([6, 9])
  expect(chosen(ALL, two, 6, 'also').selected).toEqual([9])
})

test('Shift selects from the last step clicked, in either direction, again and again', () => {
  const from = chosen(ALL, NONE, 7, 'only')
  const up = chosen(ALL, from, 9, 'range')
  expect(up.selected).toEqual([7, 8, 9])
  expect(chosen(ALL, up, 5, 'range').selected).toEqual([5, 6, 7])
  // A link has steps but no last click: the first of them is where it begins.
  expect(chosen(ALL, { selected: [6], anchor: undefined }, 8, 'range').selected).toEqual([6, 7, 8])
  expect(chosen(ALL, NONE, 8, 'range').selected).toEqual([8])
  expect(chosen(ALL, { selected: [99], anchor: 99 }, 8, 'range').selected).toEqual([8])
})

test('keys say how', () => {
  expect(howOf(KEYS)).toBe('only')
  expect(howOf({ ...KEYS, metaKey: true })).toBe('also')
  expect(howOf({ ...KEYS, shiftKey: true })).toBe('range')
})
