import { expect, test } from 'vitest'

import { changed } from './hash'
import { kernelsOf, tablePlace } from './table_place'

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
