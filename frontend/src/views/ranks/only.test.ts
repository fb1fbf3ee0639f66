import { expect, test } from 'vitest'

import { rowOf } from '../../../test/rows'
import type { CollectiveRow, LinkRow, PathRow, RankRow, RanksMatrix, RanksTable, StageRow } from '../../wire/wire'
import { narrowed, narrowedMap, notKnown, wordsOf } from './only'
import { COLLECTIVE_ROW, LINK_ROW, PATH_ROW, RANK_ROW, STAGE_ROW } from './row_figures'

/** Two hosts of two ranks; stage 1 is the second host. */
const TABLE = {
  absent: [],
  ranks: [0, 1, 2, 3].map((rank) =>
    rowOf<RankRow>(RANK_ROW, { rank, stage: rank >> 1, replica: rank & 1, host: `n-${rank >> 1}` }),
  ),
  steps: [{ number: 7, own_ns: [10, 11, 12, 13], wait_ns: [20, 21, 22, 23], excess_ns: [] }],
  dimensions: [
    { name: 'data', short: 'dp' },
    { name: 'tensor', short: 'tp' },
  ],
  collectives: ['data', 'tensor'].map((dimension) => rowOf<CollectiveRow>(COLLECTIVE_ROW, { dimension })),
  links: ['n-0, n-1', 'n-1'].map((hosts) => rowOf<LinkRow>(LINK_ROW, { hosts, dimension: 'data' })),
  hosts: [{ host: 'n-0' }, { host: 'n-1' }],
  stages: [0, 1].map((stage) => rowOf<StageRow>(STAGE_ROW, { stage })),
  path: [null, 1, 2].map((rank) => rowOf<PathRow>(PATH_ROW, { rank })),
} as unknown as RanksTable

function ranks(only: string): readonly number[] {
  return narrowed(TABLE, wordsOf(only)).ranks.map(({ rank }) => rank)
}

test('of one kind any word holds, of several kinds all', () => {
  expect(ranks('')).toEqual([0, 1, 2, 3])
  expect(ranks('rank=0,2-3')).toEqual([0, 2, 3])
  expect(ranks('rank=0 rank=3')).toEqual([0, 3])
  expect(ranks('stage=1 replica=0')).toEqual([2])
  expect(ranks('host=n-0')).toEqual([0, 1])
  expect(ranks('stage=1 host=n-0')).toEqual([])
  expect(ranks('dim=data')).toEqual([0, 1, 2, 3])
})

test('words may be called otherwise', () => {
  expect(ranks('ranks=0,2-3 node=n-1')).toEqual([2, 3])
  expect(ranks('stages=1 hosts=n-1 dimension=data')).toEqual([2, 3])
  expect(narrowed(TABLE, ['dims=tp']).dimensions.map(({ name }) => name)).toEqual(['tensor'])
})

test('a host whose name holds a comma is found by it, as each of several hosts is', () => {
  const named = {
    ...TABLE,
    ranks: TABLE.ranks.map((row, rank) => ({ ...row, host: ['a', 'a,b', 'b', 'c'][rank] ?? null })),
  }
  const found = (only: string): readonly number[] => narrowed(named, wordsOf(only)).ranks.map(({ rank }) => rank)
  expect(found('host=a,b')).toEqual([0, 1, 2])
  expect(found('host=a,c')).toEqual([0, 3])
})

test('what is no word leaves nothing, and one is there once', () => {
  expect(wordsOf('rank=5 what=1 rank=5 host=a')).toEqual(['rank=5', 'what=1', 'host=a'])
  expect(wordsOf(undefined)).toEqual([])
  expect(ranks('rank=1 n=n-0')).toEqual([])
  expect(ranks('rank=x')).toEqual([])
})

test('a dimension is found by what people call it', () => {
  const table = narrowed(TABLE, ['dim=tp'])
  expect(table.dimensions.map(({ name }) => name)).toEqual(['tensor'])
  expect(table.collectives.map(({ dimension }) => dimension)).toEqual(['tensor'])
})

test('the values of steps stay beside their ranks, and every table loses its rows', () => {
  const table = narrowed(TABLE, ['rank=1,3', 'dim=data', 'stage=1'])
  expect(table.steps[0]).toMatchObject({ own_ns: [13], wait_ns: [23], excess_ns: [] })
  expect(table.dimensions.map(({ name }) => name)).toEqual(['data'])
  expect(table.collectives.map(({ dimension }) => dimension)).toEqual(['data'])
  expect(table.hosts.map(({ host }) => host)).toEqual(['n-1'])
  expect(table.stages.map(({ stage }) => stage)).toEqual([1])
  expect(narrowed(TABLE, ['host=n-0'])).toMatchObject({ stages: [{ stage: 0 }], links: [{ hosts: 'n-0, n-1' }] })
  expect(narrowed(TABLE, ['rank=2']).path.map(({ rank }) => rank)).toEqual([null, 2])
})

test('a map keeps the cells of the ranks that are left, whatever its axes are', () => {
  const matrix = {
    rows: ['n-0', 'n-1'],
    ranks: [
      [0, 1],
      [2, 3],
    ],
    values: [
      [1, 2],
      [3, 4],
    ],
  } as unknown as RanksMatrix
  expect(narrowedMap(matrix, narrowed(TABLE, ['rank=1-2']))).toMatchObject({
    rows: ['n-0', 'n-1'],
    ranks: [
      [null, 1],
      [2, null],
    ],
    values: [
      [null, 2],
      [3, null],
    ],
  })
  expect(narrowedMap(matrix, narrowed(TABLE, ['host=n-1']))).toMatchObject({ rows: ['n-1'], values: [[3, 4]] })
})

test('each table says which words do not narrow it', () => {
  const words = ['rank=1', 'host=n-0', 'dimension=data']
  const left = ['summary', 'ranks', 'pipeline', 'lanes', 'links', 'collectives', 'hang'].map(
    (id) => notKnown(words, id).length,
  )
  expect(left).toEqual([0, 1, 1, 1, 0, 2, 3])
  expect(notKnown(words, 'path')).toEqual(['dimension=data'])
})
