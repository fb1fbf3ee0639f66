import { expect, test } from 'vitest'

import { icicle, nodesOf } from './icicle'

const NAMES = ['net', 'a', 'a_small', 'a_big', 'b', 'outside']
const NODES = nodesOf({ parent: [-1, 0, 1, 1, 0, -1], total: [40, 10, 2, 7, 20, 50], own: [10, 1, 2, 7, 20, 50] })

function places(zoom: number, least = 0) {
  return icicle({ nodes: NODES, zoom, least }).map(({ id, level, left, width }) => [
    id === undefined ? 'rest' : (NAMES[id] ?? 'all'),
    level,
    Math.round(left * 90),
    Math.round(width * 90),
  ])
}

test('what is around a node is listed from the outermost on', () => {
  expect(NODES.around(3)).toEqual([0, 1])
  expect(NODES.around(5)).toEqual([])
})

test('widths are shares of the whole, children begin where their parent does', () => {
  expect(places(-1)).toEqual([
    ['all', 0, 0, 90],
    ['net', 1, 0, 40],
    ['a', 2, 0, 10],
    ['a_small', 3, 0, 2],
    ['a_big', 3, 2, 7],
    ['b', 2, 10, 20],
    ['outside', 1, 40, 50],
  ])
})

test('zoomed, a row is as wide as the picture, below what is around it', () => {
  expect(places(1).slice(0, 3)).toEqual([
    ['all', 0, 0, 90],
    ['net', 1, 0, 90],
    ['a', 2, 0, 90],
  ])
  expect(places(1).slice(3)).toEqual([
    ['a_small', 3, 0, 18],
    ['a_big', 3, 18, 63],
  ])
})

test('what is too narrow is put together', () => {
  expect(places(-1, 6 / 90)).toEqual([
    ['all', 0, 0, 90],
    ['net', 1, 0, 40],
    ['a', 2, 0, 10],
    ['a_big', 3, 2, 7],
    ['b', 2, 10, 20],
    ['outside', 1, 40, 50],
  ])
})

test('without any of the metric there is only the whole', () => {
  const nothing = icicle({ nodes: nodesOf({ parent: [-1, 0], total: [0, 0], own: [0, 0] }), zoom: -1, least: 0 })
  expect(nothing.map(({ id }) => id)).toEqual([-1])
})
