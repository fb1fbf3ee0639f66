import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { reply } from '../../../../test/window_reply'
import { Viewport } from '../../../draw/time/viewport'
import { Loader } from './loader'

const PROFILE = { run: 'r', worker: 'w', span: '1' }
const WHOLE = [0, 1_000_000] as const

let asked: URLSearchParams[] = []
let problems: string[] = []
let retries = 0
let status = 200
let loader: Loader
let view: Viewport

beforeEach(() => {
  asked = []
  problems = []
  retries = 0
  status = 200
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    if (status !== 200)
      return Promise.resolve(new Response('{"error": {"kind": "UsageError", "message": "no"}}', { status }))
    const [t0, t1] = [Number(query.get('t0_ns')), Number(query.get('t1_ns'))]
    const density = query.has('inside') ? [{ device: 0, busy: [0.5], points: [] }] : undefined
    const about = {
      t0_ns: t0,
      t1_ns: t1,
      bucket_ns: (t1 - t0) / Number(query.get('width_px')),
      ...(density && { density }),
    }
    return Promise.resolve(new Response(reply([[{ start: 0, end: 10, row: 1 }], [], []], 1, about)))
  })
  loader = new Loader(
    PROFILE,
    () => undefined,
    (reason) => problems.push(reason),
    () => retries++,
  )
  view = new Viewport(...WHOLE)
  view.width = 1000
})

afterEach(() => {
  loader.stop()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('filters go with every question, and names are shared', async () => {
  const names = new Map([[7, 'aten::relu']])
  loader = new Loader(
    PROFILE,
    () => undefined,
    () => undefined,
    () => undefined,
    { inside: 'mm' },
    names,
  )
  await want()
  expect(asked[0]?.get('inside')).toBe('mm')
  expect(loader.strip?.[0]?.busy).toEqual([0.5]) // with the picture of what they keep comes its strip
  expect([...names.values()]).toEqual(['aten::relu', 'aten::mm'])
})

async function want(tracks: readonly number[] = [4, 7]): Promise<void> {
  loader.want(view, tracks, 1)
  await new Promise((resolve) => setTimeout(resolve, 5))
}

test('first everything is asked for, once, however often it is wanted', async () => {
  await want()
  await want()
  expect(asked.map((query) => [query.get('t0_ns'), query.get('t1_ns'), query.get('width_px')])).toEqual([
    ['0', '1000000', '1000'],
  ])
  expect(loader.names.get(1)).toBe('aten::mm')
})

test('a closer look asks for three screens of the tracks in sight; a small move asks for nothing', async () => {
  await want()
  view.show(400_000, 410_000)
  await want()
  expect(asked).toHaveLength(2)
  expect(asked[1]?.get('tracks')).toBe('4,7')
  const [t0, t1] = [Number(asked[1]?.get('t0_ns')), Number(asked[1]?.get('t1_ns'))]
  expect(t0).toBeLessThanOrEqual(390_000)
  expect(t1).toBeGreaterThanOrEqual(420_000)
  view.pan(100)
  await want()
  expect(asked).toHaveLength(2)
})

test('what comes merged is asked for again, fewer tracks and less around them, until each is sharp', async () => {
  const N_BLOCKS = 1000 // that one reply holds; every track has one in each pixel
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    const [t0, t1] = [Number(query.get('t0_ns')), Number(query.get('t1_ns'))]
    const n = Number(query.get('width_px')) * (query.get('tracks')?.split(',').length ?? 8)
    const bucket = Math.ceil((t1 - t0) / Number(query.get('width_px')))
    const merged = 2 ** Math.max(Math.ceil(Math.log2(n / N_BLOCKS)), 0) * 2 ** Math.ceil(Math.log2(bucket))
    return Promise.resolve(new Response(reply([[], [], []], 1, { t0_ns: t0, t1_ns: t1, bucket_ns: merged })))
  })
  loader = new Loader(
    PROFILE,
    () => loader.want(view, [4, 7], 1), // it paints at once
    (reason) => problems.push(reason),
    () => retries++,
  )
  view.width = 500
  const finest = (): number | undefined => loader.blocksFor(4, view)?.bucketNs
  await want([4, 7])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(finest()).toBe(2048)
  view.show(400_000, 410_000)
  for (let i = 0; i < 12; i++) await want([4, 7])
  expect(finest()).toBe(32)
  const all = asked.map((query) => query.get('tracks'))
  expect(all.length).toBeLessThan(10)
  view.width = 2000 // one track in one screen is more than a reply holds: there is no less to ask for
  for (let i = 0; i < 12; i++) await want([4])
  const n = asked.length
  await want([4])
  expect([asked.length, n - all.length < 6]).toEqual([n, true])
})

test('a report answers with the window that it carries, and is asked once', async () => {
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(new URL(address).searchParams)
    return Promise.resolve(new Response(reply([[], [], []], 1, { t0_ns: 0, t1_ns: 1_000_000, bucket_ns: 1 << 16 })))
  })
  view.show(400_000, 410_000)
  for (let i = 0; i < 4; i++) await want()
  expect(asked).toHaveLength(2)
})

