import { expect, test } from 'vitest'

import { windowAround } from '../../layout/event_window'
import { parseOpen, toggledOpen } from './open'

test('what is open survives the link', () => {
  expect(toggledOpen(parseOpen(undefined), 'a')).toBe('a')
  expect(toggledOpen(parseOpen('a,b'), 'c')).toBe('a,b,c')
  expect(toggledOpen(parseOpen('a'), 'a')).toBeUndefined()
})

test('an event is shown with what is beside it', () => {
  expect(windowAround(1000, 100, 50)).toEqual([900, 1200])
  expect(windowAround(1000, 0, 50)).toEqual([975, 1025])
})
