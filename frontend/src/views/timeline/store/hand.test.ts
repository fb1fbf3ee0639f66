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

test('it points at the edge that it would snap to, and where there is none at where it is', () => {
  const hand = new Hand()
  hand.pointAt(50, { t: 48, lane: { track: 1, lane: 0 } })
  expect([hand.pointer, hand.edge?.t]).toEqual([48, 48])
  hand.pointAt(50, { t: 50 })
  expect([hand.pointer, hand.edge]).toEqual([50, undefined])
  hand.pointAt(undefined)
  expect(hand.pointer).toBeUndefined()
})

test('where the window moves under it, it points at what lies there now; on the strip at what it did', () => {
  const hand = new Hand()
  hand.pointAt(50, { t: 48, lane: { track: 1, lane: 0 } }, 5)
  hand.stay({ time: (x) => 100 * x })
  expect([hand.pointer, hand.edge]).toEqual([500, undefined])
  hand.pointAt(50)
  hand.stay({ time: (x) => 100 * x })
  expect(hand.pointer).toBe(50)
})

test('there is one tool at a time, and the same one taken again is laid down', () => {
  const hand = new Hand()
  hand.take('range')
  hand.take('measure')
  expect(hand.tool.value).toBe('measure')
  hand.take('measure')
  expect(hand.tool.value).toBeUndefined()
})
