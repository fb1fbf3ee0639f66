import { beforeEach, expect, test, vi } from 'vitest'

import { addressOf, adjust, at, go } from './place'

function back(hash: string): void {
  history.replaceState(null, '', hash)
  window.dispatchEvent(new Event('popstate'))
}

beforeEach(() => {
  vi.useFakeTimers()
  back('#view=overview')
})

test('a navigation is a history entry, at once', () => {
  const before = history.length
  go({ view: 'kernels' })
  expect(location.hash).toBe('#view=kernels')
  expect(history.length).toBe(before + 1)
})

test('going where one is adds no entry', () => {
  const before = history.length
  go({ view: 'overview' })
  expect(history.length).toBe(before)
})

test('a zoom shows at once, reaches the link a moment later, and adds no entry', () => {
  const before = history.length
  adjust({ 'timeline.t0_ns': '1' })
  adjust({ 'timeline.t0_ns': '2' })
  expect(at('timeline.t0_ns')).toBe('2')
  expect(location.hash).toBe('#view=overview')
  vi.advanceTimersByTime(250)
  expect(location.hash).toBe('#view=overview&timeline.t0_ns=2')
  expect(history.length).toBe(before)
})

test('what was typed before a navigation belongs to the entry that is left', () => {
  const write = vi.spyOn(history, 'replaceState')
  adjust({ 'operators.q': 'mm' })
  go({ view: 'kernels' })
  expect(write.mock.calls.at(-1)?.[2]).toBe('#view=overview&operators.q=mm')
})

test('back and forward move the page', () => {
  go({ view: 'kernels' })
  back('#view=overview')
  expect(at('view')).toBe('overview')
})

test('a link holds changes that are not made', () => {
  expect(new URL(addressOf({ 'kernels.row': 'a b' })).hash).toBe('#view=overview&kernels.row=a%20b')
  expect(at('kernels.row')).toBeUndefined()
})
