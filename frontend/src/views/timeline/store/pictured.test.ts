import { expect, it } from 'vitest'

import type { Blocks } from '../../../draw/blocks/blocks'
import type { TrackRow } from '../../../wire/wire'
import { pictured } from './pictured'
import type { Drawn } from './pictured'

const TRACKS = [{ id: 4, name: 'stream 7' }, { id: 9, name: 'thread 1' }] as unknown as readonly TrackRow[] // prettier-ignore

function picture(unitNs: number, count: readonly number[]): Blocks {
  return {
    ...{ t0: 1000, unitNs, trackLane: new Map([[4, 0], [9, 1]]), laneFirst: Int32Array.of(0, 1, 2, 3) }, // prettier-ignore
    start: Int32Array.of(0, 5, 7),
    longestNs: Float32Array.of(10, 20, 30),
    row: Int32Array.of(70, 71, 72),
    nameId: Int32Array.of(1, 2, 3),
    count: Int32Array.from(count),
  } as unknown as Blocks
}

const NAMES = new Map([[1, 'gemm'], [2, 'aten::mm'], [3, 'aten::add']]) // prettier-ignore

function drawn(pictures: readonly Blocks[]): Drawn {
  return { loader: { all: () => pictures, names: NAMES }, tracks: { tracks: TRACKS } }
}

it('has the name, time and place that the finest picture shows', () => {
  const found = pictured(72, drawn([picture(64, [1, 1, 1]), picture(2, [1, 1, 1])]))
  expect(found).toMatchObject({ name: 'aten::add', track: 9, track_name: 'thread 1', lane: 1, start_ns: 1014, duration_ns: 30 }) // prettier-ignore
})

it('does not say when the longest event of a merged block begins', () => {
  expect(pictured(71, drawn([picture(64, [1, 3, 1])]))).toBeUndefined()
  expect(pictured(99, drawn([picture(64, [1, 1, 1])]))).toBeUndefined()
})
