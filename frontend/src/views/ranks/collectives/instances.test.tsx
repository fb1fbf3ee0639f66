/** A row's collectives over time: where the dots stand, who is marked, and what the table lists. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { rowOf } from '../../../../test/rows'
import { forgetReplies } from '../../../data/kept'
import { at, go } from '../../../state/place'
import type { CollectiveRow, InstanceRow, LinkRow, RankInstances, RanksTable } from '../../../wire/wire'
import { Instances } from './instances'
import { EVERYTHING, UNPINNED } from '../rank_links'
import { LINK_ROW } from '../row_figures'
import { CollectiveTable, LinkTable } from '../tables'

const KIND = {
  ...{ dimension: 'tensor', kind: 'all-reduce', n_ranks: 2, bytes: 1024 },
  ...{ group: null, sequence: null, members: '0-1' },
}
const ROW: CollectiveRow = {
  ...KIND,
  n_instances: 30,
  wait_ns: 0,
  transfer_ns: 0,
  untold_ns: 0,
  exposed_wait_ns: 0,
  exposed_transfer_ns: 0,
  exposed_untold_ns: 0,
  median_transfer_ns: 0,
  bus_bytes_per_s: null,
  low_bus_bytes_per_s: null,
  least_bus_bytes_per_s: null,
  last_rank: 1,
  last_share: 0.5,
  n_late: 4,
  n_mismatches: 0,
  longest_took_ns: null,
  longest: null,
}
const ROWS: readonly InstanceRow[] = [
  {
    ...KIND,
    at_ns: 0,
    step: 10,
    wait_ns: 100_000,
    transfer_ns: 50_000,
    last_ranks: [1],
    n_last: 1,
    worker: 'w1',
    row: 5,
    ranks: [0, 1],
    begin_ns: 300_000,
    lasts_ns: 150_000,
  },
  {
    ...KIND,
    at_ns: 500_000,
    step: 11,
    wait_ns: 200_000,
    transfer_ns: null,
    last_ranks: [0, 1],
    n_last: 2,
    worker: 'w0',
    row: 6,
    ranks: [0, 1],
    begin_ns: 300_000,
    lasts_ns: 210_000,
  },
  {
    ...KIND,
    at_ns: 1_000_000,
    step: null,
    wait_ns: 0,
    transfer_ns: 400_000,
    last_ranks: [0],
    n_last: 1,
    worker: 'w0',
    row: 7,
    ranks: [0, 1],
    begin_ns: 300_000,
    lasts_ns: 400_000,
  },
]

let page: HTMLElement
let asked: string[]

async function show(result: RankInstances): Promise<void> {
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string) => {
      asked.push(address)
      return Promise.resolve(new Response(JSON.stringify({ n_members: 2, n_pending: 0, n_failed: 0, result })))
    }),
  )
  await act(() => render(<Instances run="job" of={ROW} error={null} />, page))
  await vi.waitFor(() => expect(page.textContent).not.toBe('Reading.'))
}

beforeEach(() => {
  forgetReplies()
  asked = []
  page = document.body.appendChild(document.createElement('div'))
})

afterEach(async () => {
  await act(() => render(null, page))
  go({
    ...EVERYTHING,
    ...UNPINNED,
    'ranks.show': undefined,
    'ranks.each': undefined,
    'ranks.of': undefined,
    'ranks.step': undefined,
  })
  page.remove()
  vi.unstubAllGlobals()
})

test('each has a dot of its wait and, where it is known, one of its transfer: later is right, longer is up', async () => {
  await show({ run: 'job', n_instances: 30, reason: null, rows: ROWS })
  expect(asked[0]).toMatch(/view\/ranks\/instances\?.*bytes=1024/)
  const numbers = (selector: string, name: string) =>
    [...page.querySelectorAll(selector)].map((dot) => Number(dot.getAttribute(name)))
  const x = numbers('circle.is-wait', 'cx')
  expect(x[1]).toBe(((x[0] ?? 0) + (x[2] ?? 0)) / 2)
  const wait = numbers('circle.is-wait', 'cy')
  const transfer = numbers('circle:not(.is-wait)', 'cy')
  expect(transfer).toHaveLength(2)
  const [zero, most] = [wait[2] ?? 0, transfer[1] ?? 0]
  expect(most).toBeLessThan(zero)
  expect(wait[0]).toBeCloseTo(zero + (most - zero) / 4)
  expect(wait[1]).toBeCloseTo(zero + (most - zero) / 2)
  expect(transfer[0]).toBeCloseTo(zero + (most - zero) / 8)
  expect([...page.querySelectorAll('svg text')].map((text) => text.textContent)).toEqual([
    '0 ns',
    '400 µs',
    '0 ns',
    '1.00 ms',
  ])
})

test('dots have the colour of who came last, of the few that did so most often', async () => {
  const some = Array.from({ length: 6 }, (_, rank) => ({ ...ROWS[0], last_ranks: [rank + 1] }) as InstanceRow)
  await show({ run: 'job', n_instances: 30, reason: null, rows: [...ROWS, ...some] })
  const colors = [...page.querySelectorAll<SVGElement>('svg g')].map((dots) => dots.style.color)
  const [first, , second] = ['--c-communication', '--c-kernel', '--c-kernel'].map((name) => `var(${name})`)
  expect(colors.slice(0, 5)).toEqual([first, '', second, first, 'var(--c-reduction)'])
  expect(colors.at(-1)).toBe('var(--text-soft)')
  expect(page.textContent).toContain('came last: rank 1 2 times rank 0 1 time')
  expect(page.textContent).toContain('2 other ranksseveral together 1 time')
  expect(page.querySelectorAll('g title')[1]?.textContent).toContain('ranks 0 and 1 came last together')
  expect(page.querySelector('g title')?.textContent).toContain('step 10')
})

test('the table lists the longest first, and says what was not recorded', async () => {
  await show({ run: 'job', n_instances: 30, reason: null, rows: ROWS })
  const cells = [...page.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent),
  )
  expect(cells).toEqual([
    ['in no step', '1.00 ms', '0 ns', '400 µs', 'rank 0'],
    ['11', '500 µs', '200 µs', 'not recorded', 'ranks 0 and 1 together'],
    ['10', '0 ns', '100 µs', '50.0 µs', 'rank 1'],
  ])
  expect(page.textContent).toContain('3 longest of 30 collectives')
  await act(() => [...page.querySelectorAll('a')].find(({ textContent: text }) => text === 'all 30')?.click())
  expect(at('ranks.each')).toBe('dimension=tensor&kind=all-reduce&n_ranks=2&bytes=1024')
})

test('a step leads to its ranks side by side, and who came last to the rank in that step', async () => {
  go({ 'ranks.t0_ns': '5', 'ranks.t1_ns': '9', 'ranks.step': '9' }) // another step, zoomed in
  await show({ run: 'job', n_instances: 30, reason: null, rows: ROWS })
  const links = [...page.querySelectorAll('tbody a')].map((link) => link.getAttribute('href'))
  expect(links).toHaveLength(7) // two came last together to one
  expect(links[0]).toContain('ranks.step=all') // it lies in no step
  expect(links[1]).toContain('ranks.rank=0')
  expect(links[2]).toMatch(/ranks.show=lanes.*ranks.step=11|ranks.step=11.*ranks.show=lanes/)
  expect(links[2]).toMatch(/ranks.t0_ns=230000.*ranks.t1_ns=580000/) // a third of it on either side
  expect(links[2]).toMatch(/ranks.worker=w0.*ranks.row=6|ranks.row=6.*ranks.worker=w0/)
  expect(links[5]).toContain('ranks.step=10')
  expect(links[6]).toContain('ranks.at=10')
})

test('a dot opens its collective among its ranks; outside of every step in the picture of all', async () => {
  await show({ run: 'job', n_instances: 30, reason: null, rows: ROWS })
  const [first, , outside] = page.querySelectorAll('svg g')
  first?.dispatchEvent(new MouseEvent('click'))
  expect([at('ranks.show'), at('ranks.step'), at('ranks.of')]).toEqual(['lanes', '10', '0,1'])
  expect([at('ranks.worker'), at('ranks.row')]).toEqual(['w1', '5'])
  expect([at('ranks.t0_ns'), at('ranks.t1_ns')]).toEqual(['250000', '500000'])
  outside?.dispatchEvent(new MouseEvent('click'))
  expect([at('ranks.step'), at('ranks.worker'), at('ranks.row')]).toEqual(['all', 'w0', '7'])
})

test('by keys one goes from dot to dot, hears which it is, and opens it', async () => {
  await show({ run: 'job', n_instances: 30, reason: null, rows: ROWS })
  const plot = page.querySelector('svg')
  const outer = vi.fn()
  page.addEventListener('keydown', outer)
  const press = async (code: string) => {
    await act(() => void plot?.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true, cancelable: true })))
    const large = [...page.querySelectorAll('svg g')].map(
      (dots) => dots.querySelector('circle')?.getAttribute('r') === '6',
    )
    expect(page.querySelector('[role=status]')?.textContent ?? '').toBe(
      large.includes(true) ? plot?.getAttribute('aria-label') : '',
    )
    return large.indexOf(true)
  }
  expect(plot?.getAttribute('tabindex')).toBe('0')
  expect(page.querySelectorAll('svg [tabindex]')).toHaveLength(0)
  expect(await press('Enter')).toBe(-1)
  expect(at('ranks.row')).toBeUndefined()
  const walk = []
  for (const code of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'End', 'ArrowRight', 'Home', 'ArrowRight'])
    walk.push(await press(code))
  expect(walk).toEqual([0, 1, 0, 0, 2, 2, 0, 1])
  expect(plot?.getAttribute('aria-label')).toBe(
    'step 11: longest wait 200 µs, transfer not recorded, ranks 0 and 1 came last together',
  )
  outer.mockClear()
  await press('Tab')
  expect(outer).toHaveBeenCalledOnce() // what is not its own goes on
  await press('Enter')
  expect([at('ranks.show'), at('ranks.step'), at('ranks.row')]).toEqual(['lanes', '11', '6'])
  expect(outer).toHaveBeenCalledOnce()
})

test('a row of collectives or links names its longest, which leads there; without one that is said', async () => {
  const [inStep, , outside] = ROWS
  const longest = [
    { longest_took_ns: 150_000, longest: inStep ?? null },
    { longest_took_ns: 400_000, longest: outside ?? null },
    { longest_took_ns: null, longest: null },
  ]
  const collectives = longest.map((more, bytes) => ({ ...ROW, bytes, ...more }))
  const links = longest.map((more, nth) =>
    rowOf<LinkRow>(LINK_ROW, { hosts: `node${nth}`, dimension: 'data', ...more }),
  )
  const table = { collectives, links, hosts: [], dimensions: [] } as unknown as RanksTable
  for (const Table of [CollectiveTable, LinkTable]) {
    await act(() => render(<Table table={table} whole={table} run="job" />, page))
    const found = [...page.querySelectorAll<HTMLAnchorElement>('tr.row a')].filter((link) =>
      / in /.test(link.textContent),
    )
    expect(found.map((link) => link.textContent).toSorted()).toEqual(['150 µs in step 10', '400 µs in no step'])
    expect(page.querySelectorAll('tr.row')).toHaveLength(3)
    await act(() => found.find((link) => link.textContent.endsWith('step 10'))?.click())
    expect([at('ranks.show'), at('ranks.step'), at('ranks.row'), at('ranks.t0_ns')]).toEqual([
      'lanes',
      '10',
      '5',
      '250000',
    ])
    await act(() => render(null, page))
  }
})

test('why there is none is said', async () => {
  await show({ run: 'job', n_instances: 0, reason: 'No collective has a wait.', rows: [] })
  expect(page.textContent).toBe('No collective has a wait.')
})
