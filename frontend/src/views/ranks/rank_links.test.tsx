/** Numbers that stand for a rank in a step, a clock or another recording lead there with one click. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { askOnce } from '../../data/runs'
import { at, go } from '../../state/place'
import type { BesideRow, HostRow, InstanceRow, RanksTable, StageRow } from '../../wire/wire'
import { Beside, placeOfEvents } from './beside'
import { PipelineTable } from './pipeline/pipeline'
import { BESIDE_ROW, HOST_ROW, STAGE_ROW } from './row_figures'
import { HostTable } from './tables'

const KEYS = ['run', 'worker', 'span', 'view', 'ranks.show', 'ranks.of', 'ranks.step', 'ranks.clock', 'ranks.rank']
const NOWHERE = Object.fromEntries(KEYS.map((key) => [key, undefined]))
let page: HTMLElement

beforeEach(() => {
  forgetReplies()
  page = document.body.appendChild(document.createElement('div'))
})

afterEach(async () => {
  await act(() => render(null, page))
  go({ ...NOWHERE, 'ranks.by': undefined })
  page.remove()
  vi.unstubAllGlobals()
})

/** Where each link of these words leads: what the keys are. */
async function follow(words: RegExp, ...keys: readonly string[]): Promise<(string | undefined)[][]> {
  const links = [...page.querySelectorAll<HTMLAnchorElement>('tr.row a')].filter((link) => words.test(link.textContent))
  const found = []
  for (const link of links) {
    await act(() => link.click())
    found.push(keys.map(at))
  }
  return found
}

test('the longest bubble of a stage leads to that step of its replica', async () => {
  const most = { most_bubble_ns: 9e6, most_bubble_rank: 6, most_bubble_step: 11, most_bubble_replica: [6, 0, 2, 4] }
  const stages = [rowOf<StageRow>(STAGE_ROW, { stage: 3, ...most })]
  const table = { stages, pipeline: { n_stages: 4, window_ns: 40e6, bubble_ns: 9e6 } } as unknown as RanksTable
  await act(() => render(<PipelineTable table={table} run="job" />, page))
  expect(await follow(/^9.00 ms, rank 6, step 11$/, 'ranks.show', 'ranks.step', 'ranks.of')).toEqual([
    ['lanes', '11', '0,2,4,6'],
  ])
})

test('a clock’s offset leads to both hosts on their own clocks; the first one’s leads nowhere', async () => {
  const host = (name: string, first: number, component: number, offset: number | null): HostRow =>
    rowOf<HostRow>(HOST_ROW, { host: name, first_rank: first, component, offset_ns: offset })
  const all = (rows: readonly HostRow[], whole = rows) => ({
    ...{
      table: { hosts: rows } as unknown as RanksTable,
      whole: { hosts: whole, clock_notes: [] } as unknown as RanksTable,
      run: 'job',
    },
  })
  const hosts = [host('a', 0, 0, 0), host('b', 8, 0, 5e6), host('c', 16, 1, 3e6), host('d', 24, 1, 2e6)]
  await act(() => render(<HostTable {...all(hosts)} />, page))
  expect(await follow(/ ms$/, 'ranks.show', 'ranks.of', 'ranks.clock')).toEqual([
    ['lanes', '0,8', 'raw'],
    ['lanes', '16,24', 'raw'],
  ])
  // A row alone is held against what it was held against.
  await act(() => render(<HostTable {...all(hosts.slice(1, 2), hosts)} />, page))
  expect(page.querySelector('tr.row')?.textContent).not.toContain('reference')
  expect(await follow(/ ms$/, 'ranks.of')).toEqual([['0,8']])
})

