import { expect, test } from 'vitest'

import { eventRef } from '../../test/timeline'
import { at } from '../state/place'
import { commandsOf } from './palette_dialog'

test('each name is listed once a kind, with the view that has its row and the timeline', () => {
  const hits = [1, 2, 3].map((row) => ({ ...eventRef(row), name: 'gemm', kind: row < 3 ? 'kernel' : 'python' }))
  const found = commandsOf(hits)
  expect(found.map(({ about }) => about)).toEqual(['kernels', 'kernel in the timeline', 'python in the timeline'])
  found[0]?.act()
  expect([at('view'), at('kernels.row')]).toEqual(['kernels', 'gemm'])
  found[2]?.act()
  expect([at('view'), at('timeline.q')]).toEqual(['timeline', 'gemm'])
})
