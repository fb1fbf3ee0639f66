import { expect, test } from 'vitest'

import { eventRef, timelineEvent } from '../../../../test/timeline'
import type { CallNode } from '../../../wire/wire'
import { callTree, nodeOf } from './call_tree'

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

test('what is not listed is part of the whole', () => {
  const { nodes } = callTree({ nodes: ROWS, time_ns: 120 })
  expect([nodes.total(-1), nodes.total(0), nodes.childrenOf(-1)]).toEqual([120, 100, [0]])
})

test('an event leads to its node, or to the nearest one that is listed', () => {
  const tree = callTree({ nodes: ROWS, time_ns: 100 })
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