test('the finest blocks that cover the view are painted, and before they come the coarse ones', async () => {
  await want()
  view.show(400_000, 410_000)
  expect(loader.blocksFor(4, view)?.t1).toBe(WHOLE[1])
  await want()
  expect(loader.blocksFor(4, view)?.t1).toBeLessThan(WHOLE[1])
  view.show(0, 500_000)
  expect(loader.blocksFor(4, view)?.t1).toBe(WHOLE[1])
  expect(loader.all()).toHaveLength(2)
})

test('what failed is said, and asked for again only after a while', async () => {
  status = 500
  await want()
  expect(problems).toEqual(['no'])
  await want()
  expect(asked).toHaveLength(1)
  vi.useFakeTimers()
  loader = new Loader(
    PROFILE,
    () => undefined,
    () => undefined,
    () => retries++,
  )
  loader.want(view, [4], 1)
  await vi.advanceTimersByTimeAsync(2100)
  expect(retries).toBe(1)
})

test('an edge is asked for until it is exact, as a start or as an end', async () => {
  // The event is from 12 345 678 to 98 765 432 ns; others lie a few nanoseconds beside it.
  const events = [
    [0, 12_345_600],
    [12_345_678, 98_765_432],
    [98_765_440, 99_999_999],
  ] as const
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    const [t0, t1] = [Number(query.get('t0_ns')), Number(query.get('t1_ns'))]
    const unit = Math.max(2 ** Math.floor(Math.log2((t1 - t0) / Number(query.get('width_px')) / 8)), 1)
    const near = events.filter(([start, end]) => end >= t0 && start <= t1)
    const rows = near.map(([start, end], row) => {
      const first = Math.floor((start - t0) / unit)
      return { start: first, end: Math.max(Math.floor((end - t0) / unit), first + 1), row }
    })
    return Promise.resolve(new Response(reply([[], rows, []], unit, { t0_ns: t0, t1_ns: t1 })))
  })
  const unit = 1 << 20
  const start = { t: Math.floor(12_345_678 / unit) * unit, isEnd: false }
  const end = { t: Math.floor(98_765_432 / unit) * unit, isEnd: true }
  expect(await loader.exact(4, 1, start, unit)).toBe(12_345_678)
  expect(await loader.exact(4, 1, end, unit)).toBe(98_765_432)
  expect(await loader.exact(4, 1, { ...end, t: end.t + 4 * unit }, unit)).toBe(end.t + 4 * unit) // nothing ends there
  expect(await loader.exact(4, 1, start, 1)).toBe(start.t)
  expect(asked.length).toBeLessThan(12)
  expect(asked[0]?.get('tracks')).toBe('4')
  status = 400
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 500 })))
  expect(await loader.exact(4, 1, end, unit)).toBe(end.t)
})

test.each([400, 404])(
  'what the server refuses with %i is asked again only when what is asked changes',
  async (refusal) => {
    status = refusal
    vi.useFakeTimers()
    const wantNow = async (): Promise<void> => {
      loader.want(view, [4], 1)
      await vi.advanceTimersByTimeAsync(5000)
    }
    await wantNow()
    await wantNow()
    expect([asked.length, retries, loader.refused?.reason]).toEqual([1, 0, 'no'])
    status = 200
    view.width = 4000
    await wantNow()
    expect([asked.length, loader.refused]).toEqual([2, undefined])
  },
)

/** Lanes as the server sends them: of events that start in one bucket, a 500th of the stretch, one block. */
function serveEvents(starts: readonly number[]): void {
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    const [t0, t1] = [Number(query.get('t0_ns')), Number(query.get('t1_ns'))]
    const bucket = 2 ** Math.ceil(Math.log2(Math.max((t1 - t0) / 500, 1)))
    const blocks = new Map<number, { start: number; end: number; row: number; count: number }>()
    starts.forEach((start, row) => {
      if (start + 1 < t0 || start > t1) return
      const had = blocks.get(Math.floor(start / bucket))
      const first = had ?? { start: start - t0, row, count: 0 }
      blocks.set(Math.floor(start / bucket), { ...first, row, end: start + 1 - t0, count: first.count + 1 })
    })
    const about = { t0_ns: t0, t1_ns: t1, bucket_ns: bucket }
    return Promise.resolve(new Response(reply([[], [...blocks.values()], []], 1, about)))
  })
}

test('the first of merged events is found by looking nearer, past what began before', async () => {
  const starts = Array.from({ length: 900 }, (_, i) => 1000 + 7 * i)
  serveEvents(starts)
  expect(await loader.firstMerged(4, 1, 1000, 1e9)).toBe(0)
  expect(await loader.firstMerged(4, 1, 1001, 1e9)).toBe(1)
  expect(await loader.firstMerged(4, 1, 4500, 4600)).toBe(500)
  expect(await loader.firstMerged(4, 1, 7291.5, 7300)).toBe(899)
  expect(await loader.firstMerged(4, 1, 8000, 9000)).toBeUndefined()
  expect(asked.length).toBeLessThan(15)
})

test('events of one instant are one block at any zoom, and without a server there is none', async () => {
  serveEvents([500, 500, 500])
  expect(await loader.firstMerged(4, 1, 0, 1e6)).toBe(2)
  status = 500
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('gone')))
  expect(await loader.firstMerged(4, 1, 0, 1e6)).toBeUndefined()
})
