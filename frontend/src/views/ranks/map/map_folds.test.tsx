/** What is made of a map before it is drawn: hosts and stages instead of ranks, a mean, how many values lie where, what is copied. */
import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'

import { TABLE, rank, reply, show } from '../../../../test/made_up_ranks'
import { onMadeUpServer } from '../../../../test/made_up_server'
import { at, go } from '../../../state/place'
import { folded, foldsFor, withMean } from './map_folds'
import { copies } from './map_copy'
import { barsOf } from './map_histogram'
import { said } from './map_words'
import { awayOf } from './matrix'
import type { ShownMatrix } from './matrix'
import { scaleOf } from './scale'

onMadeUpServer()

const RANKS = [0, 1, 2].map((number) => rank(number, { host: number < 2 ? 'a' : 'b', stage: number % 2 }))
const MATRIX: ShownMatrix = {
  ...{
    run: 'job',
    measure: 'step',
    axes: 'step',
    unit: 'ns',
    least_told_ns: null,
    reason: null,
    row_title: 'rank',
    column_title: 'step',
  },
  ...{ rows: ['rank 0', 'rank 1', 'rank 2'], columns: ['7', '8'] },
  ...{ ranks: [0, 1, 2].map((each) => [each, each]), middle: [4, 4], hundred: [4, 4] },
  values: [
    [2, null],
    [6, 4],
    [4, 8],
  ],
}

test('a host has the worst of its ranks, whose cell it is, and their mean; open it is followed by them', () => {
  const { rows, values, ranks, folds } = folded(MATRIX, RANKS, 'host', ['a'])
  expect(rows).toEqual(['▾ a (2)', 'rank 0', 'rank 1', '▸ b (1)'])
  expect(values).toEqual([[6, 4], [2, null], [6, 4], [4, 8]]) // prettier-ignore
  expect(ranks[0]).toEqual([1, 1])
  expect(folds?.map((fold) => fold && [fold.name, fold.ranks, fold.means])).toEqual([
    ['a', [0, 1], [4, 4]],
    undefined,
    undefined,
    ['b', [2], [4, 8]],
  ])
  const rates: ShownMatrix = { ...MATRIX, unit: 'bytes_per_s' }
  expect(folded(rates, RANKS, 'stage', []).values).toEqual([[2, 8], [6, 4]]) // prettier-ignore
})

test('hosts stand as one looks for their names, or as what is measured is sorted', () => {
  const ranks = RANKS.map((row, at) => ({ ...row, host: `r${[10, 2, 1][at]}-node0001` }))
  const hosts = (isSorted: boolean) => folded(MATRIX, ranks, 'host', [], isSorted).folds?.map((fold) => fold?.name)
  expect(hosts(false)).toEqual(['r1-node0001', 'r2-node0001', 'r10-node0001'])
  expect(hosts(true)).toEqual(['r10-node0001', 'r2-node0001', 'r1-node0001'])
})

test('ranks are folded by what tells some of them apart, and by nothing where rows are no ranks', () => {
  expect(foldsFor(RANKS, 'step')).toEqual(['host', 'stage'])
  expect(foldsFor(RANKS, 'kind')).toEqual(['host', 'stage'])
  expect(foldsFor(RANKS, 'host')).toEqual([])
  expect(foldsFor([rank(0, { host: 'a' }), rank(1, { host: 'b' })], 'step')).toEqual([])
})

test('beside several steps stands the mean, of memory the most', () => {
  const mean = withMean(MATRIX)
  expect([mean.columns.at(-1), mean.values.map((row) => row.at(-1))]).toEqual(['mean', [2, 5, 6]])
  const most = withMean({ ...MATRIX, unit: 'bytes' })
  expect([most.columns.at(-1), most.values.map((row) => row.at(-1))]).toEqual(['most', [2, 6, 8]])
  expect(withMean({ ...MATRIX, axes: 'kind' })).toEqual({ ...MATRIX, axes: 'kind' })
})

