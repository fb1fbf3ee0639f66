import { expect, test } from 'vitest'

import { changed } from '../state/hash'
import { kernelsOf, soughtInTimeline, spanChanges, stepChanges, tablePlace } from './links'

test('what would hide the row is undone, filters and order stay', () => {
  const before = {
    view: 'overview',
    steps: '3',
    'kernels.q': 'gemm',
    'kernels.category': 'matmul',
    'kernels.sort': 'name',
  }
  expect(changed(before, kernelsOf('copy', { row: 'Memcpy HtoD' }))).toEqual({
    view: 'kernels',
    steps: '3',
    'kernels.sort': 'name',
    'kernels.kind': 'copy',
    'kernels.row': 'Memcpy HtoD',
  })
})

test('kernels are what the view shows without being asked', () => {
  expect(changed({ 'kernels.kind': 'set' }, kernelsOf('kernel'))).toEqual({ view: 'kernels' })
  expect(changed({ 'operators.group': 'module' }, tablePlace('operators', { row: 'aten::mm' }))).toEqual({
    view: 'operators',
    'operators.row': 'aten::mm',
  })
})

test('another span keeps the view and what is filtered by name, and forgets windows, steps and events', () => {
  const before = {
    view: 'timeline',
    steps: '3',
    module: 'net',
    'timeline.t0_ns': '1',
    'timeline.q': 'mm',
    'memory.at_ns': '7',
    'memory_blocks.row': '2',
  }
  expect(changed(before, spanChanges())).toEqual({ view: 'timeline', module: 'net', 'timeline.q': 'mm' })
})

test('other steps are shown, wherever the timeline was before', () => {
  const before = { 'timeline.t0_ns': '1', 'timeline.t1_ns': '2', 'timeline.row': '3', 'memory.t0_ns': '4' }
  expect(changed(before, stepChanges('5'))).toEqual({ steps: '5', 'timeline.row': '3', 'memory.t0_ns': '4' })
})

test('what is sought for a view is no regular expression unless that is said, whatever was sought before', () => {
  const before = { 'timeline.q': 'a|b', 'timeline.regex': '1' }
  const sought = { view: 'timeline', 'timeline.q': 'void f<int>(*)', 'timeline.seek': '1' }
  expect(changed(before, soughtInTimeline('void f<int>(*)'))).toEqual(sought)
})
