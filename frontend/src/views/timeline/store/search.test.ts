import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { eventRef } from '../../../../test/timeline'
import { Viewport } from '../../../draw/time/viewport'
import { PAGE, Search } from './search'

const TOTAL = 2 * PAGE + 500

let visited: number[] = []
let search: Search

beforeEach(() => {
  visited = []
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    const offset = Number(query.get('offset'))
    const n = Math.min(Number(query.get('limit')), TOTAL - offset)
    const hits = Array.from({ length: n }, (_, i) => eventRef(offset + i))
    const found = { q: query.get('q'), total: TOTAL, total_ns: TOTAL * 500, offset, hits, name_ids: [1], density: [] }
    return Promise.resolve(new Response(JSON.stringify(found)))
  })
  search = new Search(
    { run: 'r', worker: 'w', span: '1' },
    new Viewport(0, 1_000_000_000),
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

test('pages of hits are turned without going anywhere, and the next step goes on from the current hit', async () => {
  search.follow('mm', false)
  await until(() => visited.length === 1) // a link's search goes to its first hit
  await search.turn(2 * PAGE)
  const { reply, current } = search.state.value
  expect([reply?.offset, reply?.hits.length, current]).toEqual([2 * PAGE, 500, 0])
  expect(visited).toEqual([0])
  await search.next(1)
  expect(visited).toEqual([0, 1])
  expect(search.state.value.reply?.offset).toBe(0)
})

test('the selected event is the current hit, and the next step goes on from it', async () => {
  search.follow('mm', false)
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
