/** The view Ranks over replies of a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'

import { BLAMED, PIPELINE, PROFILE, TABLE, rank, reply, show } from '../../../test/made_up_ranks'
import { onMadeUpServer } from '../../../test/made_up_server'
import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { missingIn } from '../../data/missing'
import { at, go } from '../../state/place'
import type { CollectiveRow, HangReport, LinkRow, PathRow, RankMember, RanksTable, StageRow } from '../../wire/wire'
import { missingOf } from '.'
import { COLLECTIVE_ROW, LINK_ROW, PATH_ROW, STAGE_ROW } from './row_figures'

const ALONE: RanksTable = { ...TABLE, n_ranks: 1, world_size: null, ranks: [rank(0)] }

const IDEAL: RanksTable = { ...TABLE, slowdown: 1.25, ideal_was_ns: 50e6, ideal_ns: 40e6 }

onMadeUpServer()

test('the first screen says how many ranks, where a step goes, who is late, and what is missing', async () => {
  const said = await show(reply(TABLE))
  expect(said).toContain(
    '2 of 4 ranks · 2 hosts · data 2 × tensor 2 (by its use) · 40 steps · 9 collectives matched · clocks ±900 ns',
  )
  expect(said).toContain('2 of 4 ranks are here; missing: 2-3.')
  const apart = document.querySelector('.ranks-notes a[title="not a profile"]')
  expect(apart?.textContent).toBe('w9')
  expect([...document.querySelectorAll('.ranks-sentences li')].map((each) => each.textContent)).toEqual([
    'A step is 50.0\u00a0ms. rank 0: overview timelineside by side collectives',
    `${BLAMED.replace('25 %', '25\u00a0%').replace('Rank 1', 'Rank\u00a01')} At most 7.00\u00a0ms. rank 1: overview timelineside by side `,
  ])
  const grown = [...document.querySelectorAll<HTMLElement>('.ranks-track span')].map((part) => +part.style.flexGrow)
  expect(grown).toEqual([0.6, 0.16, 0.1, 0.04, 0.1])
  // Waiting in collectives has their colour, and no other category's.
  const drawn = [...document.querySelectorAll<HTMLElement>('.ranks-track span')].map((part) => part.style.background)
  const [wait, transfer] = [drawn[1] ?? '', drawn[2] ?? '']
  expect(new Set(wait.match(/--c-\w+/g))).toEqual(new Set(transfer.match(/--c-\w+/g)))
  expect(wait).not.toBe(transfer)
  const cells = [...document.querySelectorAll('.ranks-dimensions tbody tr > *')].map((cell) => cell.textContent)
  expect(cells.slice(0, 2)).toEqual(['tensor (by its use)', '13.0 ms'])
})

test('where no steps were recorded no bar is of a step', async () => {
  const said = await show(reply({ ...TABLE, n_steps: 0 }))
  expect(said).toContain('recording of a rank, in the mean 50.0 ms')
  expect(said).not.toContain('mean step')
})

test('what the job would be with all alike is said with what it is of, and where nobody knows that is said', async () => {
  const said = await show(
    reply({ ...IDEAL, ideal_least_ns: 39e6, is_slowdown_least: true, ideal_steps: 'steps 10, 12' }),
  )
  expect(said).toContain(
    'S is at least 1.25: in steps 10, 12 with no rank or link slower than its peers a step of the job would take 39.0 ms to 40.0 ms instead of 50.0 ms (−22.0 % to −20.0 %)',
  )
  render(null, document.body)
  forgetReplies()
  expect(await show(reply({ ...IDEAL, ideal_least_ns: 39.99e6 }))).toContain(
    'a step of the job would take 40.0 ms instead of 50.0 ms (−20.0 %)',
  )
  expect(document.querySelector('button[aria-label="What is the slowdown S?"]')).not.toBeNull()
  render(null, document.body)
  forgetReplies()
  const staged = { ...IDEAL, layout: { pipeline: 4 } }
  expect(await show(reply(staged))).toContain(
    'slower than its peers, and the stages’ kernels levelled to their mean, a step',
  )
  render(null, document.body)
  forgetReplies()
  expect(await show(reply({ ...IDEAL, slowdown: 0.99, ideal_ns: 50.5e6 }))).toContain(
    'S = 0.99: ranks and links slower than most make no step longer; a step of the job takes 50.0 ms ?',
  )
  render(null, document.body)
  forgetReplies()
  const open = { ...IDEAL, slowdown: 1.0, ideal_ns: 50e6, ideal_least_ns: 46e6, is_slowdown_least: true }
  expect(await show(reply(open))).toMatch(/S is at least 1\.00: .* would take 46\.0 ms to 50\.0 ms instead of 50\.0 ms/)
  render(null, document.body)
  forgetReplies()
  expect(await show(reply(TABLE))).toContain('S: cannot be told; what is not known decides.')
})

test('doubts stand apart from what is missing', async () => {
  await show(reply(TABLE))
  const said = (label: string) => document.querySelector(`section[aria-label="${label}"]`)?.textContent ?? ''
  expect(said('Doubts')).toContain('Likely its clock.')
  expect(said('Missing and refused')).toContain('missing: 2-3')
  expect(said('Missing and refused')).not.toContain('Likely')
})

test('profiles that are apart are opened by the names of their files', async () => {
  const [one] = TABLE.others
  const again = { ...one, worker: TABLE.ranks[0]?.worker ?? '', span: '2', label: 'rank 0' }
  await show(reply({ ...TABLE, others: [...TABLE.others, again as RankMember] }))
  const links = [...document.querySelectorAll('section[aria-label="Missing and refused"] .ranks-panel-links a')]
  expect(links.map((link) => link.textContent)).toEqual(['w9', `${again.worker}, 2`])
  expect(links[0]?.parentElement?.textContent).toContain('Open what is not in these figures:')
})

test('a sentence leads to at most four ranks, to its step side by side, and to the table of its figures', async () => {
  const ranks = [0, 1, 2, 3, 4].map((number) => rank(number))
  const places = [{ rank: 1, step: 108, start_ns: 5_000_000, lasts_ns: 1_000_000, called: 'step 108\nis slow' }]
  const leads = [{ ranks: [0, 1, 2, 3, 4], step: 8, table: 'path' as const, places, counted: null }]
  await show(reply({ ...TABLE, ranks, leads }))
  const [first, second] = document.querySelectorAll('.ranks-sentences li')
  expect(first?.textContent).toContain('rank 3: overview timelineside by side critical path')
  expect(first?.textContent).not.toContain('rank 4')
  expect(second?.querySelectorAll('a')).toHaveLength(0)
  await act(() => [...(first?.querySelectorAll('a') ?? [])].at(-1)?.click())
  expect(at('ranks.show')).toBe('path')
})

test('a sentence’s links to a rank open it in the step that is told of, as its file numbers it', async () => {
  const places = [{ rank: 1, step: 108, start_ns: 5_000_000, lasts_ns: 1_000_000, called: 'step 108\nis slow' }]
  const leads = [{ ranks: [1], step: 8, table: null, places, counted: null }]
  await show(reply({ ...TABLE, ranks: [rank(1)], leads }))
  const links = [...(document.querySelector('.ranks-sentences li')?.querySelectorAll('a') ?? [])]
  const [panel, overview, timeline] = links.map((link) => new URLSearchParams(link.hash.replace(/^#/, '')))
  expect(panel?.get('ranks.at')).toBe('8')
  expect(overview?.get('steps')).toBe('108')
  expect(timeline?.get('view')).toBe('timeline')
  expect([timeline?.get('timeline.t0_ns'), timeline?.get('timeline.t1_ns')]).toEqual(['4800000', '6200000'])
  expect(timeline?.get('timeline.mark')).toBe(`5000000,6000000:${encodeURIComponent('step 108\nis slow')}`)
})

test('of several jobs in a run one is chosen, and the link names its first profile', async () => {
  const jobs = ['a', 'b'].map((name, place) => ({
    ...{
      worker: `${name}_rank0`,
      span: '1',
      title: `${name}_rank0 to ${name}_rank1, 2 profiles`,
      is_shown: place === 0,
    },
  }))
  go({ 'ranks.rank': '1' })
  await show(reply({ ...TABLE, jobs }))
  const choice = document.querySelector<HTMLSelectElement>('select[aria-label="Job"]')
  expect([...(choice?.options ?? [])].map(({ text }) => text)).toEqual(jobs.map(({ title }) => title))
  expect(choice?.value).toBe('0')
  if (choice !== null) choice.value = '1'
  choice?.dispatchEvent(new Event('change', { bubbles: true }))
  const named = ['view', 'run', 'worker', 'span', 'ranks.rank'].map((key) => at(key))
  expect(named).toEqual(['ranks', PROFILE.run, 'b_rank0', '1', undefined])
})

test('a run of one job has nothing to choose', async () => {
  await show(reply(TABLE))
  expect(document.querySelector('select[aria-label="Job"]')).toBeNull()
})

test('the first line says that files are cut off', async () => {
  const cut = { ...TABLE, ranks: [rank(0, { is_cut_off: true }), rank(1)] }
  expect(await show(reply(cut))).toContain('9 collectives matched · 1 cut off · clocks')
})

test.each([
  ['one clock', 1, null],
  ['clocks: not tied', 1, 5e6],
  ['clocks: not compared', 2, null],
])('%s is said of %s hosts whose ends lie %s ns apart', async (what, nHosts, sigma) => {
  const hosts = TABLE.hosts.slice(0, nHosts)
  const said = await show(reply({ ...TABLE, hosts, sigma_ns: sigma, clock_error_ns: null }))
  expect(said).toContain(`matched · ${what}`)
})

test('of clocks that are tied the head says how many are not', async () => {
  const hosts = TABLE.hosts.map((host, nth) => (nth === 1 ? { ...host, error_ns: null } : host))
  expect(await show(reply({ ...TABLE, hosts }))).toContain('(1 host not tied)')
})

test('where wait and transfer cannot be told apart the bar still sums, and nothing is 0', async () => {
  const parts = TABLE.parts === null ? null : { ...TABLE.parts, wait_ns: null, transfer_ns: null, untold_ns: 13e6 }
  const steps = TABLE.steps.map((step) => ({ ...step, own_ns: [], wait_ns: [], excess_ns: [] }))
  const said = await show(reply({ ...TABLE, parts, steps, clock_error_ns: null }))
  expect(said).toContain('not told apart 13.0 ms')
  expect(said).toContain('Ranks: computation')
  expect(said).toContain('clocks: not tied')
  const grown = [...document.querySelectorAll<HTMLElement>('.ranks-track span')].map((part) => +part.style.flexGrow)
  expect(grown.reduce((sum, each) => sum + each)).toBeCloseTo(1)
  expect(document.querySelector('.ranks-map')).toBeNull()
})

test('what is a pipeline bubble of the waiting has a hatched part of its own, and the parts still sum', async () => {
  const parts = TABLE.parts === null ? null : { ...TABLE.parts, bubble_wait_ns: 6e6 }
  const said = await show(reply({ ...TABLE, parts }))
  expect(said).toContain('wait in the pipeline bubble 6.00 ms 12.0 %')
  expect(said).toContain('other exposed wait 2.00 ms 4.00 %')
  const drawn = [...document.querySelectorAll<HTMLElement>('.ranks-track')][0]?.children ?? []
  const grown = [...drawn].map((part) => +(part as HTMLElement).style.flexGrow)
  expect(grown.reduce((sum, each) => sum + each)).toBeCloseTo(1)
  expect(grown[1]).toBeCloseTo(0.12)
  render(null, document.body)
  forgetReplies()
  const all = parts === null ? null : { ...parts, bubble_wait_ns: 8e6 }
  expect(await show(reply({ ...TABLE, parts: all }))).not.toContain('other exposed wait')
})

test('the ranks are a table, the one with the most of its own first', async () => {
  go({ 'ranks.show': 'ranks' })
  await show(reply(TABLE))
  expect([...document.querySelectorAll('tr.row td:first-child')].map((cell) => cell.textContent)).toEqual(['1', '0'])
  await act(() => document.querySelector<HTMLAnchorElement>('tr.row a')?.click())
  expect(at('ranks.rank')).toBe('1')
})

test('where several came last as often the table says so', async () => {
  go({ 'ranks.show': 'collectives' })
  const row = { dimension: 'data', kind: 'all-reduce', n_instances: 9, n_mismatches: 0, last_rank: null }
  await show(reply({ ...TABLE, collectives: [rowOf<CollectiveRow>(COLLECTIVE_ROW, { ...row, last_share: 0.5 })] }))
  expect(document.querySelector('tr.row')?.textContent).toContain('several')
})

test('a dimension leads to its collectives, and where nobody was last alone that is said', async () => {
  const tensor = { dimension: 'tensor', kind: 'all-reduce', n_instances: 9, n_mismatches: 0 }
  const collectives = [
    rowOf<CollectiveRow>(COLLECTIVE_ROW, { ...tensor, last_rank: 1, last_share: 0.75 }),
    rowOf<CollectiveRow>(COLLECTIVE_ROW, { ...tensor, dimension: 'data' }),
  ]
  await show(reply({ ...TABLE, collectives }))
  await act(() => document.querySelector<HTMLAnchorElement>('.ranks-dimensions a')?.click())
  const rows = [...document.querySelectorAll('tr.row')]
  expect(rows.map((row) => row.textContent.includes('tensor'))).toEqual([true])
  expect(rows[0]?.querySelector('a')?.textContent).toBe('1')
  await act(() => go({ 'ranks.collective.q': '^data$' }))
  expect(document.querySelector('tr.row')?.textContent).toContain('9not recordednone')
})

test('a pipeline has a table of its stages, and a job without one no such button', async () => {
  await show(reply(TABLE))
  const buttons = () => [...document.querySelectorAll('.ranks-top button')].map((button) => button.textContent)
  expect(buttons()).not.toContain('Pipeline')
  render(null, document.body)
  forgetReplies()
  go({ 'ranks.show': 'pipeline' })
  const parts = { warm_up_ns: 5e6, busy_ns: 20e6, steady_ns: 10e6, drain_ns: 5e6, bubble_ns: 20e6, bubble_share: 0.5 }
  const stages = [0, 1].map((stage) => rowOf<StageRow>(STAGE_ROW, { ...parts, stage, n_ranks: 1, imbalance_share: 0 }))
  const said = await show(reply({ ...TABLE, pipeline: PIPELINE, stages }))
  expect(buttons()).toContain('Pipeline')
  expect(said).toContain('1F1B · 2 stages · 4 micro-batches')
  expect(said).toContain('ideal bubble by formula 20.0 %')
  const grown = [...document.querySelectorAll<HTMLElement>('.ranks-stages .ranks-track span')].map(
    (part) => +part.style.flexGrow,
  )
  expect(grown).toEqual([0.125, 0.75, 0.125, 0.125, 0.75, 0.125])
  // A height, and no beat: where the pauses between lie was not recorded.
  expect(document.querySelector<HTMLElement>('.ranks-stages [title^="busy"]')?.style.background).toMatch(
    /^linear-gradient\(0deg, var\(--c-kernel\) 66\.6\d*%/,
  )
  expect(document.querySelectorAll('tr.row')).toHaveLength(2)
  await act(() => document.querySelector<HTMLAnchorElement>('tr.row a')?.click())
  expect(at('ranks.only')).toMatch(/^stage=[01]$/)
})

test('of an interleaved pipeline the chunks of a stage are told', async () => {
  go({ 'ranks.show': 'pipeline' })
  const told = { n_stages: 4, n_micro_batches: 8, n_chunks: 2, schedule: 'interleaved', window_ns: 40e6 } as const
  const figures = { ...told, bubble_ns: 20e6, bubble_share: 0.5, ideal_share: 3 / 19 }
  const said = await show(
    reply({ ...TABLE, pipeline: figures, stages: [rowOf<StageRow>(STAGE_ROW, { stage: 0, n_ranks: 1 })] }),
  )
  expect(said).toContain('interleaved · 4 stages of 2 chunks each · 8 micro-batches')
  expect(said).toContain('ideal bubble by formula 15.8 %')
})

test('hosts and links lead to their ranks and collectives', async () => {
  const links = [rowOf<LinkRow>(LINK_ROW, { hosts: 'a-b', dimension: 'data', kind: 'all-reduce', is_slow: false })]
  go({ 'ranks.show': 'clocks' })
  await show(reply({ ...TABLE, links }))
  await act(() => document.querySelector<HTMLAnchorElement>('tr.row a')?.click())
  expect([at('ranks.show'), at('ranks.only')]).toEqual(['ranks', 'host=a'])
  await act(() => go({ 'ranks.show': 'links', 'ranks.only': undefined }))
  await act(() => document.querySelector<HTMLAnchorElement>('tr.row a')?.click())
  expect([at('ranks.show'), at('ranks.collective.q')]).toEqual(['collectives', '^data$'])
})

test('the critical path is a table whose ranks lead to them', async () => {
  go({ 'ranks.show': 'path' })
  const path = [0.75, 0.25].map((share, rank) =>
    rowOf<PathRow>(PATH_ROW, {
      ...{ what: 'computing', rank, path_ns: share * 40e6, path_share: share },
      ...{ longest_piece_ns: 2e6, piece_at_ns: 1e6 },
    }),
  )
  await show(reply({ ...TABLE, path }))
  expect([...document.querySelectorAll('tr.row')].map((row) => row.textContent)).toEqual([
    'computing030.0 ms75.0 %2.00 ms',
    'computing110.0 ms25.0 %2.00 ms',
  ])
  await act(() => document.querySelector<HTMLAnchorElement>('tr.row:last-child a')?.click())
  expect(at('ranks.rank')).toBe('1')
})

test('while no profile has answered dumps do not stand for the job', async () => {
  const dumps: HangReport = {
    ...{ place: '', n_dumps: 2, other_job: null, verdict: null, all_over: 'All is over.' },
    rows: [],
    stacks: [],
    last: [],
    broken: [],
  }
  const none = { ...TABLE, n_ranks: 0 }
  expect(await show(reply(none, { n_members: 3, n_pending: 3 }), [dumps])).toContain('3 profiles: 0 are')
  render(null, document.body)
  forgetReplies()
  expect(await show(reply(none, { n_members: 1 }), [dumps])).toContain('All is over. (2 dumps read)')
})

test('a run of one rank says that it has nobody to wait for, and so does the navigation; a part of a job is shown', async () => {
  const said = await show(reply(ALONE))
  expect(said).toMatch(/^This run has one rank/)
  expect(missingIn(PROFILE, 'ranks')).toBe(said)
  expect(missingOf(reply({ ...ALONE, world_size: 64 }))).toBeNull()
  expect(missingOf(reply(ALONE, { n_members: 2, n_pending: 1 }))).toBeNull()
  expect(missingOf(reply(TABLE))).toBeNull()
})

test('what ranks that are still to come may tell of a dimension is not called not recorded', async () => {
  const cells = (): string | undefined => document.querySelector('.ranks-dimensions tbody')?.textContent
  const first = TABLE.dimensions.map((row) => ({ ...row, wait_ns: 1e6, exposed_wait_ns: null }))
  const table = {
    ...TABLE,
    dimensions: [...first, ...TABLE.dimensions.map((row) => ({ ...row, exposed_wait_ns: 1e6 }))],
  }
  await show(reply(table, { n_members: 8, n_pending: 6 }))
  expect(cells()).toContain('not known yet')
  expect(cells()).not.toContain('not recorded')
  render(null, document.body)
  forgetReplies()
  await show(reply(table))
  expect(cells()).toContain('not recorded')
  expect(cells()).not.toContain('yet')
})

test('what is still read is said, and what cannot be read says why', async () => {
  expect(await show(reply(TABLE, { n_members: 8, n_pending: 6 }))).toContain('2 of 8 profiles are read')
  render(null, document.body)
  forgetReplies()
  expect(await show(reply({ ...TABLE, n_ranks: 0 }, { n_members: 3, n_pending: 2 }))).toContain(
    '3 profiles: 1 are done',
  )
})

test('rows are narrowed by chips that stand in the link, one is typed, a wrong one says what there is, and each can be removed', async () => {
  await show(reply(TABLE))
  const type = (text: string): Promise<void> =>
    act(() => {
      const input = document.querySelector<HTMLInputElement>('input[aria-label="Show only"]')
      if (input === null) throw new Error('nowhere to type')
      input.value = text
      input.form?.requestSubmit()
    })
  const values = (): number => document.querySelectorAll('.ranks-map .ranks-value').length
  expect(values()).toBe(7)
  await type('node=a')
  expect(document.body.textContent).toContain('Nothing is node=a. Words are rank=0-7,16 stage=3')
  await act(() => document.querySelector<HTMLElement>('button[aria-label="Remove node=a"]')?.click())
  await type('dim=dp')
  expect(document.body.textContent).toContain('there is rank=0-1, dim=tensor, host=a, host=b.')
  await act(() => document.querySelector<HTMLElement>('button[aria-label="Remove dim=dp"]')?.click())
  await type('rank=1')
  expect(at('ranks.only')).toBe('rank=1')
  expect(values()).toBe(4)
  await type('rank=9 host=nowhere')
  expect(document.body.textContent).toContain('Nothing is rank=1 rank=9 host=nowhere.')
  const chip = document.querySelector<HTMLElement>('button[aria-label="Remove host=nowhere"]')
  await act(() => chip?.click())
  expect(at('ranks.only')).toBe('rank=1 rank=9')
  expect(values()).toBe(4)
})
