import { expect, test } from 'vitest'

import { Labels } from './labels'

const WIDE = 'cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align1'
const NARROW = 'cutlass_75_tensorop_f16_s1688gemm_f16_128x128_nn_align1'

test.each([14, 20, 30, 54])('kernels of one family never read the same side by side in %i characters', (size) => {
  const labels = new Labels()
  labels.fitting(7, 1, WIDE, size) // the first frame
  labels.fitting(7, 2, NARROW, size)
  const drawn = [labels.fitting(7, 1, WIDE, size), labels.fitting(7, 2, NARROW, size)]
  expect(drawn[0]).not.toBe(drawn[1])
  for (const text of drawn) expect(text.length).toBeLessThanOrEqual(size)
})

test('nor do blocks of different widths', () => {
  const [a, b] = ['void at::native::add<float>(int, float, long)', 'void at::native::add<float>(int, float)']
  const labels = new Labels()
  for (let frame = 0; frame < 2; frame += 1) {
    const drawn = [labels.fitting(7, 1, a, 20), labels.fitting(7, 2, b, 21)]
    if (frame === 1) expect(drawn[0]).not.toBe(drawn[1])
  }
})

test.each([6, 8, 10, 13])('in %i characters names of one family show their beginning, which is a word', (size) => {
  const labels = new Labels()
  for (const type of ['float', 'double', 'c10::Half'])
    for (let frame = 0; frame < 2; frame += 1) {
      const name = `void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<${type}>>(int, ${type})`
      expect(labels.fitting(7, type.length, name, size)).toBe(`${'vectorized_elementwise'.slice(0, size - 1)}…`)
    }
})

test('a name alone is cut as ever, and a short one is whole', () => {
  const labels = new Labels()
  expect(labels.fitting(7, 1, 'aten::convolution_backward', 10)).toBe('convoluti…')
  expect(labels.fitting(7, 2, 'aten::mm', 10)).toBe('aten::mm')
})

test('a Python frame keeps its function, then its file, and stays as it is whatever else is drawn', () => {
  const labels = new Labels()
  const frames = [
    'run/transformers/pipelines/base.py(1206): forward',
    'run/transformers/pipelines/base.py(16): forward',
  ]
  const drawn = (): readonly string[] => [60, 24, 12, 7, 6].map((size) => labels.fitting(1, 3, frames[0] ?? '', size))
  const first = drawn()
  expect(first).toEqual([frames[0], 'base.py(1206): forward', 'forward', 'forward', 'forwa…'])
  for (const size of [60, 24, 12, 7, 6]) labels.fitting(1, 4, frames[1] ?? '', size)
  expect(drawn()).toEqual(first)
})

test('names of another track change nothing here', () => {
  const labels = new Labels()
  const before = labels.fitting(1, 1, WIDE, 12)
  labels.fitting(2, 2, NARROW, 12)
  expect(labels.fitting(1, 1, WIDE, 12)).toBe(before)
})
