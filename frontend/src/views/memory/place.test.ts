import { expect, test } from 'vitest'

import { rangeChanges, readPlace, tableChanges } from './place'

test('a range and an instant come back as they were put into the link', () => {
  const changes = rangeChanges([1000.4, 2000.6]) as Record<string, string>
  expect(readPlace(changes).range).toEqual([1000, 2001])
  expect(readPlace({ 'memory.at_ns': '1500', 'memory.table': 'blocks' })).toMatchObject({ at: 1500, table: 'blocks' })
})

test('what makes no sense in a link is as if it were not there', () => {
  const place = readPlace({
    'memory.t0_ns': '20',
    'memory.t1_ns': '10',
    'memory.at_ns': 'now',
    'memory.table': 'x',
    'memory.only': 'some',
    'memory.min_bytes': '-1',
  })
  expect(place).toMatchObject({ range: undefined, at: undefined, table: 'groups', only: 'all', minBytes: undefined })
  expect(readPlace({ 'memory.t0_ns': '20' }).range).toBeUndefined()
})

test('another range forgets the instant of the one before', () => {
  expect(rangeChanges([1, 2])).toMatchObject({ 'memory.at_ns': undefined })
})

test('the usual table is not in the link', () => {
  expect(tableChanges('groups')).toEqual({ 'memory.table': undefined })
  expect(tableChanges('allocations')).toEqual({ 'memory.table': 'allocations' })
})