test('a mean is as far from its peers as its steps are in the mean, whichever ranks and steps are shown', () => {
  // Of ranks that all take longer than the others, which are not shown.
  const narrowed: ShownMatrix = { ...MATRIX, rows: ['rank 1', 'rank 2'], ranks: [[1, 1], [2, 2]], values: [[26, 22], [null, 30]], middle: [20, 10], hundred: [20, 10] } // prettier-ignore
  const mean = withMean(narrowed)
  const aways = (of: ShownMatrix) => of.rows.map((_, row) => awayOf(of, { row, column: 2 }))
  expect(aways(mean)).toEqual([9, 20])
  expect(aways({ ...mean, isPercent: true })).toEqual([60, 200])
  expect(aways(folded(mean, RANKS, 'host', ['a']))).toEqual([9, 9, 20])
  expect(aways(withMean({ ...narrowed, unit: 'bytes' }))).toEqual([6, 20])
  const table = { ...TABLE, ranks: RANKS }
  expect(said(table, mean, { row: 0, column: 2 })).toBe('rank 1 (a), mean of its steps: 24 ns, median 15 ns (24 ns)')
  const most = said(table, { ...mean, isPercent: true }, { row: 1, column: 2 })
  expect(most).toBe('rank 2 (b), mean of its steps: +200 %, 30 ns, median 10 ns (30 ns)')
})

test('bars hold every value once, from the least to the most', () => {
  const bars = barsOf(MATRIX, scaleOf([-2, 2, 0, 0, 4], 1))
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(5)
  expect([bars[0]?.count, [...(bars[0]?.ranks ?? [])], bars.at(-1)?.count]).toEqual([1, [0], 1])
})

test('a cell, its row and the whole map are copied in base units', () => {
  const table = { ...TABLE, ranks: RANKS }
  const texts = copies(table, MATRIX, { row: 1, column: 0 }).map(({ label, text }) => [label, text?.()])
  expect(texts.slice(0, 4)).toEqual([
    ['Copy value', 'rank 1 (a), step 7: 6 ns, median 4 ns (6 ns)'],
    ['Copy row', 'rank 1\t6\t4'],
    ['Copy map', 'rank\t7_ns\t8_ns\nrank 0\t2\t\nrank 1\t6\t4\nrank 2\t4\t8'],
    ['Copy map as CSV', 'rank,7_ns,8_ns\r\nrank 0,2,\r\nrank 1,6,4\r\nrank 2,4,8\r\n'],
  ])
})

test('rows are chosen to be hosts, opened by their names, by Space and in the table, and a bar leaves its ranks alone', async () => {
  const steps = TABLE.steps.map((step) => ({ ...step, excess_ns: [-3e6, 2e6, 3e6] }))
  go({ 'ranks.rows': 'host' })
  await show(reply({ ...TABLE, ranks: RANKS, steps }))
  const section = document.querySelector('section[aria-label="Ranks and steps"]')
  const names = () => [...document.querySelectorAll('.ranks-names [data-fold]')].map((name) => name.textContent)
  expect(names()).toEqual(['▸ a (2)', '▸ b (1)'])
  const map = section?.querySelector('.ranks-map svg')
  await act(() => {
    map?.dispatchEvent(new FocusEvent('focus'))
  })
  expect(section?.querySelector('[role=status]')?.textContent).toBe(
    'b (1 rank), step 7: most +3.00 ms on rank 2, mean +3.00 ms',
  )
  await act(() => {
    document.querySelector('.ranks-names [data-fold]')?.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  })
  expect([at('ranks.open'), at('ranks.rank')]).toEqual(['a', undefined])
  await act(() => {
    map?.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true, cancelable: true }))
  })
  expect(at('ranks.open')).toBe('a\nb') // keys are still on b, two rows further down
  await act(() => go({ 'ranks.open': undefined }))
  await act(() => go({ 'ranks.as': 'table' }))
  const [button] = [...document.querySelectorAll<HTMLButtonElement>('.ranks-twin tbody button')]
  expect(button?.getAttribute('aria-expanded')).toBe('false')
  await act(() => button?.click())
  expect(document.querySelectorAll('.ranks-twin tbody tr')).toHaveLength(4)
  await act(() => go({ 'ranks.as': undefined }))
  const bars = [...document.querySelectorAll<HTMLButtonElement>('.ranks-bars button')]
  expect(bars.map((bar) => bar.getAttribute('aria-label'))[0]).toContain('3 values, −3.00 ms')
  await act(() => bars[0]?.click())
  expect(at('ranks.only')).toBe('rank=0')
  go({ 'ranks.rows': undefined, 'ranks.only': undefined, 'ranks.open': undefined })
})

