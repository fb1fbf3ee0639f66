import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'

import type { TimelineStore } from '../store/store'
import { Found } from './found'

/** What the bar says; `kept`: what the filters keep. */
async function words(total: number, kept?: object): Promise<string | undefined> {
  const reply = total === 0 ? undefined : { total, total_ns: 130e6, hits: [], offset: 0 }
  const store = { search: { state: { value: { reply, current: -1 } } }, kept } as unknown as TimelineStore
  await act(() => render(<Found store={store} />, document.body))
  return document.querySelector('span')?.textContent
}

test('a search takes no notice of the filters, and says so where there are some', async () => {
  expect(await words(402, {})).toBe('402 hits, 130 ms, of everything')
  expect(await words(402)).toBe('402 hits, 130 ms')
  expect(await words(0, {})).toBe('no event')
})
