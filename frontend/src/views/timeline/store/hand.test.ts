import { expect, test } from 'vitest'

import { Hand } from './hand'

test('what was drawn ends the mode that drew it; what is dropped does not', () => {
  const hand = new Hand()
  hand.isDrawingArea.value = true
  hand.isBoxing.value = true
  hand.drawArea({ t0: 0, t1: 9, tracks: [1] })
  hand.drop()
  expect([hand.drawnArea, hand.isDrawingArea.value]).toEqual([undefined, true])
  hand.drawArea({ t0: 0, t1: 9, tracks: [1] })
  hand.finish()
  expect([hand.drawnArea, hand.isDrawingArea.value, hand.isBoxing.value]).toEqual([undefined, false, true])
  hand.drawRange([0, 9])
  hand.finish()
  expect([hand.drawnRange, hand.isBoxing.value]).toEqual([undefined, false])
})
