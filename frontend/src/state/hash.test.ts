import { expect, test } from 'vitest'

import { changed, formatPlace, isElsewhere, parsePlace } from './hash'

const PLACE = { view: 'kernels', run: 'resnet50/lr0.1', 'kernels.q': 'a&b=c #%é (?<x>.*)', 'kernels.sort': '-total_ns' }

test.each([true, false])('a place survives the link (in TensorBoard: %s)', (inTensorBoard) => {
  expect(parsePlace(formatPlace(PLACE, '', inTensorBoard), inTensorBoard)).toEqual(PLACE)
})

test('in TensorBoard keys carry the plugin, and the hash opens the plugin', () => {
  expect(formatPlace({ view: 'kernels' }, '', true)).toBe('#torch_profile&p.torch_profile.view=kernels')
})

test('keys of TensorBoard and of other plugins stay', () => {
  const before = '#torch_profile&p.other.kept=2&tagFilter=x&p.torch_profile.view=overview'
  expect(formatPlace({ view: 'kernels' }, before, true)).toBe(
    '#torch_profile&p.other.kept=2&tagFilter=x&p.torch_profile.view=kernels',
  )
})

test('another plugin’s keys are not ours', () => {
  expect(parsePlace('#torch_profile&p.other.view=x&p.torch_profile.run=a', true)).toEqual({ run: 'a' })
})

test('the hash of another tab is left alone', () => {
  expect(isElsewhere('#timeseries&p.torch_profile.view=kernels')).toBe(true)
  expect(isElsewhere('#torch_profile&p.torch_profile.view=kernels')).toBe(false)
  expect(isElsewhere('')).toBe(false)
})

test('a stray percent sign breaks nothing', () => {
  expect(parsePlace('#kernels.q=100%&view=kernels', false)).toEqual({ 'kernels.q': '100%', view: 'kernels' })
})

test('undefined and empty values leave the place', () => {
  expect(changed(PLACE, { 'kernels.q': '', 'kernels.sort': undefined, view: 'operators' })).toEqual({
    view: 'operators',
    run: 'resnet50/lr0.1',
  })
})
