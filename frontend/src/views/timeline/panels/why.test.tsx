import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { go } from '../../../state/place'
import { parseItems } from '../../compare/items'
import { Why } from './why'

const ERROR = { error: { kind: 'NotFoundError', message: 'complete steps=8: none' } }

afterEach(() => {
  render(null, document.body)
  go({ 'beside.upper': undefined, 'beside.lower': undefined, 'beside.profile': undefined })
})

async function shown(pairs: readonly object[], lacking: readonly object[] = [], status = 200): Promise<string> {
  const reply = { n_members: 1, n_pending: 0, n_failed: 0, result: { pairs, lacking } }
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response(JSON.stringify(status === 200 ? reply : ERROR), { status }))),
  )
  await act(() => render(<Why profile={{ run: 'r', worker: 'w', span: '1' }} />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
  return document.body.textContent
}

test('two steps above each other say why one is longer, and lead to all that differs', async () => {
  go({ 'beside.upper': '8', 'beside.lower': '9' })
  expect(await shown([{ headline: 'Step 9 takes 40.0 us longer.' }])).toBe(
    'Step 9 takes 40.0 µs longer. ? All that differs',
  )
  const link = new URLSearchParams(document.querySelector('a')?.href.split('#')[1])
  expect(parseItems(link.get('compare.items') ?? '')).toEqual(
    ['8', '9'].map((steps) => ({ run: 'r', worker: 'w', span: '1', steps })),
  )
})

test('what cannot be compared says why; of two profiles it is said which is which', async () => {
  go({ 'beside.upper': '8', 'beside.lower': '8', 'beside.profile': 's\tw\t1' })
  expect(await shown([], [{ reason: null }, { reason: 'It is empty.' }])).toBe('It is empty. A lies above, B below. ? ')
})

test('where the lower profile has no such step nothing is said here: the choice says it', async () => {
  go({ 'beside.upper': '8', 'beside.lower': '8', 'beside.profile': 's\tw\t2' })
  expect(await shown([], [], 404)).toBe('')
})

test('where no two steps lie above each other nothing is asked', async () => {
  for (const [upper, lower] of [
    ['begin', '9'],
    ['clock', 'clock'],
    ['9', '9'],
  ] as const) {
    go({ 'beside.upper': upper, 'beside.lower': lower })
    expect(await shown([])).toBe('')
    expect(fetch).not.toHaveBeenCalled()
  }
})
