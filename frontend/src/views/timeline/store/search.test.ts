import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { eventRef } from '../../../../test/timeline'
import { Viewport } from '../../../draw/time/viewport'
import { PAGE, Search } from './search'

const TOTAL = 2 * PAGE + 500
const FAR = 2 * PAGE + 105 // on the third page
const START = FAR * 1000

let visited: number[] = []
let search: Search
let view: Viewport

beforeEach(() => {
  visited = []
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    const [row, t0, t1] = ['row', 't0_ns', 't1_ns'].map((name) => Number(query.get(name) ?? NaN)) as [
      number,
      number,
      number,
    ]
    const place = row < TOTAL ? row : null
    const all = Array.from({ length: TOTAL }, (_, i) => eventRef(i))
    const first = Math.max(
      0,
      all.findIndex((hit) => hit.start_ns >= t0),
    )
    const inSight = all.filter((hit) => hit.start_ns <= t1 && hit.start_ns + hit.duration_ns >= t0)
    const page = Math.floor((place ?? first) / PAGE) * PAGE
    const offset = Number(query.get('offset') ?? page)
    const n = Math.min(Number(query.get('limit')), TOTAL - offset)
    const hits = all.slice(offset, offset + n)
    const where = { offset, place, first, n_in_window: inSight.length }
    const found = { q: query.get('q'), total: TOTAL, total_ns: TOTAL * 500, ...where, hits, density: [] }
    return Promise.resolve(new Response(JSON.stringify(found)))
  })
  view = new Viewport(0, 1_000_000_000)
  search = new Search(
    { run: 'r', worker: 'w', span: '1' },
    view,
    (hit) => visited.push(hit.row),
    () => undefined,
  )
})

afterEach(() => {
  search.stop()
  vi.unstubAllGlobals()
})

async function until(isTrue: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isTrue()).toBe(true))
}

test('a link to a search shows what whoever made it has seen; another view asks for the first hit', async () => {
  search.follow('mm', false)
  await until(() => search.state.value.reply !== undefined)
  expect([visited, search.state.value.current]).toEqual([[], -1])
  search.follow('mm', false, undefined, true)
  await until(() => visited.length === 1)
  expect([visited, search.state.value.current]).toEqual([[0], 0])
})

test('another view that asks for a hit leaves a window with hits in it where it is', async () => {
  view.show(START, START + 11_000)
  search.follow('mm', false, undefined, true)
  await until(() => search.state.value.reply !== undefined)
  expect(visited).toEqual([])
})

test('what was sought before moves nothing once another place is open', async () => {
  search.follow('mm', false, undefined, true)
  search.follow('', false)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([visited, search.state.value.reply]).toEqual([[], undefined])
})

test('the selected event is the current hit, and the next step goes on from it', async () => {
  search.follow('mm', false, undefined, true)
  await until(() => visited.length === 1)
  search.follow('mm', false, 6) // chosen in the list
  expect(search.state.value.current).toBe(6)
  await search.next(1)
  expect(visited).toEqual([0, 7])
})

test('a link to a hit stays there and knows its place', async () => {
  search.follow('mm', false, 6)
  await until(() => search.state.value.current === 6)
  expect(visited).toEqual([])
})

test('a link to a window with hits beyond the first thousand stays there', async () => {
  view.show(START, START + 11_000)
  search.follow('mm', false, FAR)
  await until(() => search.state.value.current === FAR)
  search.stop()
  search.follow('gemm', false, TOTAL + 7) // selected, and no hit
  await until(() => search.state.value.reply?.q === 'gemm')
  expect([visited, search.state.value.current]).toEqual([[], -1])
  await search.next(1)
  expect([visited, search.state.value.current]).toEqual([[FAR], FAR])
})

test('the first step goes to a hit in sight, wherever that is among all, and the next ones go on from page to page', async () => {
  view.show(START, START + 11_000)
  search.type('mm', false)
  search.follow('mm', false)
  await search.next(1)
  await until(() => visited.length === 1)
  view.show((PAGE - 1) * 1000, PAGE * 1000) // looking around does not matter once a hit is current
  await search.next(1)
  await search.next(-1)
  expect(visited).toEqual([FAR, FAR + 1, FAR])
  search.follow('mm', false, PAGE - 1) // a hit of another page, clicked in the picture
  await until(() => search.state.value.current === PAGE - 1)
  expect(search.state.value.reply?.offset).toBe(0)
  await search.next(1)
  expect(visited.at(-1)).toBe(PAGE)
})
