/** Who did not come, on the first screen and on the tab. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { at, go } from '../../state/place'
import type { HangLast, HangReport, HangRow, HangStack } from '../../wire/wire'
import { Hang, HangNotice } from './hang'

const ROW: HangRow = {
  ...{ group: 'default_pg', sequence: 40, collective: 'all_gather', fault: 'missing', follows: false },
  ...{ at_fault: [4], missing: [4], differs: [5], done: [], started: [0, 1, 2, 5], scheduled: [], no_dump: [3] },
  sentence: 'Rank 4 never issued all_gather 40 of default_pg.',
}
const STACK: HangStack = { ranks: [4], is_at_fault: true, last: 'all_reduce 79 of tp', frames: ['train.py:89 step'] }
const DUMPS: HangReport = {
  place: 'a',
  n_dumps: 5,
  other_job: null,
  verdict: ROW.sentence,
  all_over: 'All is over.',
  rows: [ROW],
  stacks: [STACK],
  last: [],
  broken: [],
}
let page: HTMLElement

beforeEach(() => {
  page = document.body.appendChild(document.createElement('div'))
})

afterEach(async () => {
  await act(() => render(null, page))
  go({ 'ranks.show': undefined })
  page.remove()
})

async function show(...hangs: HangReport[]): Promise<void> {
  const both = (
    <>
      <HangNotice hangs={{ hangs }} />
      <main>
        <Hang hangs={{ hangs }} />
      </main>
    </>
  )
  await act(() => render(both, page))
}

test('a job with dumps says who it hangs for on the first screen, and its tab what each group waits in', async () => {
  await show(DUMPS)
  expect(page.querySelector('[role="alert"]')?.textContent).toBe(`${ROW.sentence} hang`)
  await act(() => page.querySelector<HTMLAnchorElement>('.ranks-verdict a')?.click())
  expect(at('ranks.show')).toBe('hang')
  const cells = [...page.querySelectorAll('.ranks-dimensions tbody td')].map((cell) => cell.textContent)
  expect(cells).toEqual(['default_pg', 'all_gather 40', '4', '5', '0-2, 5', '3']) // no state that no rank is in
  expect(page.querySelector('details')?.textContent).toContain('rank 4 (at fault), last all_reduce 79 of tp')
  expect(page.querySelector('.ranks-frames')?.textContent).toBe('train.py:89 step')
})

test('dumps of another job than the profiles are no alarm, and their tab says whose they are', async () => {
  const other = 'The dumps in folder a are of a job of 16 ranks.'
  await show({ ...DUMPS, other_job: other })
  expect(page.querySelector('[role="alert"]')).toBeNull()
  expect(page.querySelector('.view-note')?.textContent).toBe(`${other} hang`)
  expect(page.querySelector('main')?.textContent).toContain(`${other}${ROW.sentence}`)
})

test('each folder of dumps is a hang of its own', async () => {
  const empty = { ...DUMPS, rows: [], stacks: [] }
  await show(empty, { ...empty, place: 'b', verdict: 'Rank 6 did not come.' }, { ...empty, place: 'c', verdict: null })
  expect(page.querySelector('[role="alert"]')?.textContent).toBe(`${ROW.sentence} 1 other hang left dumps too. hang`)
  expect([...page.querySelectorAll('main .ranks-hang')].map((each) => each.textContent)).toEqual([
    `a${ROW.sentence} (5 dumps read)`,
    'bRank 6 did not come. (5 dumps read)',
    'cAll is over. (5 dumps read)',
  ])
})

test('each rank says what it did last, and who is at fault and the first who waits stand open', async () => {
  const call = {
    collective: 'all_reduce 79',
    group: 'tp',
    size: '8 Float',
    state: 'over',
    issued_ns: -1_080_000,
  } as const
  const of = (rank: number): HangLast => ({
    rank,
    is_at_fault: rank === 4,
    waited_ns: null,
    timeout_ns: null,
    calls: [call],
  })
  const waits = { ...of(0), waited_ns: 4_999_000, timeout_ns: 6e11 }
  const newest = { ...of(1), timeout_ns: 6e11 } // issued at the last time that is known: how long is not told
  await show({ ...DUMPS, last: [of(4), waits, newest] })
  const parts = [...page.querySelectorAll<HTMLDetailsElement>('[aria-label="Last calls of each rank"] details')]
  expect(parts.map((part) => part.open)).toEqual([true, true, false])
  expect(parts.map((part) => part.querySelector('summary')?.textContent)).toEqual([
    'rank 4 (at fault)',
    'rank 0 has waited 5.00 ms at least, torch ends its call after 600 s',
    'rank 1, torch ends its call after 600 s',
  ])
  expect([...(parts[0]?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent)).toEqual([
    ...['tp', 'all_reduce 79', '8 Float', 'over', '−1.08 ms'],
  ])
  expect(page.textContent).toContain('The first 3 of 5 ranks.')
})