test('of two recordings each time leads to what it is of, in its own', async () => {
  const of = (name: string, more: object): BesideRow =>
    rowOf<BesideRow>(BESIDE_ROW, { of: name, time: 'step', ...more })
  const rows = [
    of('all ranks', { run_ns: 1e6, beside_ns: 2e6 }),
    of('rank 3', { run_ns: 3e6, beside_ns: 4e6 }),
    of('tensor', { run_ns: 5e6 }),
    of('rank 3', { time: 'exposed wait', run_ns: 900, beside_ns: 6e6, change_ns: 1100 }),
    of('all ranks', { time: 'copy', run_ns: 7e6, beside_ns: 8e6, change_ns: 1300 }),
  ]
  const worker = { name: 'w0', opens: 's', in_ranks: 's', spans: [{ name: 's', files: [] }] }
  const names = ['job', 'other'].map((name) => ({ name, workers: [worker, { ...worker, name: 'w1' }] }))
  const result = { run: 'job', clock_error_ns: 1200, differs: [], reason: null, rows }
  const joint = { n_members: 4, n_pending: 0, n_failed: 0, result }
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(new Response(JSON.stringify(address.includes('beside') ? joint : { runs: names }))),
  )
  await askOnce()
  go({ run: 'job', worker: 'w0', span: 's' })
  const whole = { ranks: [{ rank: 3 }], dimensions: [{ name: 'tensor' }], jobs: [] } as unknown as RanksTable
  const narrowed = { ranks: [], dimensions: whole.dimensions } as unknown as RanksTable
  await act(() => render(<Beside table={whole} whole={whole} run="job" />, page))
  await vi.waitFor(() => expect(page.querySelectorAll('tr.row')).toHaveLength(5))
  const where = async (words: RegExp) => follow(words, 'run', 'ranks.show', 'ranks.rank', 'ranks.collective.q')
  expect(await where(/^1.00 ms$/)).toEqual([['job', undefined, undefined, undefined]])
  expect(await where(/^3.00 ms$/)).toEqual([['job', 'ranks', '3', undefined]])
  expect(await where(/^5.00 ms$/)).toEqual([['job', 'collectives', '3', '^tensor$']])
  const links = [...page.querySelectorAll('tr.row a')].map((link) => link.textContent)
  // What is not there leads nowhere; a name leads to events that are known here.
  expect(links.sort()).toEqual(
    [
      ...Array.from({ length: 8 }, (_, nth) => `${nth + 1}.00 ms`).filter((_, nth) => nth !== 5),
      '6.00 ms',
      'under 1.20 µs',
    ]
      .concat('all ranks', 'all ranks', 'rank 3', 'rank 3')
      .sort(),
  )
  // What clocks cannot tell is no difference: it has no bar, and stands below what is.
  const changes = [...page.querySelectorAll('tr.row td:nth-child(3)')].map((cell) => [cell.textContent, cell.hasAttribute('data-bar')]) // prettier-ignore
  expect(changes.slice(0, 2)).toEqual([
    ['+1.30 µs', true],
    ['under 1.20 µs', false],
  ])
  const tensor = [...page.querySelectorAll('tr.row')].find((row) => row.firstChild?.textContent === 'tensor')
  expect([...(tensor?.children ?? [])].map((cell) => cell.textContent).slice(2)).toEqual([
    'not in both',
    '5.00 ms',
    'not in it',
  ])
  expect(await where(/^4.00 ms$/)).toEqual([['other', 'ranks', '3', '^tensor$']])
  expect(page.textContent).not.toContain('no run')
  await act(() => go({ 'ranks.beside': 'nope\t17' }))
  expect(page.textContent).toContain('There is no run nope, recording 17 to lie beside: the most alike does.')
  await act(() => go({ 'ranks.beside': undefined }))
  await act(() => render(<Beside table={narrowed} whole={whole} run="job" />, page))
  expect([...page.querySelectorAll('tr.row')].map((row) => row.firstChild?.textContent)).toEqual([
    'all ranks',
    'all ranks',
    'tensor',
  ])
})

test('a row of two recordings leads to the events it counts, and none where only the other one has it', () => {
  const longest = {
    step: 7,
    ranks: [1, 0],
    worker: 'w1',
    row: 42,
    begin_ns: 300,
    lasts_ns: 90,
  } as unknown as InstanceRow
  const table = {
    ranks: [{ rank: 1, worker: 'w1', span: 's1' }],
    dimensions: [{ name: 'tensor', longest }],
  } as unknown as RanksTable
  const of = (name: string, time: string) => placeOfEvents({ of: name, time }, table, 'job')
  const own = { run: 'job', worker: 'w1', span: 's1' }
  expect(of('all ranks', 'step')).toMatchObject({ 'ranks.show': 'lanes', 'ranks.step': undefined })
  expect(of('tensor', 'exposed wait')).toMatchObject({ 'ranks.step': '7', 'ranks.worker': 'w1', 'ranks.row': '42' })
  expect(of('rank 1', 'own time')).toMatchObject({ ...own, view: 'timeline' })
  expect(of('rank 1', 'exposed wait')).toMatchObject({ ...own, view: 'kernels', 'kernels.category': 'communication' })
  expect(of('rank 9', 'step')).toBeUndefined()
  expect(of('data', 'exposed wait')).toBeUndefined()
})
