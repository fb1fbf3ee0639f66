/** A made-up job of two ranks of four, as the server tells of it, and the view Ranks of it. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { vi } from 'vitest'

import { RanksView } from '../src/views/ranks'
import { DIMENSION_ROW, RANK_ROW } from '../src/views/ranks/row_figures'
import type { Blamed, DimensionRow, HangReport, JointReply, RankRow, RanksMatrix, RanksTable } from '../src/wire/wire'
import { pass } from './made_up_server'
import { rowOf } from './rows'

export const PROFILE = { run: 'job', worker: 'w0', span: '1' }
export const BLAMED = 'Rank 1 computes 25 % longer.'

export function rank(number: number, more: Partial<RankRow> = {}): RankRow {
  return rowOf<RankRow>(RANK_ROW, {
    rank: number,
    worker: `w${number}`,
    span: '1',
    step_ns: 50e6,
    excess_ns: (number - 0.5) * 7e6,
    is_cut_off: false,
    ...more,
  })
}

const STEP = { shortest_ns: 50e6, longest_ns: 50e6, path_ns: null, last_rank: 1, is_slow: false, late: [] }
const LATE: Blamed = {
  level: 'rank',
  name: 'rank 1',
  ranks: [1],
  steps: [7],
  is_persistent: true,
  excess_ns: 7e6,
  cause: 'slow_kernels',
  cause_ns: 7e6,
  also: null,
  also_ns: null,
  confidence: 'sure',
  factor: 1.25,
  kernels: [],
  n_more: null,
  event: null,
  sentence: BLAMED,
  step_was_ns: null,
  step_without_ns: null,
  step_without_least_ns: null,
}

export const TABLE: RanksTable = {
  by: 'rank',
  run: 'job',
  n_ranks: 2,
  world_size: 4,
  n_steps: 40, // of which the rows below are some
  missing_ranks: '2-3',
  absent: [],
  layout: { data: 2, tensor: 2 },
  sentences: ['A step is 50.0 ms.', `${BLAMED} At most 7.00 ms.`],
  leads: [
    { ranks: [0], step: 8, table: 'collective', places: [], counted: null },
    { ranks: [1], step: 7, table: null, places: [], counted: null },
  ],
  clock_notes: [],
  notes: ['2 of 4 ranks are here; missing: 2-3.'],
  doubts: ['Likely its clock.'],
  longest_step_ns: 50e6,
  parts: {
    computation_ns: 30e6,
    wait_ns: 8e6,
    transfer_ns: 5e6,
    bubble_wait_ns: null,
    untold_ns: 0,
    communication_ns: 13e6,
    copy_ns: 2e6,
    idle_ns: 5e6,
    step_ns: 50e6,
  },
  job_step_ns: 50e6,
  n_matched: 9,
  n_complete: 9,
  n_incomplete: 0,
  n_mismatches: 0,
  sigma_ns: 900,
  clock_error_ns: 900,
  blamed: [LATE],
  together: null,
  slow_link: null,
  slow_link_was_ns: null,
  slow_link_without_ns: null,
  slow_link_without_least_ns: null,
  moving: null,
  ideal_was_ns: null,
  ideal_ns: null,
  other_spans: [],
  ideal_least_ns: null,
  slowdown: null,
  is_slowdown_least: false,
  ideal_steps: null,
  pipeline: null,
  dimensions: [
    rowOf<DimensionRow>(DIMENSION_ROW, {
      name: 'tensor',
      is_inferred: true,
      n_groups: 2,
      n_instances: 9,
      n_incomplete: 0,
      exposed_ns: 13e6,
    }),
  ],
  ranks: [rank(0), rank(1)],
  steps: [
    { ...STEP, number: 7, own_ns: [40e6, 47e6], wait_ns: [10e6, 3e6], excess_ns: [-3.5e6, 3.5e6] },
    { ...STEP, number: 8, own_ns: [null, 47e6], wait_ns: [null, 3e6], excess_ns: [null, 3.5e6] },
    { ...STEP, number: 9, own_ns: [40e6, 47e6], wait_ns: [10e6, 3e6], excess_ns: [-3.5e6, 3.5e6] },
  ],
  collectives: [],
  links: [],
  hosts: [
    {
      host: 'a',
      n_ranks: 1,
      first_rank: 0,
      component: 0,
      offset_ns: 0,
      drift_ppm: 0,
      drift_error_ppm: 0.25,
      error_ns: 0,
    },
    {
      host: 'b',
      n_ranks: 1,
      first_rank: 1,
      component: 0,
      offset_ns: 5,
      drift_ppm: 1,
      drift_error_ppm: 0.25,
      error_ns: 900,
    },
  ],
  stages: [],
  path: [],
  path_ahead_ns: null,
  jobs: [],
  others: [{ worker: 'w9', span: '1', label: 'rank 9', state: 'failed', reason: 'not a profile' }],
}

/** Half of its window is a bubble. */
export const PIPELINE: NonNullable<RanksTable['pipeline']> = {
  n_stages: 2,
  n_micro_batches: 4,
  n_chunks: 1,
  schedule: '1F1B',
  window_ns: 40e6,
  ideal_share: 0.2,
  bubble_ns: 20e6,
  bubble_share: 0.5,
}

export function reply(result: RanksTable, more: Partial<JointReply<RanksTable>> = {}): JointReply<RanksTable> {
  return { n_members: result.n_ranks, n_pending: 0, n_failed: 0, result, ...more }
}

export async function show(
  answer: JointReply<RanksTable>,
  hangs: readonly HangReport[] = [],
  matrix?: RanksMatrix,
): Promise<string> {
  vi.stubGlobal('fetch', (address: string) => {
    const about = address.includes('/matrix?') && matrix !== undefined ? { ...answer, result: matrix } : answer
    return Promise.resolve(new Response(JSON.stringify(address.includes('/hang?') ? { hangs } : about)))
  })
  await act(() => render(<RanksView profile={PROFILE} />, document.body))
  await pass()
  // What stands beside the tables is asked once they are there.
  await pass()
  return document.body.textContent
}
