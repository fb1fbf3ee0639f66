import { expect, test } from 'vitest'

import { eventRef, timelineEvent } from '../../../../test/timeline'
import type { CallNode } from '../../../wire/wire'
import { callTree, commonPrefix, folded, keptBy, nodeOf, outline, withTurned } from './call_tree'

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

test('a module leads to the call of all of its class', () => {
  const tree = callTree({ nodes: [node('nn.Module: Block_*', null, 60, 50), node('mm', 0, 10, 10)], time_ns: 60 })
  const parents = [{ ...eventRef(2), name: 'nn.Module: Block_12' }]
  expect(nodeOf(tree, { ...timelineEvent(1), name: 'mm', parents })).toBe(1)
  expect(nodeOf(tree, { ...timelineEvent(1), name: 'mm', parents: [{ ...eventRef(2), name: 'Block_12' }] })).toBe(-1)
})

test('a search keeps what leads to its hits and what they call', () => {
  const tree = callTree({ nodes: ROWS, time_ns: 100 })
  expect([...keptBy(tree, new Set([3]))].sort()).toEqual([0, 3, 4])
  expect([...keptBy(tree, new Set())]).toEqual([])
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

test('a step leads to the node of all steps, and so does what is in it', () => {
  const tree = callTree({ nodes: [node('ProfilerStep*', null, 100, 10), node('mm', 0, 90, 90)], time_ns: 100 })
  const step = { ...timelineEvent(1), name: 'ProfilerStep#7' }
  expect(nodeOf(tree, step)).toBe(0)
  expect(nodeOf(tree, { ...step, name: 'mm', parents: [{ ...eventRef(2), name: 'ProfilerStep#8' }] })).toBe(1)
})

/** script 1000 { train 999 { step 995 { linear 900, loss 95 }, log 4 } } and start 1 */
const SCRIPT = [
  node('script', null, 1000, 1),
  node('train', 0, 999, 0),
  node('step', 1, 995, 0),
  node('linear', 2, 900, 900),
  node('loss', 2, 95, 95),
  node('log', 1, 4, 4),
  node('start', null, 1, 1),
]

test('the calls that nearly everything lies in are folded: what they call stands at the top, over its time of all', () => {
  const tree = callTree({ nodes: SCRIPT, time_ns: 1001 })
  const prefix = commonPrefix(tree)
  expect(prefix).toEqual([0, 1, 2])
  const { nodes } = folded(tree, prefix)
  expect([nodes.childrenOf(-1), nodes.around(3), nodes.total(-1)]).toEqual([[3, 4], [], 1001])
})

test('a call that calls nothing is not folded away, and two threads have nothing around both', () => {
  const two = [node('main', null, 60, 60), node('backward', null, 40, 40)]
  expect(commonPrefix(callTree({ nodes: two, time_ns: 100 }))).toEqual([])
  expect(commonPrefix(callTree({ nodes: [node('mm', null, 100, 100)], time_ns: 100 }))).toEqual([])
})

/** Two roots: train as above, and load 50 { read 20 }. */
const TWO = callTree({ nodes: [...ROWS, node('load', null, 50, 30), node('read', 5, 20, 20)], time_ns: 150 })

function lines(opened: string, zoom = -1, kept?: ReadonlySet<number>): readonly string[] {
  return outline(TWO, zoom, opened, kept).map(
    ({ row, depth, isOpen }) => `${'  '.repeat(depth)}${row.name}${isOpen === undefined ? '' : isOpen ? ' ▾' : ' ▸'}`,
  )
}

test('of the rows all roots come first, and each opens what it calls', () => {
  expect(lines('')).toEqual(['train ▸', 'load ▸'])
  expect(lines('0')).toEqual(['train ▾', '  linear ▸', '  relu ▸', 'load ▸'])
  expect(lines('~0')).toEqual(['train ▾', '  linear ▾', '    mm', '  relu ▾', '    mm', 'load ▸'])
  expect(lines('~-1,1,5')).toEqual(['train ▾', '  linear ▸', '  relu ▾', '    mm', 'load ▸'])
  expect(lines('', 0)).toEqual(['train ▾', '  linear ▸', '  relu ▸'])
  expect(lines('0', -1, new Set([0, 1]))).toEqual(['train ▾', '  linear ▾'])
})

test('a row that is turned twice is as it was, and with all below it nothing of it stays closed', () => {
  expect(withTurned(TWO, '', 1, false)).toBe('1')
  expect(withTurned(TWO, '5,1', 1, false)).toBe('5')
  expect(withTurned(TWO, '1', 1, false)).toBeUndefined()
  expect(withTurned(TWO, '~-1,1,5', 0, true)).toBe('~-1,5,~0')
  expect(lines('~-1,5,~0')).toEqual(['train ▾', '  linear ▾', '    mm', '  relu ▾', '    mm', 'load ▸'])
})
