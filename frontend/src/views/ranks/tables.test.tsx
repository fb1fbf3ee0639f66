/** The tables behind the first screen: what they show, in which order, and what they say of what is not there. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { PIPELINE, TABLE, rank, reply, show } from '../../../test/made_up_ranks'
import { onMadeUpServer } from '../../../test/made_up_server'
import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { askOnce } from '../../data/runs'
import { at, go } from '../../state/place'
import type { CollectiveRow, DimensionRow, PathRow, StageRow } from '../../wire/wire'
import { othersThan } from './beside'
import { COLLECTIVE_ROW, DIMENSION_ROW, PATH_ROW, STAGE_ROW } from './row_figures'

onMadeUpServer()

const heads = (): readonly (string | null)[] =>
  [...document.querySelectorAll('.head-sort')].map((head) => head.textContent.replace(/[▾▴ ]*$/, ''))

test('ranks have the columns that say something, their place among the first, and no bar of their number', async () => {
  go({ 'ranks.show': 'ranks', 'ranks.rank.sort': 'rank' })
  const ranks = [0, 1].map((number) =>
    rank(number, {
      n_last: 1,
      caused_least_ns: 5,
      host: 'a',
      stage: number,
      own_ns: 40e6,
      untold_ns: 0,
      copy_ns: 0,
      idle_ns: 1e6,
    }),
  )
  await show(reply({ ...TABLE, ranks }))
  expect(heads().slice(0, 5)).toEqual(['Rank', 'Host', 'More than peers', 'Own time', 'Step'])
  expect(heads()).not.toContain('Not told apart')
  expect(heads()).not.toContain('Copy')
  expect(document.querySelector('tr.row')?.textContent).toContain('−3.50 ms')
  expect(heads().indexOf('Caused wait, least')).toBe(heads().indexOf('Came last') + 1)
  expect(document.querySelector('[data-bar]')).toBeNull()
})

test('who has no figures is a row with the reason, and many of one reason are one', async () => {
  go({ 'ranks.show': 'ranks', 'ranks.rank.sort': 'rank' })
  const absent = [
    { ranks: [2], reason: 'file is empty', n_more: 0 },
    { ranks: Array.from({ length: 48 }, (_, at) => 3 + at), reason: 'no file', n_more: 0 },
  ]
  const ranks = [0, 1].map((number) => rank(number, { stage: number, own_ns: 40e6 }))
  await show(reply({ ...TABLE, ranks, absent }))
  const rows = [...document.querySelectorAll('tr.row')].map((row) => row.textContent)
  expect(heads().slice(0, 2)).toEqual(['Rank', 'Why no figures'])
  expect(rows[2]).toMatch(/^2file is empty(not recorded)+$/)
  expect(rows[3]).toMatch(/^48 ranksno file(not recorded)+$/)
  expect(document.querySelector('tfoot')?.textContent).toContain('2 ranks, 49 without figures')
  await act(() => go({ 'ranks.only': 'rank=2' }))
  expect([...document.querySelectorAll('tr.row')].map((row) => row.textContent)).toEqual([rows[2]])
  await act(() => go({ 'ranks.only': undefined }))
})

test('where a link is slow those whom it costs most stand first, and what it costs in sight', async () => {
  go({ 'ranks.show': 'ranks', 'ranks.rank.sort': undefined })
  const ranks = [0, 1, 2].map((number) => rank(number, { transfer_ns: number * 1e6, excess_ns: -number, wait_ns: 1 }))
  const shown = () => [...document.querySelectorAll('tr.row')].map((row) => row.textContent.slice(0, 1)).join('')
  await show(reply({ ...TABLE, ranks, slow_link: 'Links of host b are slower.' }))
  expect(shown()).toBe('210')
  expect(heads().indexOf('Exposed transfer')).toBe(heads().indexOf('More than peers') - 1)
  forgetReplies()
  render(null, document.body)
  await show(reply({ ...TABLE, ranks }))
  expect(shown()).toBe('012')
})

test('of the clock that others are held against nothing is measured', async () => {
  go({ 'ranks.show': 'clocks' })
  await show(reply(TABLE))
  expect([...document.querySelectorAll('tr.row')].map((row) => row.textContent)).toEqual([
    'areferencereferencereferencereference1',
    'b+5 ns1.000.25900 ns1',
  ])
  expect(heads()).not.toContain('Tied to')
})

test('clocks that cannot be tied say why, and to what host each is tied', async () => {
  go({ 'ranks.show': 'clocks' })
  const why = 'Clocks: collectives end 7.40 ms apart between hosts: their clocks cannot be tied.'
  const apart = { component: 1, offset_ns: null, drift_ppm: null, drift_error_ppm: null, error_ns: null }
  const hosts = [
    ...TABLE.hosts,
    ...TABLE.hosts.slice(0, 1).map((of) => ({ ...of, ...apart, host: 'c', first_rank: 9 })),
  ]
  const said = await show(reply({ ...TABLE, hosts, clock_notes: [why] }))
  expect(said).toContain(why)
  expect([...document.querySelectorAll('tr.row')].map((row) => row.textContent)).toEqual([
    'areferencereferencereferencereference1a',
    'b+5 ns1.000.25900 ns1a',
    'cnot tiednot tiednot tiednot tied1no other',
  ])
})

test('of one host whose ranks are on clocks that cannot be tied none is a reference', async () => {
  go({ 'ranks.show': 'clocks' })
  await show(reply({ ...TABLE, hosts: TABLE.hosts.slice(0, 1), clock_error_ns: null }))
  expect(document.querySelector('tr.row')?.textContent).toBe('anot tiednot tiednot tiednot tied1')
})

test('a table without rows says why, with what is missing', async () => {
  go({ 'ranks.show': 'collectives' })
  const said = await show(reply(TABLE))
  expect(said).toContain('none: no collective here was matched between ranks')
  expect(said).toContain('2 of 4 ranks are here; missing: 2-3.')
  await act(() => go({ 'ranks.show': 'links' }))
  expect(document.body.textContent).toContain('none: no collective of known wait and size')
})

test('a bus rate is not recorded where sizes are not, and there is none of a kind that moves no data on a bus', async () => {
  go({ 'ranks.show': 'collectives' })
  const [known, sized] = [
    { bytes: 8, median_transfer_ns: 5 },
    { bytes: 8, median_transfer_ns: null },
  ]
  const of = [{ ...known, bus_bytes_per_s: 2e9 }, known, sized, { bytes: null, median_transfer_ns: 5 }]
  const collectives = of.map((more, nth) =>
    rowOf<CollectiveRow>(COLLECTIVE_ROW, { kind: String(nth), bus_bytes_per_s: null, ...more }),
  )
  await show(reply({ ...TABLE, collectives }))
  const place = heads().indexOf('Bus rate')
  const rates = [...document.querySelectorAll('tr.row')].map((row) => row.children[place]?.textContent)
  expect(rates.toSorted()).toEqual(['2.00 GB/s', 'none', 'not recorded', 'not recorded'])
})

test('stages stand in their order, as in the picture, with their bubble among the first', async () => {
  go({ 'ranks.show': 'pipeline' })
  const stages = [1, 0].map((stage) =>
    rowOf<StageRow>(STAGE_ROW, { stage, bubble_ns: stage * 1e6, imbalance_share: stage - 0.5 }),
  )
  await show(reply({ ...TABLE, pipeline: PIPELINE, stages }))
  expect([...document.querySelectorAll('tr.row')].map((row) => row.textContent[0])).toEqual(['0', '1'])
  expect(document.body.textContent).toMatch(/−50.0 %.*\+50.0 %/)
  expect(heads().indexOf('Bubble')).toBeLessThan(heads().indexOf('Longest bubble'))
})

test('less has a bar too, of another pattern, and both are as long as they are much', async () => {
  go({ 'ranks.show': 'ranks', 'ranks.rank.sort': '-excess_ns' })
  await show(reply({ ...TABLE, ranks: [rank(0, { excess_ns: -7e6 }), rank(1)] }))
  const bars = [...document.querySelectorAll<HTMLElement>('[data-bar]')]
  expect(bars.map(({ dataset, style }) => [dataset['bar'], style.getPropertyValue('--share')])).toEqual([
    ['', '50%'],
    ['less', '100%'],
  ])
  await act(() => go({ 'ranks.rank.sort': undefined }))
})

test('on the critical path ranks lead to them, and parts too small to see are one', async () => {
  go({ 'ranks.show': 'path' })
  const path = [0.99, 0.006, 0.004].map((share, at) =>
    rowOf<PathRow>(PATH_ROW, {
      ...{ what: 'computing', rank: at, path_ns: share * 40e6, path_share: share },
      ...{ longest_piece_ns: share * 10e6, piece_at_ns: 7e6 },
    }),
  )
  await show(reply({ ...TABLE, ranks: [0, 1, 2].map((each) => rank(each)), path }))
  const links = [...document.querySelectorAll<HTMLAnchorElement>('tr.row a')].map((link) => link.hash)
  const timeline = links.find((link) => link.includes('timeline.t0_ns')) ?? ''
  const led = new URLSearchParams(timeline.replace(/^#/, ''))
  expect([led.get('worker'), led.get('timeline.mark')]).toEqual([
    'w0',
    `7000000,16900000:${encodeURIComponent('computing\ncritical path')}`,
  ])
  expect(document.querySelector('.ranks-path .ranks-legend')?.textContent).toMatch(/^rank 0.*2 other ranks/)
  await act(() => document.querySelector<HTMLAnchorElement>('.ranks-path a')?.click())
  expect(at('ranks.rank')).toBe('0')
  const bar = () => document.querySelector('.ranks-path .ranks-legend')?.textContent
  const whole = bar()
  await act(() => go({ 'ranks.only': 'rank=1 dim=tensor' }))
  expect(bar()).toBe(whole)
  expect(document.querySelectorAll('tr.row')).toHaveLength(1)
  expect(document.body.textContent).toContain('Not narrowed by dim=tensor.')
  go({ 'ranks.only': undefined, 'ranks.rank': undefined })
})

test('beside a run the first is the one that is most alike: of as many ranks, and called alike', async () => {
  const of = (name: string, n: number) => ({
    name,
    workers: Array.from({ length: n }, (_, at) => ({ name: `w${at}`, spans: [] })),
  })
  const runs = [of('a', 2), of('train_9', 4), of('job', 2), of('jo', 2), of('alone', 1)]
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ runs }))))
  await askOnce()
  expect(othersThan('job', []).map(({ id }) => id)).toEqual(['jo', 'a', 'train_9'])
  go({ 'ranks.show': 'beside' })
  expect(await show(reply(TABLE))).toContain('Nothing chosen: the most alike.')
  const said = 'Nothing here is called beside=nope, recording 17: left out.'
  for (const [which, isSaid] of [
    ['nope\t17', true],
    ['jo', false],
  ] as const) {
    await act(() => go({ 'ranks.show': undefined, 'ranks.beside': which }))
    expect(document.body.textContent.includes(said), which).toBe(isSaid)
  }
  go({ 'ranks.beside': undefined })
})

test('what stands beside is offered once, and says its time where a name would stand for several recordings', async () => {
  const span = (name: string, ms: number | null) => ({ name, label: null, time_ms: ms, files: [], size_bytes: 1 })
  const of = (name: string, spans: readonly object[]) => ({
    name,
    opens: 'w0',
    workers: ['w0', 'w1'].map((worker) => ({ name: worker, opens: '2', in_ranks: '2', spans })),
  })
  const day = Date.UTC(2026, 10, 21)
  const runs = [of('job', [span('1', day), span('2', day + 5000)]), of('a', [span('1', null), span('2', null)])]
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(JSON.stringify({ runs: [...runs, of('b', [span('9', day)])] }))),
  )
  await askOnce()
  go({ worker: 'w0', span: '2' })
  const job = (worker: string, name: string, title: string) => ({ worker, span: name, title, is_shown: false })
  const jobs = [job('w0', '1', 'w0, 1'), job('x0', '7', 'x0 to x3, 4 profiles')]
  const labels = othersThan('job', jobs).map(({ label }) => label)
  expect(labels[0]).toMatch(/^this run · 1 · 2026-11-2/)
  expect(labels.slice(1)).toEqual(['this run · x0 to x3, 4 profiles', 'a · 2 · 2', 'a · 1 · 1', 'b'])
  go({ worker: undefined, span: undefined })
})

test('a column that is 0 or not recorded for the whole job is not shown, whatever the table is narrowed to', async () => {
  const of = (more: Partial<CollectiveRow>) =>
    rowOf<CollectiveRow>(COLLECTIVE_ROW, { dimension: 'data', kind: 'all-reduce', exposed_wait_ns: 0, ...more })
  const collectives = [
    of({ dimension: 'tensor', n_mismatches: 0, n_ranks: 2, last_rank: 1, last_share: 0.75, n_late: 8 }),
    of({ n_mismatches: 0, n_ranks: 0, last_share: 0.5, n_late: 4 }),
  ]
  const dimensions = ['tensor', 'data'].map((name) => rowOf<DimensionRow>(DIMENSION_ROW, { name, exposed_ns: 1e6 }))
  go({ 'ranks.show': 'collectives', 'ranks.only': 'dim=data' })
  await show(reply({ ...TABLE, dimensions, collectives }))
  expect(heads()).toEqual(['Dimension', 'Kind', 'Exposed wait', 'Last rank', 'Ranks'])
  await act(() => go({ 'ranks.only': undefined }))
  expect(document.body.textContent).toContain('1 6 of 8 late')
  expect(document.body.textContent).toContain('several, 2 of 4 each')
  await act(() => go({ 'ranks.show': undefined }))
  const shown = [...document.querySelectorAll('section[aria-label=Dimensions] th[scope=col]')]
  expect(shown.map((head) => head.textContent)).toEqual(['Dimension', 'Exposed?'])
})

test('of one rank alone collectives stand by what is known of them, and the column shows that', async () => {
  const collectives = [1, 3, 2].map((ms) =>
    rowOf<CollectiveRow>(COLLECTIVE_ROW, {
      kind: `${ms}`,
      n_instances: 0,
      exposed_wait_ns: null,
      exposed_untold_ns: ms * 1e6,
    }),
  )
  go({ 'ranks.show': 'collectives' })
  await show(reply({ ...TABLE, collectives }))
  expect(heads()).not.toContain('Exposed wait')
  const place = heads().indexOf('Not told apart')
  const untold = [...document.querySelectorAll('tr.row')].map((row) => row.children[place]?.textContent)
  expect(untold).toEqual(['3.00 ms', '2.00 ms', '1.00 ms'])
})

test('collectives are summed under what they are summed in, first how many', async () => {
  const of = (more: Partial<CollectiveRow>) => rowOf<CollectiveRow>(COLLECTIVE_ROW, { kind: 'all-reduce', ...more })
  const collectives = [
    of({ dimension: 'tensor', n_instances: 96, exposed_wait_ns: 2e6, exposed_transfer_ns: 3e6, bytes: 8 }),
    of({ dimension: 'data', n_instances: 6, exposed_wait_ns: 1e6, exposed_transfer_ns: null, bytes: 4 }),
  ]
  go({ 'ranks.show': 'collectives' })
  await show(reply({ ...TABLE, collectives }))
  expect(heads().slice(0, 6)).toEqual(['Dimension', 'Kind', 'Size', 'Count', 'Exposed wait', 'Exposed transfer'])
  expect(document.querySelector('.view-note')?.textContent).toContain('summed over members and instances')
  const total = [...document.querySelectorAll('tfoot tr > *')].map((cell) => cell.textContent)
  expect(total.slice(0, 6)).toEqual(['Total', '', '', '102', '3.00 ms', '3.00 ms'])
  await act(() => go({ 'ranks.show': undefined }))
})

test('a row of the ranks opens the rank against its peers, as its number does, and no second panel', async () => {
  go({ 'ranks.show': 'ranks', 'ranks.rank': undefined })
  await show(reply(TABLE))
  await act(() => document.querySelector<HTMLElement>('tr.row td:nth-child(2)')?.click())
  expect(at('ranks.rank')).toBe('1')
  expect([...document.querySelectorAll('aside')].map((panel) => panel.getAttribute('aria-label'))).toEqual(['Rank 1'])
  await act(() => go({ 'ranks.show': undefined, 'ranks.rank': undefined }))
})
