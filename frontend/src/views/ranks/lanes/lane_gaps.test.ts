import { expect, test } from 'vitest'

import { gapWords, gapsOf } from './lane_gaps'
import type { RankLanes } from '../../../wire/wire'

const LANE = { worker: '', span: '', host: null, is_tied: true, zero_ns: 0, clock_ns: 0, from_ns: 0, to_ns: 100 }
const NO_COLLECTIVE = { dimension: [], kind: [], instance: [], row: [], arrived_ns: [], is_known: [], is_last: [] }

function gaps(
  lane: Partial<RankLanes['lanes'][number]>,
  computing: readonly (readonly [number, number])[],
  nLeftOut = 0,
): readonly string[] {
  const starts = computing.map(([start]) => start)
  const reply = {
    length_ns: 100,
    n_left_out: nLeftOut,
    lanes: [{ ...LANE, rank: 0, computing: 'drawn', ...lane }],
    computing: { lane: starts.map(() => 0), start_ns: starts, end_ns: computing.map(([, end]) => end) },
    members: { ...NO_COLLECTIVE, lane: [0, 1], start_ns: [40, 0], end_ns: [50, 100] },
  }
  return gapsOf(reply as unknown as RankLanes).map(
    (gap) => `${gap.start}-${gap.end} ${gapWords(gap, (ns) => `${ns} ns`)}`,
  )
}

test('a pause is told from what was not recorded', () => {
  expect(
    gaps({}, [
      [60, 90],
      [10, 40],
    ]),
  ).toEqual(['0-10 nothing ran, 10 ns', '50-60 nothing ran, 10 ns', '90-100 nothing ran, 10 ns'])
  expect(
    gaps({ from_ns: 5, to_ns: 95 }, [
      [0, 40],
      [50, 80],
    ]),
  ).toEqual(['0-5 not recorded', '80-95 nothing ran, 15 ns', '95-100 not recorded'])
  expect(gaps({ computing: 'not recorded' }, [])).toEqual(['0-40 not recorded', '50-100 not recorded'])
  expect(gaps({ computing: 'not drawn', to_ns: 90 }, [])).toEqual([
    '0-40 computation not drawn',
    '50-90 computation not drawn',
    '90-100 not recorded',
  ])
  expect(gaps({ from_ns: 200, to_ns: 300 }, []).at(0)).toContain('not recorded')
  expect(gaps({ to_ns: 95 }, [], 3)).toEqual(['95-100 not recorded']) // what is left out may have run anywhere
})
