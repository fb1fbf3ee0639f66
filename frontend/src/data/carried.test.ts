import { gzipSync } from 'node:zlib'

import { expect, test } from 'vitest'

import { carriedIn, windowFor } from './carried'

const WINDOWS = [
  { t0_ns: 0, t1_ns: 1000, bucket_ns: 8, piece: 1 },
  { t0_ns: 0, t1_ns: 1000, bucket_ns: 2, piece: 2 },
  { t0_ns: 400, t1_ns: 600, bucket_ns: 1, piece: 3 },
]

function packed(data: string | Uint8Array): string {
  return gzipSync(data).toString('base64')
}

const INDEX = {
  runs: { version: '1' },
  questions: { 'view/kernels': { group_by: 'name', effects: '0' }, 'view/timeline/event': {} },
  answers: { 'view/kernels?kind=copy': [0, 1], 'view/kernels?': [0, 0], 'view/timeline/values?width_px=9': [0, 1] },
  windows: WINDOWS,
}
const PIECES = [packed(JSON.stringify(INDEX)), packed('[{"all":1},{"all":2}]'), packed(Uint8Array.of(7, 8))]
const PROFILE = { run: 'a', worker: 'b', span: 'c' }

test('an answer is found by what the question says beside its defaults', async () => {
  const ask = await carriedIn(PIECES)
  const plain = await ask('view/kernels', { ...PROFILE, group_by: 'name', kind: '', category: undefined })
  expect(await plain.json()).toEqual({ all: 1 })
  expect(await (await ask('view/kernels', { ...PROFILE, kind: 'copy' })).json()).toEqual({ all: 2 })
  expect(await (await ask('runs', {})).json()).toEqual({ version: '1' })
})

test('values of any window are found in those of the whole profile', async () => {
  const ask = await carriedIn(PIECES)
  const found = await ask('view/timeline/values', { ...PROFILE, t0_ns: 5, t1_ns: 7, width_px: 2 })
  expect(await found.json()).toEqual({ all: 2 })
})

test('what is not carried is refused in words', async () => {
  const ask = await carriedIn(PIECES)
  for (const [path, query] of [
    ['view/kernels', { steps: '3' }],
    ['view/compare', {}],
    ['view/timeline/window', { t0_ns: 0, t1_ns: 900, width_px: 10, steps: '3' }],
  ] as const) {
    const refused = await ask(path, { ...PROFILE, ...query })
    expect(refused.status).toBe(404)
    expect(JSON.stringify(await refused.json())).toContain('tb-plugin serve')
  }
})

test('what is answered from what is carried is asked of that, and what it refuses is said', async () => {
  const ask = await carriedIn(PIECES, ({ ask: carried, pictures }) => async (path, query) => {
    if (path !== 'view/timeline/search') return undefined
    if (query['q'] === '(') throw new Error('no pattern')
    const all = await pictures().catch(() => []) // one piece is not there
    return { q: query['q'], known: (await (await carried('view/kernels', {})).json()) as unknown, n: all.length }
  })
  expect(await (await ask('view/timeline/search', { ...PROFILE, q: 'mm' })).json()).toMatchObject({ q: 'mm', known: { all: 1 } }) // prettier-ignore
  const refused = await ask('view/timeline/search', { ...PROFILE, q: '(' })
  expect([refused.status, JSON.stringify(await refused.json())]).toEqual([400, expect.stringContaining('no pattern')])
  expect((await ask('view/compare', PROFILE)).status).toBe(404)
})

test('a picture arrives as its bytes', async () => {
  const ask = await carriedIn(PIECES)
  const reply = await ask('view/timeline/window', { ...PROFILE, t0_ns: 0, t1_ns: 900, width_px: 10, tracks: '1,2' })
  expect([...new Uint8Array(await reply.arrayBuffer())]).toEqual([7, 8])
})

test.each([
  [0, 1000, 100, 1], // coarse is fine enough
  [0, 1000, 400, 2],
  [0, 1000, 5000, 2], // the finest of the whole
  [350, 650, 5000, 3], // its middle is in the part that is seen from near
  [500, 800, 5000, 2],
])('%d to %d at %d pixels is shown by picture %d', (t0, t1, width, piece) => {
  expect(windowFor(WINDOWS, t0, t1, width)?.piece).toBe(piece)
})
