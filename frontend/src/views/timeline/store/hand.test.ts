import { expect, test } from 'vitest'

import { Hand } from './hand'

test('what was drawn ends the tool that drew it; what is dropped does not', () => {
  const hand = new Hand()
  hand.take('area')
  hand.drawArea({ t0: 0, t1: 9, tracks: [1] })
  hand.drop()
  expect([hand.drawnArea, hand.tool.value]).toEqual([undefined, 'area'])
  hand.drawArea({ t0: 0, t1: 9, tracks: [1] })
  hand.finish()
  expect([hand.drawnArea, hand.tool.value]).toEqual([undefined, undefined])
  hand.take('measure')
  hand.drawRange([0, 9])
  hand.finish()
  expect([hand.drawnRange, hand.tool.value]).toEqual([undefined, undefined])
})

test('there is one tool at a time, and the same one taken again is laid down', () => {
  const hand = new Hand()
  hand.take('range')
  hand.take('measure')
  expect(hand.tool.value).toBe('measure')
  hand.take('measure')
  expect(hand.tool.value).toBeUndefined()
})