test.each([
  [12, 'rows', ['▸ r0-node0000 (2)', '▸ r1-node0001 (2)'], 'step'],
  [40, 'turned', ['▸ r0-node0000 (2)', '▸ r1-node0001 (2)'], 'host'],
])('names of %d hosts are whole, as %s', async (nHosts, _, names, title) => {
  const ranks = Array.from({ length: 2 * nHosts }, (_, rank) => {
    const host = `r${rank >> 1}-node${String(rank >> 1).padStart(4, '0')}`
    return { ...(RANKS[0] as (typeof RANKS)[number]), rank, host }
  })
  const steps = TABLE.steps.map((step) => ({ ...step, excess_ns: ranks.map(({ rank }) => rank * 1e6) }))
  go({ 'ranks.rows': 'host' })
  await show(reply({ ...TABLE, ranks, steps }))
  const drawn = [...document.querySelectorAll('.ranks-names [data-fold]')].map((name) => name.firstChild?.textContent)
  expect(drawn.slice(0, names.length)).toEqual(names)
  expect(drawn).toHaveLength(nHosts)
  expect(drawn.every((name) => name?.includes('…') === false)).toBe(true)
  const words = [...document.querySelectorAll('.ranks-names text')].map((text) => text.textContent)
  expect(words).toContain(title)
  expect(words).not.toContain('rank')
  go({ 'ranks.rows': undefined })
})

test.each([
  ['rows', 8, 8, (host: number) => `r0-node000${host}`],
  ['columns', 3, 30, (host: number) => `a${host}`],
  ['few that are wider than a cell', 2, 2, (host: number) => `gpu-node-0000${host}`],
  ['columns that are turned', 32, 8, (host: number) => `r${host >> 3}-node000${host & 7}`],
])('with one host open, its ranks beside the others as %s, all hosts are named', async (_, nHosts, nRanks, nameOf) => {
  const ranks = Array.from({ length: nHosts * nRanks }, (_, rank) => {
    return { ...(RANKS[0] as (typeof RANKS)[number]), rank, host: nameOf(Math.floor(rank / nRanks)) }
  })
  const steps = TABLE.steps.map((step) => ({ ...step, excess_ns: ranks.map(({ rank }) => rank * 1e6) }))
  go({ 'ranks.rows': 'host', 'ranks.open': nameOf(1) })
  await show(reply({ ...TABLE, ranks, steps }))
  const texts = [...document.querySelectorAll('.ranks-names text')].map((name) => name.firstChild?.textContent ?? '')
  const hosts = Array.from({ length: nHosts }, (_, host) => `${host === 1 ? '▾' : '▸'} ${nameOf(host)} (${nRanks})`)
  expect(texts.filter((name) => /^[▸▾]/.test(name)).length).toBe(hosts.length)
  if (nRanks === 8) expect(texts).toEqual(expect.arrayContaining([...hosts, 'rank 8', 'rank 15']))
  go({ 'ranks.rows': undefined, 'ranks.open': undefined })
})

test('of more hosts than have room for a name, what is open has one, and those beside it stand apart', async () => {
  const nHosts = 128
  const ranks = Array.from({ length: 2 * nHosts }, (_, rank) => {
    return { ...(RANKS[0] as (typeof RANKS)[number]), rank, host: `node${String(rank >> 1).padStart(4, '0')}` }
  })
  const steps = TABLE.steps.map((step) => ({ ...step, excess_ns: ranks.map(({ rank }) => rank * 1e6) }))
  go({ 'ranks.rows': 'host', 'ranks.open': 'node0005\nnode0100' })
  await show(reply({ ...TABLE, ranks, steps }))
  const names = [...document.querySelectorAll('.ranks-names text[transform]')]
  const open = names.filter((name) => name.textContent.startsWith('▾')).map((name) => name.firstChild?.textContent)
  expect(open).toEqual(['▾ node0005 (2)', '▾ node0100 (2)'])
  const places = names.map((name) => Number(name.getAttribute('x')))
  places.forEach((x, at) => expect(x - (places[at - 1] ?? -Infinity)).toBeGreaterThanOrEqual(12))
  go({ 'ranks.rows': undefined, 'ranks.open': undefined })
})
