/** A rank beside the tables, over replies of a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { rank as rankRow } from '../../../test/made_up_ranks'
import { onMadeUpServer, pass } from '../../../test/made_up_server'
import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import type {
  InstanceRow,
  JointReply,
  LinkRow,
  MoreKernelRow,
  OneRank,
  RankStepRow,
  RanksWhatIf,
} from '../../wire/wire'
import { RankPanel } from './rank_panel'
import { LINK_ROW } from './row_figures'

const STEP: RankStepRow = {
  ...{ number: 7, step_ns: 20e6, wait_ns: null, untold_ns: 0, own_ns: null, work_ns: null, peers_work_ns: null },
  ...{ excess_ns: null, peers_least_ns: null, peers_most_ns: null },
  ...{ pause_ns: null, pause_event: null, pause_at_ns: null, start_ns: 0 },
}

const RANK: OneRank = {
  ...{ run: 'job', rank: 3, worker: 'rank3', span: '1', host: null, clock_error_ns: 2e6, peers: '0-2', peer: 0 },
  ...{ peer_worker: 'rank0', peer_span: '1', sentences: [], counted: [], steps: [], parts: [], dimensions: [] },
  ...{ waits_for: [], kernels: [], is_on_host: false },
}

const KERNEL: MoreKernelRow = {
  ...{ kernel: 'aten::mm', why: 'more calls', shape: null, peers_shape: null, more_ns: 9 },
  ...{ n_calls: 9, peers_calls: 3, median_ns: 5, peers_median_ns: 4 },
}

onMadeUpServer()

async function shown(
  least: number | null,
  most: number | null,
  rank: OneRank = { ...RANK, steps: [STEP] },
  isCutOff = false,
  links: readonly LinkRow[] = [],
): Promise<string> {
  const change = most === null ? null : most - 20e6
  const row = {
    edit: 'rank=3',
    was_ns: 20e6,
    would_be_least_ns: least,
    would_be_ns: most,
    change_ns: change,
    slowdown: null,
  }
  const whatIf: RanksWhatIf = {
    run: 'job',
    reason: null,
    notes: [],
    clock_error_ns: 2e6,
    ideal_ns: null,
    slowdown: null,
    is_slowdown_least: false,
    ideal_steps: null,
    rows: [row],
    forms: [],
  }
  const reply = <R,>(result: R): JointReply<R> => ({ n_members: 4, n_pending: 0, n_failed: 0, result })
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(new Response(JSON.stringify(reply(address.includes('what_if') ? whatIf : rank)))),
  )
  go({ 'ranks.rank': '3' })
  await act(() =>
    render(
      <RankPanel
        run="job"
        whole={{ ranks: [rankRow(3, { is_cut_off: isCutOff })], absent: [], links, clock_error_ns: 2e6 }}
      />,
      document.body,
    ),
  )
  // The rank first, then what it is asked with.
  for (let asked = 0; asked < 2; asked++) await pass()
  return document.body.textContent
}

test('a step like its peers is a range where something is not told apart, and one figure else', async () => {
  expect(await shown(16.1e6, 17.7e6)).toContain('would take 16.1 ms to 17.7 ms instead of 20.0 ms (−2.30 ms).')
  forgetReplies()
  render(null, document.body)
  for (const least of [16.1e6, 16.09e6]) {
    expect(await shown(least, 16.1e6)).toContain('would take about 16.1 ms instead of 20.0 ms (−3.90 ms).')
    forgetReplies()
    render(null, document.body)
  }
  expect(await shown(16.1e6, 20e6)).toContain('would take 16.1 ms or longer, at most the 20.0 ms that it takes.')
  for (const none of [20.059e6, 19.991e6]) {
    forgetReplies()
    render(null, document.body)
    expect(await shown(none, none)).toContain('Like its peers, a step would be no shorter than 20.0 ms.')
  }
})

test('whom it waits for, its collectives and slow kernels lead to where they are', async () => {
  const longest: InstanceRow = {
    ...{ at_ns: 0, step: 7, dimension: 'tensor', kind: 'all-reduce', n_ranks: 2, bytes: 8, wait_ns: 3e6 },
    ...{
      transfer_ns: 1e6,
      last_ranks: [1],
      n_last: 1,
      worker: 'rank1',
      row: 40,
      ranks: [1, 3],
      begin_ns: 10,
      lasts_ns: 4e6,
    },
    ...{ group: null, sequence: null, members: '1, 3' },
  }
  const NS = { wait_ns: 5e6, transfer_ns: 1e6, untold_ns: 0 }
  const [exposed_wait_ns, exposed_transfer_ns, exposed_untold_ns] = [4e6, 1e6, 0]
  await shown(null, null, {
    ...RANK,
    waits_for: [{ last_ranks: [1, 3], n_last: 2, n_collectives: 9, wait_ns: 5e6, longest_took_ns: 3e6, longest }],
    dimensions: [
      { dimension: 'tensor', n_collectives: 9, exposed_wait_ns, exposed_transfer_ns, exposed_untold_ns, ...NS },
    ],
    kernels: [{ ...KERNEL, kernel: 'gemm<a>' }],
  })
  const links = new Map(
    [...document.querySelectorAll('a')].map((link) => [link.textContent, decodeURIComponent(link.hash)]),
  )
  expect(links.get('3.00 ms in step 7')).toMatch(/ranks\.of=1,3&.*ranks\.step=7&.*ranks\.worker=rank1&.*ranks\.row=40/)
  expect(links.get('tensor')).toContain('ranks.collective.q=^tensor$')
  expect(links.get('gemm<a>')).toContain('timeline.q=gemm<a>')
  expect(links.get('gemm<a>')).toContain('worker=rank3')
})

test('what cannot be told is not said', async () => {
  expect(await shown(null, null)).not.toContain('Like its peers')
})

test('waits of less than clocks can tell are said to be so', async () => {
  const [exposed_wait_ns, exposed_transfer_ns, exposed_untold_ns] = [3, 1e6, 0]
  const row = { dimension: 'data', n_collectives: 9, exposed_wait_ns, exposed_transfer_ns, exposed_untold_ns }
  await shown(null, null, { ...RANK, dimensions: [{ ...row, wait_ns: 5e6, transfer_ns: 15, untold_ns: 0 }] })
  const cells = [...document.querySelectorAll('.ranks-panel td')].map(({ textContent }) => textContent)
  expect(cells).toEqual(expect.arrayContaining(['under 2.00 ms', '5.00 ms', '15 ns']))
  expect(cells).not.toContain('3 ns')
})

test('what the host is in in the longest gaps stands below the steps, once for all of them', async () => {
  const NS = { step_ns: 9, wait_ns: 1, untold_ns: 0, own_ns: 8, work_ns: 7, peers_work_ns: 6, excess_ns: 1 }
  const step = (number: number, pause_event: string | null) => ({
    ...{ number, ...NS, peers_least_ns: 5, peers_most_ns: 7, pause_ns: 2, pause_at_ns: 3, start_ns: 0, pause_event },
  })
  const named = 'enumerate(DataLoader)'
  const said = await shown(null, null, { ...RANK, steps: [7, 8, 9].map((each) => step(each, named)) })
  expect(said).toContain('The host in the longest gap of each step: enumerate(DataLoader)')
  forgetReplies()
  render(null, document.body)
  const some = [step(7, named), step(8, named), step(9, 'gc'), step(10, null)]
  expect(await shown(null, null, { ...RANK, steps: some })).toMatch(/of steps 7-8: enumerate.*of step 9: gc/)
})

test('of a rank whose file is cut off the panel says so', async () => {
  expect(await shown(20e6, 20e6)).not.toContain('ends before')
  forgetReplies()
  expect(await shown(20e6, 20e6, RANK, true)).toContain('Its file ends before its profile does.')
})

test('what a sentence of a rank counts leads to these collectives, as in the summary', async () => {
  const counted = [{ text: 'rank 0 waits for it in 2 of 3 tensor all-reduces', dimension: 'tensor', kind: 'all-reduce', ranks: '3', steps: '7', begun: null }] // prettier-ignore
  const sentences = ['Rank 3 needs 5.00 us more.', `Rank 3 is late; ${counted[0]?.text}.`]
  const said = await shown(null, null, { ...RANK, sentences, counted })
  expect(said).toContain('Rank\u00a03 needs 5.00\u00a0µs more.')
  const link = [...document.querySelectorAll('a')].find(
    ({ textContent }) => textContent.replaceAll('\u00a0', ' ') === counted[0]?.text,
  )
  await act(() => link?.click())
  expect([at('ranks.show'), at('ranks.each')]).toEqual(['collectives', 'dimension=tensor&kind=all-reduce&ranks=3&steps=7']) // prettier-ignore
})

test('a rank on slow links leads to those of its host in the table of links, and no other rank does', async () => {
  const link = (hosts: string, pair: string | null, isSlow = true) =>
    rowOf<LinkRow>(LINK_ROW, { hosts, pair, is_slow: isSlow })
  const slow = async (host: string | null, ...links: readonly LinkRow[]) => {
    await shown(null, null, { ...RANK, host }, false, links)
    const found = [...document.querySelectorAll('a')].find(({ textContent }) => textContent === 'slow links')
    await act(() => found?.click())
    render(null, document.body)
    forgetReplies()
    const told = found && [at('ranks.show'), at('ranks.link.q'), at('ranks.rank')]
    go({ 'ranks.show': undefined, 'ranks.link.q': undefined })
    return told
  }
  expect(await slow('a.1', link('b, a.1', null))).toEqual(['links', '\\ba\\.1\\b', '3'])
  expect(await slow('a', link('a', '1-3, 8'))).toEqual(['links', '\\ba\\b', '3'])
  expect(await slow('a', link('a', '1 to 3'))).toEqual(['links', '\\ba\\b', '3'])
  for (const [host, ...of] of [
    ['a', link('a, b', '4-7, 13')],
    ['a', link('b, c', null), link('a, c', null, false)],
    [null, link('a, b', null)],
  ] as const)
    expect(await slow(host, ...of)).toBeUndefined()
})

test('of a row of many ranks without figures the panel says that it is so of all', async () => {
  const said = 'rank 16 is not here (no file); there is 0-15'
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ error: { message: said } }), { status: 404 }))) // prettier-ignore
  const ranks = Array.from({ length: 48 }, (_, nth) => nth + 16)
  go({ 'ranks.rank': '16' })
  const whole = { ranks: [], absent: [{ ranks, reason: 'no file', n_more: 0 }], links: [], clock_error_ns: null }
  await act(() => render(<RankPanel run="job" whole={whole} />, document.body))
  await vi.waitFor(() => expect(document.body.textContent).toContain(said))
  expect(document.body.textContent).toContain('The same holds of ranks 16-63')
})

test('opened by keys the focus is in the panel, which is said, and back where it was once the panel is closed', async () => {
  await shown(null, null)
  render(null, document.body)
  go({ 'ranks.rank': undefined })
  const draw = () =>
    act(() =>
      render(
        <main tabIndex={-1}>
          <a href="#3">rank 3</a>
          <RankPanel run="job" whole={{ ranks: [], absent: [], links: [], clock_error_ns: null }} />
        </main>,
        document.body,
      ),
    )
  await draw()
  const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.localName
  const link = document.querySelector<HTMLElement>('main > a')
  const [open, close] = [() => act(() => go({ 'ranks.rank': '3' })), () => act(() => go({ 'ranks.rank': undefined }))]
  for (const closeIt of [close, () => act(() => document.querySelector<HTMLElement>('.ranks-panel button')?.click())]) {
    link?.focus()
    await open()
    expect(focused()).toBe('Rank 3')
    expect(document.querySelector('[role=status]')?.textContent).toContain('Rank 3 is open')
    await closeIt()
    expect(document.activeElement).toBe(link)
  }
  // From the link of the page: nobody is led anywhere, and the view is where keys go on.
  link?.blur()
  await open()
  expect(document.activeElement).toBe(document.body)
  document.querySelector<HTMLElement>('.ranks-panel button')?.focus()
  await close()
  expect(focused()).toBe('main')
})

test.each([
  [true, 'Operator'],
  [false, 'Kernel'],
])('of a rank that computes on its host (%s) they are called %s', async (is_on_host, ran) => {
  await shown(null, null, { ...RANK, kernels: [KERNEL], is_on_host })
  expect(document.body.textContent).toContain(`${ran}s that cost more than on its peers`)
  expect([...document.querySelectorAll('th')].some((head) => head.textContent.includes(ran))).toBe(true)
})

test('Escape closes the panel as soon as it is there', async () => {
  await shown(null, null)
  await act(() => go({ 'ranks.rank': undefined }))
  go({ 'ranks.rank': '3' }) // as in a browser: what is to be done after the next frame is not done yet
  while (document.querySelector('.ranks-panel') === null) await Promise.resolve()
  document.dispatchEvent(new KeyboardEvent('keydown', { code: 'Escape' }))
  expect(at('ranks.rank')).toBeUndefined()
})

test('of what costs more is told why, with the shapes of it and of its peers where these are kept', async () => {
  const shapes = { why: 'other shape', shape: '[768, 256]', peers_shape: '[64, 256]' } as const
  await shown(null, null, { ...RANK, kernels: [KERNEL, { ...KERNEL, ...shapes }] })
  const [, ...rows] = [...document.querySelectorAll('.ranks-panel tr')].map(({ textContent }) => textContent)
  expect(rows[0]).toContain('aten::mmmore calls')
  expect(rows[1]).toContain('aten::mm[768,\u00A0256] against [64,\u00A0256]other shape') // under its name: in sight however narrow
  forgetReplies()
  render(null, document.body)
  await shown(null, null, { ...RANK, kernels: [KERNEL] })
  expect(document.querySelector('.ranks-panel tbody')?.textContent).not.toContain('[')
  forgetReplies()
  render(null, document.body)
  await shown(null, null, { ...RANK, kernels: [{ ...KERNEL, ...shapes, why: 'only here', peers_shape: null }] })
  expect(document.querySelector('.ranks-panel tbody')?.textContent).toContain('aten::mm[768,\u00A0256]only here')
})

test('of a rank of which no step is told no what-if is asked', async () => {
  const sentences = ['No device work in its file.']
  expect(await shown(16.1e6, 17.7e6, { ...RANK, sentences })).toContain(sentences[0])
  expect(document.body.textContent).not.toContain('Like its peers')
})

test('of a step that the rank does not have it is said which one is shown instead', async () => {
  go({ 'ranks.at': '999' })
  expect(await shown(20e6, 20e6)).toContain(`It has no step 999: this is step ${STEP.number}.`)
  forgetReplies()
  render(null, document.body)
  go({ 'ranks.at': String(STEP.number) })
  expect(await shown(20e6, 20e6)).not.toContain('It has no step')
  go({ 'ranks.at': undefined })
})
