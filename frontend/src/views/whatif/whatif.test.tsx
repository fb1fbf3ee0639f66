/** The what-if view as a user meets it, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import type { WhatIf } from '../../wire/wire'
import { WhatIfView } from './index'

const REPLY_MS = 20 // for a made-up reply to be read and drawn

const ANSWER: WhatIf = {
  refused: null,
  on_ranks: null,
  of_job: [],
  n_steps: 2,
  recorded_ns: 200_000_000,
  trust: {
    replayed_ns: 201_000_000,
    error_share: 0.005,
    worst_error_share: 0.01,
    constants_error_share: 0.01,
    unexplained_share: 0,
    not_launched_share: 0,
    n_anchored: 0,
    n_lost: 0,
  },
  recorded_path: { host_share: 0.9, device_share: 0.1, communication_share: 0, waiting_share: 0 },
  edited_ns: 100_000_000,
  change_ns: -100_000_000,
  at_best: true,
  low_change_ns: -120_000_000,
  high_change_ns: -80_000_000,
  edited_path: { host_share: 0.2, device_share: 0.8, communication_share: 0, waiting_share: 0 },
  alone: [
    { edit: 'loader=0', step_ns: 100_000_000, change_ns: -100_000_000 },
    { edit: 'host=0.9', step_ns: 189_000_000, change_ns: -11_000_000 },
  ],
  steps: [],
  effects: [
    { kind: 'operator', name: '<b>mm</b>', edit: 'operator:mm=0.9', own_ns: 9, gain_ns: 2_000_000, effect_share: 0.01 },
  ],
  forms: [{ example: 'sync=0', says: 'waits' }],
  caveats: ['Clocks stay.'],
}

async function show(answer: WhatIf): Promise<string> {
  const reply = { view: 'whatif', missing: null, notes: [], result: answer }
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response(JSON.stringify(reply), { status: 200 }))),
  )
  await act(() => render(<WhatIfView profile={{ run: 'r', worker: 'w', span: '1' }} />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, REPLY_MS)))
  return document.body.textContent
}

async function click(selector: string): Promise<void> {
  await act(() => document.querySelector<HTMLElement>(selector)?.click())
}

beforeEach(() => {
  forgetReplies()
  go({ view: 'whatif', 'whatif.edit': 'loader=0\nhost=0.9' })
})

afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
})

test('the step, how sure that is, what it is bound by, and each edit alone', async () => {
  const page = await show(ANSWER)
  expect(vi.mocked(fetch).mock.calls[0]?.[0]).toContain('edit=loader%3D0%0Ahost%3D0.9')
  expect(page).toContain('step 100 ms −100 ms (50.0 %)at best between −120 ms and −80.0 ms')
  expect(page).toContain('(replay 0.50 % too long)')
  expect(page).toContain('host 90.0 % → 20.0 %')
  expect(page).toContain('host=0.9−11.0 ms')
  expect(page).toContain('Clocks stay.')
  expect(document.querySelector('b')).toBeNull()
})

test('edits are taken away and added by a click; the link says which', async () => {
  await show(ANSWER)
  await click('.edit')
  expect(at('whatif.edit')).toBe('host=0.9')
  await click('.whatif-rows .link')
  expect(at('whatif.edit')).toBe('host=0.9\noperator:mm=0.9')
})

test('where it is refused no estimate is shown', async () => {
  const unknown = { edited_ns: null, change_ns: null, low_change_ns: null, high_change_ns: null }
  const none = { ...unknown, edited_path: null, recorded_path: null }
  const page = await show({ ...ANSWER, ...none, refused: 'launches are not in the file', alone: [], effects: [] })
  expect(page).toContain('No estimate: launches are not in the file.')
  expect(document.querySelector('.whatif-bars')).toBeNull()
})

test('of one of several ranks it leads to all of them, with the edits that are asked there', async () => {
  const page = await show({ ...ANSWER, on_ranks: 'This is of one rank.', of_job: ['rank=5', 'stages=even'] })
  expect(page).toContain('This is of one rank. open Ranks')
  await click('.view-note a')
  expect([at('view'), at('ranks.what_if')]).toEqual(['ranks', 'rank=5\nstages=even'])
})
