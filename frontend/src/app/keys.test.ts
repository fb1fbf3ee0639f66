import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { go } from '../state/place'
import { openPalette } from './help'
import { focusSearch } from './keys'
import { noteDrawn } from './slot/shown_view'

/** The page with this in its main part, of a class or an input. */
function show(tag: 'div' | 'input', className = ''): void {
  const inside = document.createElement(tag)
  inside.className = className
  inside.toggleAttribute('data-search', tag === 'input')
  const main = document.createElement('main')
  main.append(inside)
  document.body.replaceChildren(main)
}

vi.mock('./help', () => ({ openPalette: vi.fn(), openHelp: vi.fn() }))

beforeEach(() => {
  vi.useFakeTimers()
  vi.mocked(openPalette).mockClear()
  go({ view: 'ranks' })
})

afterEach(() => vi.useRealTimers())

test('a view that is there without a search field gives way to the palette at once', () => {
  show('div', 'ranks')
  noteDrawn('ranks')
  focusSearch()
  expect(openPalette).toHaveBeenCalledOnce()
})

test.each([
  ['overview', ''],
  ['ranks', 'notice is-late'],
])('the search of a view that is on its way is waited for', (drawn, inside) => {
  show('div', inside)
  noteDrawn(drawn)
  focusSearch()
  expect(openPalette).not.toHaveBeenCalled()
  show('input')
  vi.advanceTimersByTime(200)
  expect(document.activeElement?.tagName).toBe('INPUT')
  expect(openPalette).not.toHaveBeenCalled()
})
