import { expect, test } from 'vitest'

import { effectColumns } from './effects'

test('the effect of 10 % is empty until it is asked for, and says why where it cannot be told', () => {
  const { effect_share: waiting } = effectColumns({ no_effect: null, rows: [{ effect_ns: null }] })
  expect(waiting.isKnown()).toBe(false)
  const { effect_share: known } = effectColumns({ no_effect: null, rows: [{ effect_ns: null }, { effect_ns: 0 }] })
  expect(known.isKnown()).toBe(true)
  expect(known).not.toHaveProperty('absent')
  const { effect_share: refused } = effectColumns({ no_effect: 'no launches', rows: [{ effect_ns: null }] })
  expect([refused.isKnown(), refused]).toMatchObject([true, { absent: 'not known: no launches' }])
})
