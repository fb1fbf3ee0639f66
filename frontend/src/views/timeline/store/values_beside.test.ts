import { expect, test } from 'vitest'

import type { ValueTrack } from '../../../wire/wire'
import { onOneScale, shownBelow } from './values_beside'

function track(title: string, lowest: number, highest: number): ValueTrack {
  const values = { least: [0], most: [1], mean: [0.5], kept: null }
  return { id: title, title, unit: 'bytes', device: 0, lowest, highest, ...values }
}

const ABOVE = [track('CUDA 0 allocated', 0, 7), track('CUDA 1 allocated', 0, 9), track('power', -5, 3)]
const BELOW = [
  track('CUDA 2 allocated', 0, 4),
  track('CUDA 3 allocated', 0, 12),
  track('power', 0, 8),
  track('load', 0, 2),
]

test('values of one name have one scale above and below, those of devices by their order', () => {
  const ends = (shown: readonly ValueTrack[]) => shown.map(({ title, lowest, highest }) => [title, lowest, highest])
  expect(ends(onOneScale(BELOW.slice(1), BELOW, ABOVE))).toEqual([
    ['CUDA 3 allocated', 0, 12],
    ['power', -5, 8],
    ['load', 0, 2],
  ])
  expect(ends(onOneScale(ABOVE, ABOVE, BELOW))).toEqual([
    ['CUDA 0 allocated', 0, 7],
    ['CUDA 1 allocated', 0, 12],
    ['power', -5, 8],
  ])
  expect(onOneScale(ABOVE, ABOVE, [])).toEqual(ABOVE)
})

test('below those are shown that are shown above, and the usual ones of what is not there', () => {
  const shown = (usual: readonly ValueTrack[]) =>
    shownBelow(BELOW, usual, ABOVE, ABOVE.slice(1)).map(({ title }) => title)
  expect(shown(BELOW)).toEqual(['CUDA 3 allocated', 'power', 'load'])
  expect(shown([])).toEqual(['CUDA 3 allocated', 'power'])
})
