/** A page over replies of a made-up server: time stands still until a test lets it pass, and the next test finds nothing. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, vi } from 'vitest'

import { forgetReplies } from '../src/data/kept'
import { go, place } from '../src/state/place'

/** For each test of the file that calls it. */
export function onMadeUpServer(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    render(null, document.body)
    vi.useRealTimers()
    vi.unstubAllGlobals()
    forgetReplies()
    go(Object.fromEntries(Object.keys(place.value).map((key) => [key, undefined])))
  })
}

/** Lets time pass, and what was asked be answered. */
export async function pass(ms = 0): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })
}
