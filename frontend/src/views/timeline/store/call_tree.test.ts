import { expect, test } from 'vitest'

import { eventRef, timelineEvent } from '../../../../test/timeline'
import type { CallNode } from '../../../wire/wire'
import { callTree, inverted, nodeOf } from './call_tree'

function node(name: string, parent: number | null, time: number, self: number): CallNode {
  const about = { kind: 'operator', paint: 'operator', count: 1, longest: eventRef(time) }
  return { name, parent, time_ns: time, self_ns: self, ...about }
}

/** train 100 { linear 70 { mm 30 }, relu 20 { mm 5 } } */
const ROWS = [
  node('train', null, 100, 10),
  node('linear', 0, 70, 40),
  node('mm', 1, 30, 30),
  node('relu', 0, 20, 15),
  node('mm', 3, 5, 5),
]

test('from the callees, names have their own time, and callers share it out', () => {
  const rows = inverted(ROWS)
  const words = rows.map(({ name, parent, time_ns }) => [name, parent === null ? '' : rows[parent]?.name, time_ns])
  expect(words).toEqual([
    ['linear', '', 40],
    ['train', 'linear', 40],
    ['mm', '', 35],
    ['linear', 'mm', 30],
    ['train', 'linear', 30],
    ['relu', '', 15],
    ['train', 'relu', 15],
    ['train', '', 10],
    ['relu', 'mm', 5],
    ['train', 'relu', 5],
  ])
  expect(rows.every(({ parent }, place) => parent === null || parent < place)).toBe(true)
  const { nodes } = callTree(rows)
  expect(nodes.total(-1)).toBe(100)
  expect(rows.reduce((sum, { self_ns }) => sum + self_ns, 0)).toBe(100)
})

test('an event leads to its node, or to the nearest one that is listed', () => {
  const tree = callTree(ROWS)
  const event = {
    ...timelineEvent(1),
    name: 'mm',
    parents: [
      { ...eventRef(2), name: 'relu' },
      { ...eventRef(3), name: 'train' },
    ],
  }
  expect(nodeOf(tree, event)).toBe(4)
  expect(nodeOf(tree, { ...event, name: 'copy' })).toBe(3)
  expect(nodeOf(tree, { ...event, name: 'other', parents: [] })).toBe(-1)
  expect(nodeOf(tree, undefined)).toBe(-1)
})
