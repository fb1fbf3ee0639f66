/** A job of two ranks. */
import { expect, test } from 'vitest'

import { TABLE, rank, reply, show } from '../../../../test/made_up_ranks'
import { onMadeUpServer } from '../../../../test/made_up_server'

onMadeUpServer()

const OF = '[aria-label="Both ranks"]'
const RANKS = [
  rank(0, { own_ns: 40e6, wait_ns: 500, computation_ns: 30e6, copy_ns: 0, peak_bytes: 2 ** 30 }),
  rank(1, { own_ns: 47e6, wait_ns: 0, computation_ns: null, copy_ns: 0, peak_bytes: 2 ** 29 }),
]

test('a job of two ranks has a table of both, with the difference in each measure that is told', async () => {
  await show(reply({ ...TABLE, world_size: 2, ranks: RANKS }))
  const texts = (cells: string) =>
    [...document.querySelectorAll(`${OF} ${cells}`)].map(({ textContent }) => textContent)
  expect(texts('thead th')).toEqual(['rank 0', 'rank 1', 'difference, rank 1 − rank 0'])
  const rows = [...document.querySelectorAll(`${OF} tbody tr`)].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent.replace(/ *\?$/, '')),
  )
  expect(rows).toEqual([
    ['More than peers', '−3.50 ms', '+3.50 ms', '+7.00 ms'],
    ['Own time', '40.0 ms', '47.0 ms', '+7.00 ms'],
    ['Step', '50.0 ms', '50.0 ms', '0 ns'],
    ['Exposed wait', 'under 1.00 µs', '0 ns', 'under 1.00 µs'],
    ['Computation', '30.0 ms', 'not recorded', 'not known'],
    ['Memory peak', '1.00 GiB', '512 MiB', '−512 MiB'],
  ])
})

test.each([
  ['of more', 4, RANKS],
  ['of one', 1, RANKS.slice(0, 1)],
])('a job %s has none', async (_, size, ranks) => {
  await show(reply({ ...TABLE, world_size: size, ranks }))
  expect(document.querySelector(OF)).toBeNull()
})
