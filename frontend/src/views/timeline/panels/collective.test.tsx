import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test } from 'vitest'

import type { EventCollective } from '../../../wire/wire'
import { Collective } from './collective'

const SENT: EventCollective = {
  kind: 'send',
  group: 'PIPELINE_MODEL_PARALLEL_GROUP',
  dimension: 'pipeline',
  n_ranks: 4,
  ranks: '0, 2, 4, 6',
  peer: 2,
  in_bytes: 16_777_216,
  out_bytes: 16_777_216,
  dtype: 'BFloat16',
  sequence: 18,
  least_bus_bytes_per_s: 139_987_450_770,
  no_rate: null,
}

afterEach(() => {
  render(null, document.body)
})

function shown(of: EventCollective): Record<string, string> {
  void act(() => {
    render(<Collective of={of} />, document.body)
  })
  const facts = [...document.querySelectorAll('dl > div')]
  return Object.fromEntries(facts.map((fact) => [...fact.children].map((part) => part.textContent) as [string, string]))
}

test('a collective has its group, members, bytes and the rate that one rank alone tells', () => {
  expect(shown(SENT)).toEqual({
    Collective: 'send 18 of its group',
    Group: 'PIPELINE_MODEL_PARALLEL_GROUP (pipeline)',
    Ranks: '4 ranks 0, 2, 4, 6',
    To: 'rank 2',
    Bytes: '16.0 MiB in, 16.0 MiB out BFloat16',
    'Bus rate': 'at least 140 GB/s from one rank alone, waiting included',
  })
})

test('what is not recorded says so, and why there is no rate', () => {
  const of = { ...SENT, kind: 'all_to_all', group: null, dimension: null, n_ranks: null, ranks: null, peer: null }
  const none = { ...of, out_bytes: null, dtype: null, sequence: null, least_bus_bytes_per_s: null }
  expect(shown({ ...SENT, group: 'undefined_pg', dimension: null })).toMatchObject({
    Group: 'undefined_pg (dimension not recorded)',
  })
  expect(shown({ ...none, no_rate: 'the size of its group is not recorded' })).toEqual({
    Collective: 'all_to_all',
    Group: 'not recorded',
    Ranks: 'not recorded',
    Bytes: '16.0 MiB in, not recorded out',
    'Bus rate': 'not known: the size of its group is not recorded',
  })
})
