/** Ranks side by side: what is under the pointer, and where a kept collective leads. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { TABLE } from '../../../../test/made_up_ranks'
import { forgetReplies } from '../../../data/kept'
import { at, go } from '../../../state/place'
import type { OneCollective, RankLanes } from '../../../wire/wire'
import { AcrossRanks } from '../../across_ranks'
import { Lanes } from './lanes'
import { holding, memberBy } from './lanes_keys'
import { AXIS, LEFT, layoutOf, memberAt, tickOf, ticksOf, topOf, xOf } from './lanes_picture'
import { EVERYTHING, UNPINNED, stretched } from '../rank_links'

const ALL = { table: TABLE, whole: TABLE, run: 'job' }
const WIDTH = LEFT + 1000

const REPLY: RankLanes = {
  run: 'job',
  step: 10,
  steps: [10, 11],
  length_ns: 1_000_000,
  lanes: [0, 1].map((rank) => ({
    rank,
    worker: `w${rank}`,
    span: '1',
    host: `node${rank}`,
    is_tied: true,
    zero_ns: 5_000_000 + rank * 100,
    clock_ns: rank * 50_000,
    from_ns: -1000,
    to_ns: 2_000_000,
    computing: 'drawn',
  })),
  n_ranks: 8,
  dimensions: ['tensor', 'not recorded', 'data'],
  kinds: ['all-reduce'],
  computing: { lane: [0], start_ns: [0], end_ns: [100_000] },
  members: {
    lane: [0, 1, 0],
    dimension: [0, 0, 2],
    kind: [0, 0, 0],
    instance: [7, 7, 8],
    row: [70, 71, 80],
    step: [10, 10, 11],
    start_ns: [100_000, 300_000, 500_000],
    arrived_ns: [300_000, 300_000, 500_000],
    end_ns: [400_000, 400_000, 600_000],
    transfer_ns: [101_000, 100_000, 0], // the clock of the first drifts while it waits
    is_known: [true, true, false],
    is_last: [false, true, false],
    last: [0, 0, -1],
  },
  lasts: [[1]],
  path: { lane: [1], rank: [1], what: ['compute'], start_ns: [0], end_ns: [300_000] },
  n_left_out: 0,
  notes: ['Clocks: told.'],
}

const ONE: OneCollective = {
  sentence: 'all-reduce 3 (tensor) with ranks 0-1: waited 200 us for rank 1, moved 2.00 MiB in 100 us.',
  instance: 7,
  step: 10,
  last_ranks: [1],
  wait_ns: 200_000,
  transfer_ns: 100_000,
  members: [
    { rank: 0, worker: 'w0', span: '1', row: 70, arrived_ns: 0, wait_ns: 200_000, transfer_ns: 100_000 },
    { rank: 1, worker: 'w1', span: '1', row: 71, arrived_ns: 200_000, wait_ns: 0, transfer_ns: 100_000 },
  ],
}

const WHOLE = { t0: 0, t1: REPLY.length_ns }
let page: HTMLElement
let asked: string[]

beforeEach(() => {
  forgetReplies()
  asked = []
  page = document.body.appendChild(document.createElement('div'))
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string) => {
      asked.push(address)
      const result = address.includes('view/ranks/lanes') ? REPLY : ONE
      return Promise.resolve(new Response(JSON.stringify({ n_members: 2, n_pending: 0, n_failed: 0, result })))
    }),
  )
})

afterEach(async () => {
  await act(() => {
    render(null, page)
    go({ ...EVERYTHING, ...UNPINNED, 'ranks.as': undefined, 'ranks.step': undefined, 'ranks.mark': undefined })
  })
  page.remove()
  vi.unstubAllGlobals()
})

async function show(what: preact.ComponentChild): Promise<void> {
  await act(() => render(what, page))
  await vi.waitFor(() => expect(page.textContent).not.toBe('Asking the server…'))
}

test('what is under the pointer is the member of that rank and dimension', () => {
  const layout = layoutOf(REPLY, WIDTH, false)
  expect(layout.strips).toEqual([0, 2])
  expect(xOf(layout, WHOLE, 300_000)).toBe(LEFT + 300)
  const tensor = topOf(layout, 0) + 16 + 5
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 150, tensor)).toBe(0)
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 150, tensor + layout.laneHeight)).toBe(-1)
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 350, tensor + layout.laneHeight)).toBe(1)
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 550, tensor + 10)).toBe(2)
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 550, AXIS - 2)).toBe(-1)
})

test('on raw clocks a rank lies where its own host says', () => {
  const layout = layoutOf(REPLY, WIDTH, true)
  const tensor = topOf(layout, 1) + 16 + 5
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 310, tensor)).toBe(-1)
  expect(memberAt(REPLY, layout, WHOLE, LEFT + 440, tensor)).toBe(1)
})

test('arrows go from collective to collective of a rank, and to the same one of another', async () => {
  const keys = ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']
  const kept = keys.reduce<number[]>((places, key) => {
    const next = memberBy(key, REPLY, places.at(-1) ?? -1, WHOLE)
    return [...places, next < 0 ? (places.at(-1) ?? -1) : next]
  }, [])
  expect(kept).toEqual([0, 2, 2, 0, 1, 0])
  go({ ...UNPINNED, ...EVERYTHING })
  await show(<Lanes {...ALL} />)
  const canvas = page.querySelector('canvas')
  await act(() => void canvas?.dispatchEvent(new KeyboardEvent('keydown', { code: 'ArrowRight', bubbles: true })))
  expect([at('ranks.worker'), at('ranks.row')]).toEqual(['w0', '70'])
  expect(page.querySelector('[role=status]')?.textContent).toContain(
    'rank 0 (node0), all-reduce (tensor): waits 200 µs',
  )
})

test('F shows all members of the kept collective, comma and dot go along its rank, brackets from step to step', async () => {
  const press = async (code: string): Promise<void> => {
    await act(() => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true }))
    })
  }
  go({ ...UNPINNED, ...EVERYTHING, 'ranks.step': '10' })
  await show(<Lanes {...ALL} />)
  page.querySelector('canvas')?.focus()
  await press('KeyF') // of none kept nothing
  expect(at('ranks.t0_ns')).toBe(undefined)
  await press('Period')
  expect(at('ranks.row')).toBe('70')
  await press('KeyF')
  expect([at('ranks.t0_ns'), at('ranks.t1_ns')]).toEqual(['0', '500000']) // rank 0 waits from 100 us, both end at 400
  await press('Period')
  expect(at('ranks.row')).toBe('80')
  await press('Comma')
  expect(at('ranks.row')).toBe('70')
  vi.mocked(fetch).mockImplementation(() => {
    const result = { ...REPLY, step: 11 }
    return Promise.resolve(new Response(JSON.stringify({ n_members: 2, n_pending: 0, n_failed: 0, result })))
  })
  await press('BracketLeft') // there is none before
  expect(at('ranks.step')).toBe('10')
  await press('BracketRight')
  expect([at('ranks.step'), at('ranks.row'), at('ranks.t0_ns')]).toEqual(['11', undefined, undefined])
  await vi.waitFor(() => expect(page.querySelector('select')?.value).toBe('11'))
  await press('BracketLeft') // the keys are still the picture's
  expect(at('ranks.step')).toBe('10')
})

test('M marks the kept collective over all ranks, and marks are listed with how far they are apart', async () => {
  const press = async (code: string): Promise<void> =>
    act(() => void document.body.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true }))) // without the focus
  const button = (text: string): HTMLButtonElement | undefined =>
    [...page.querySelectorAll('button')].find(({ textContent }) => textContent === text)
  await show(<Lanes {...ALL} />)
  expect([button('Fit')?.disabled, button('Mark')?.disabled]).toEqual([true, true])
  await press('KeyM') // of none kept nothing
  expect(at('ranks.mark')).toBe(undefined)
  for (const code of ['Period', 'KeyM', 'Period', 'KeyM']) await press(code)
  expect(at('ranks.mark')).toBe('70,w0;80,w0')
  expect(button('Mark')?.getAttribute('aria-pressed')).toBe('true')
  const onAxis = (what: string) =>
    [...page.querySelectorAll(`.ranks-lanes-axis ${what}`)].map((each) => each.textContent)
  expect(onAxis('b')).toEqual(['1', '2'])
  expect(onAxis('span')).toEqual(['0 ns', '200 µs', '400 µs', '600 µs', '800 µs']) // none of these is under 100 or 500 us
  await act(() => go({ 'ranks.t0_ns': '90000', 'ranks.t1_ns': '490000' })) // the first lies at a tick, the second beyond
  expect(onAxis('span')).toEqual(['200 µs', '300 µs', '400 µs'])
  await press('Escape')
  await press('KeyF') // of none kept all marks: 100 to 600 us, and a third of that on either side
  expect([at('ranks.t0_ns'), at('ranks.t1_ns')]).toEqual(['0', '833333'])
  await act(() => go({ 'ranks.mark': '70,w0;80,w0;5,gone' }))
  const opening = Object.assign(new Event('beforetoggle'), { newState: 'open' })
  await act(() => void button('2 marks, 1 not shown')?.nextElementSibling?.dispatchEvent(opening))
  const rows = [...page.querySelectorAll('.ranks-lanes-marks tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent),
  )
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ['1 rank 0, all-reduce (tensor)', '100 µs', '300 µs', '–'],
    ['2 rank 0, all-reduce (data)', '500 µs', '100 µs', '400 µs'],
  ])
  expect(page.querySelector('.ranks-lanes-marks p')?.textContent).toContain(
    '1 more not in this picture: of another step',
  )
  await press('Period')
  await press('KeyM') // takes it away
  expect(at('ranks.mark')).toBe('80,w0;5,gone')
  await act(() => go({ 'ranks.mark': 'x;5,gone', ...UNPINNED, ...EVERYTHING }))
  await press('KeyF')
  expect(at('ranks.t0_ns')).toBe(undefined)
  expect(button('2 marks not shown')).toBeDefined()
  expect(page.querySelector('[role=status]')?.textContent).toContain('No mark is here for F to fit: all 2 are of')
})

test('what an arrow leads to is brought into sight', () => {
  expect(holding({ t0: 0, t1: 100 }, 20, 60)).toEqual({ t0: 0, t1: 100 })
  expect(holding({ t0: 0, t1: 100 }, 150, 180)).toEqual({ t0: 90, t1: 190 })
  expect(holding({ t0: 200, t1: 300 }, 150, 180)).toEqual({ t0: 140, t1: 240 })
  expect(holding({ t0: 0, t1: 100 }, 50, 500)).toEqual({ t0: 50, t1: 150 })
})

test('the lane that an arrow leads to is scrolled to, clear of what is told at the foot', async () => {
  const { laneHeight } = layoutOf(REPLY, WIDTH, false)
  go({ ...EVERYTHING, 'ranks.worker': 'w0', 'ranks.row': '70' })
  await show(<Lanes {...ALL} />)
  const box = page.querySelector('.ranks-lanes')
  Object.defineProperty(box, 'clientHeight', { value: laneHeight / 0.6 })
  await act(() => {
    page.querySelector('canvas')?.dispatchEvent(new KeyboardEvent('keydown', { code: 'ArrowDown', bubbles: true }))
  })
  expect(at('ranks.row')).toBe('71')
  expect(box?.scrollTop).toBeCloseTo(AXIS + laneHeight)
})

test('ticks do not touch', () => {
  expect(tickOf(WHOLE, 1000)).toBe(200_000)
  expect(tickOf({ t0: 0, t1: 1_000_000 }, 100)).toBe(2_000_000)
})

test('the table has the same values, those that wait longest first, and leads to the own profile', async () => {
  go({ 'ranks.as': 'table' })
  await show(<Lanes {...ALL} />)
  const rows = [...page.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent),
  )
  expect(rows[0]?.slice(0, 7)).toEqual(['all-reduce (tensor)', '0', '10', '100 µs', '200 µs', '101 µs', 'rank 1'])
  expect(rows.find((row) => row[0] === 'all-reduce (data)')?.slice(2, 7)).toEqual(['11', '500 µs', '–', '–', '–'])
  expect(page.textContent).not.toContain('under the pointer')
  const [all, who, own] = page.querySelectorAll('tbody a')
  expect(all?.getAttribute('href')).toMatch(/ranks.t0_ns=0&.*ranks.worker=w0&ranks.row=70/)
  expect(who?.getAttribute('href')).toContain('ranks.rank=1')
  const link = own?.getAttribute('href') ?? ''
  expect(link).toContain('worker=w0')
  expect(link).toContain('timeline.row=70')
  expect(link).toContain(`timeline.t0_ns=${5_100_000 - 60_000}`)
  expect(page.textContent).toContain('2 of 8 ranks')
  expect(page.textContent).toContain('Clocks: told.')
})

test('lanes of many ranks are low, and what is under the pointer is found in them as well', () => {
  const many = { ...REPLY, lanes: Array.from({ length: 64 }, () => REPLY.lanes[0] as RankLanes['lanes'][number]) }
  const [few, dense] = [layoutOf(REPLY, WIDTH, false), layoutOf(many, WIDTH, false)]
  expect([few.laneHeight, dense.laneHeight]).toEqual([52, 21])
  expect(memberAt(many, dense, WHOLE, LEFT + 550, topOf(dense, 0) + 8 + 5 + 2)).toBe(2)
  expect(memberAt(many, dense, WHOLE, LEFT + 350, topOf(dense, 1) + 8 + 2)).toBe(1)
})

test('the times of the axis stand over the picture, where they stay in sight', async () => {
  await show(<Lanes {...ALL} />)
  const axis = page.querySelector('.ranks-lanes-axis')
  const [first, second] = ticksOf(layoutOf(REPLY, WIDTH, false), WHOLE)
  expect([first, second]).toEqual([0, 200_000])
  expect(axis?.textContent).toMatch(/^0 ns200 µs400 µs/)
  await act(() => go({ 'ranks.as': 'table' }))
  expect(page.querySelector('.ranks-lanes-axis')).toBe(null)
})

test('the ranks that words leave are asked for, unless others are', async () => {
  await show(<Lanes {...ALL} table={{ ranks: TABLE.ranks.slice(1) }} />)
  expect(asked.some((address) => address.includes('ranks=1'))).toBe(true)
  await act(() => go({ 'ranks.of': '0' }))
  await vi.waitFor(() => expect(asked.at(-1)).toContain('ranks=0'))
  go({ 'ranks.of': undefined })
})

test('ranks or a step that are not there are said beside the box, and the picture stays', async () => {
  const answers = vi.mocked(fetch)
  const refuse = (address: unknown): Promise<Response> =>
    /ranks=64|step=99/.test(String(address))
      ? Promise.resolve(new Response(JSON.stringify({ error: { message: 'there is 0 to 7' } }), { status: 400 }))
      : Promise.resolve(
          new Response(JSON.stringify({ n_members: 2, n_pending: 0, n_failed: 0, result: REPLY }), { status: 200 }),
        )
  answers.mockImplementation((address) => refuse(address))
  for (const wrong of [{ 'ranks.of': '64' }, { 'ranks.step': '99' }]) {
    forgetReplies()
    go(wrong) // as in a link
    await show(<Lanes {...ALL} />)
    await vi.waitFor(() => expect(page.querySelector('[role=alert]')?.textContent).toBe('there is 0 to 7'))
    expect(page.querySelector('canvas')).not.toBeNull()
    expect(page.querySelector('input')?.value).toBe(at('ranks.of') ?? '')
    await act(() => go({ 'ranks.of': '1', 'ranks.step': undefined }))
    expect(page.querySelector('canvas')).not.toBeNull()
    await vi.waitFor(() => expect(page.querySelector('[role=alert]')).toBeNull())
    await act(() => go({ 'ranks.of': '64' })) // as typed
    await vi.waitFor(() => expect(page.querySelector('[role=alert]')).not.toBeNull())
    expect(page.querySelector('canvas')).not.toBeNull()
    await act(() => {
      render(null, page)
      go({ 'ranks.of': undefined })
    })
  }
})

test('a kept collective shows all members, each where it lies in its own profile', async () => {
  go({ 'ranks.worker': 'w0', 'ranks.row': '70' })
  await show(<Lanes {...ALL} />)
  await vi.waitFor(() => expect(page.textContent).toContain('waited 200 µs for rank 1'))
  const links = [...page.querySelectorAll('.ranks-lanes-one a')].map((each) => each.getAttribute('href') ?? '')
  expect(links[0]).toContain(`timeline.t0_ns=${5_100_000 - 60_000}`)
  expect(links[1]).toContain(`timeline.t0_ns=${5_300_100 - 20_000}`)
  // What a picture lacks is said before it.
  const axis = page.querySelector('.ranks-lanes-tools + .soft + .ranks-lanes-axis')
  expect(axis?.previousSibling?.textContent).toBe('Clocks: told.')
  expect(page.textContent).toContain('rank 0 (node0), all-reduce (tensor): waits 200 µs, then moves data for 101 µs')
})

test('out of one collective lead the step’s choice and its whole', async () => {
  const close = { 'ranks.step': '10', 'ranks.worker': 'w0', 'ranks.row': '70', ...stretched(50_000, 450_000) }
  go(close)
  await show(<Lanes {...ALL} />)
  await act(() => [...page.querySelectorAll('button')].find((each) => each.textContent === 'Whole')?.click())
  expect([at('ranks.t0_ns'), at('ranks.t1_ns'), at('ranks.row')]).toEqual([undefined, undefined, '70'])
  go(close)
  const choice = page.querySelector('select')
  if (choice !== null) choice.value = '11'
  await act(() => void choice?.dispatchEvent(new Event('change')))
  expect([at('ranks.step'), at('ranks.t0_ns'), at('ranks.t1_ns'), at('ranks.row')]).toEqual([
    '11',
    undefined,
    undefined,
    undefined,
  ])
})

test('all that was recorded is one of the choices of a step', async () => {
  go({ 'ranks.step': 'all' })
  await show(<Lanes {...ALL} />)
  expect(asked[0]).toMatch(/lanes\?(?!.*step=).*whole=true/)
  expect([...page.querySelectorAll('option')].map(({ value }) => value)).toEqual(['10', '11', 'all'])
})

test('a collective in the details of the timeline says who was waited for and leads to all of them', async () => {
  await show(<AcrossRanks profile={{ run: 'job', worker: 'w0', span: '1' }} row={70} />)
  await vi.waitFor(() => expect(page.textContent).toContain('waited 200 µs for rank 1'))
  await act(() => page.querySelector('a')?.click())
  expect([at('view'), at('ranks.show'), at('ranks.step'), at('ranks.of'), at('ranks.row')]).toEqual([
    'ranks',
    'lanes',
    '10',
    '0,1',
    '70',
  ])
})

test('a collective that the link names and is not among these is missed in words', async () => {
  go({ 'ranks.worker': 'w0', 'ranks.row': '999' })
  await show(<Lanes {...ALL} />)
  const said = 'The collective asked for, row 999 of w0, is not among these: none is chosen.'
  await vi.waitFor(() => expect(page.textContent).toContain(said))
  await act(() => go(UNPINNED))
  expect(page.textContent).not.toContain('asked for')
})
