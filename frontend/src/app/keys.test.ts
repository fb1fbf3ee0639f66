import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { go } from '../state/place'
import { openPalette } from './help'
import { focusSearch } from './keys'
import { noteDrawn } from './slot/shown_view'

vi.mock('./help', () => ({ openPalette: vi.fn(), openHelp: vi.fn() }))

beforeEach(() => {
  vi.useFakeTimers()
  vi.mocked(openPalette).mockClear()
  go({ view: 'ranks' })
})

afterEach(() => vi.useRealTimers())

test('a view that is there without a search field gives way to the palette at once', () => {
  document.body.innerHTML = '<main><div class="ranks"></div></main>'
  noteDrawn('ranks')
  focusSearch()
  expect(openPalette).toHaveBeenCalledOnce()
})

test.each([
  ['overview', ''],
  ['ranks', '<p class="notice is-late"></p>'],
])('the search of a view that is on its way is waited for', (drawn, inside) => {
  document.body.innerHTML = `<main>${inside}</main>`
  noteDrawn(drawn)
  focusSearch()
  expect(openPalette).not.toHaveBeenCalled()
  document.body.innerHTML = '<main><input data-search></main>'
  vi.advanceTimersByTime(200)
  expect(document.activeElement?.tagName).toBe('INPUT')
  expect(openPalette).not.toHaveBeenCalled()
})
