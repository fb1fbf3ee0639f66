import { expect, test } from 'vitest'

import { cutLabel, cutMiddle } from './cut'

const MUL =
  'void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<c10::BFloat16>, std::array<char*, 3ul>)'

test('a name that fits is left alone', () => {
  expect(cutMiddle('aten::mm', 8)).toBe('aten::mm')
})

test('parameters and namespaces go before template arguments', () => {
  expect(cutMiddle('void cudnn::bn_kernel<float, 512>(float const*, float)', 44)).toBe(
    'cudnn::bn_kernel<float, 512>(…)',
  )
})

test('template arguments are cut before the kernel name, and only as far as needed', () => {
  const short = cutMiddle(MUL, 60)
  expect(short).toHaveLength(60)
  expect(short).toMatch(/^vectorized_elementwise_kernel<4, .*…/)
  expect(short).toMatch(/\(…\)$/)
})

test('kernels that differ in a functor at the end of the arguments stay different', () => {
  expect(cutMiddle(MUL, 70)).not.toBe(cutMiddle(MUL.replace('3ul> >(', '2ul> >('), 70))
})

test('a name without brackets keeps both ends', () => {
  expect(cutMiddle('Cijk_Ailk_Bljk_BBS_BH_MT128x128x32_MI32x32x8x1_SE_K1', 20)).toMatch(/^Cijk_Ailk.*….*_K1$/)
})

test('nothing is ever longer than asked for', () => {
  for (const size of [2, 5, 17, 33, 64]) expect(cutMiddle(MUL, size).length).toBeLessThanOrEqual(size)
})

test('in a few characters a label leaves out what many names begin with', () => {
  const labels = [
    'aten::convolution',
    'cudaLaunchKernel',
    'ncclDevKernel_AllReduce_Sum',
    'nccl:all_reduce',
    'ProfilerStep#5',
  ]
  expect(labels.map((name) => cutLabel(name, 5))).toEqual(['conv…', 'Laun…', 'AllR…', 'all_…', '#5'])
  expect(cutLabel('autograd::engine::evaluate_function: AddBackward0', 8)).toBe('AddBack…')
  expect(['aten::mm', 'cumsum', 'Memcpy HtoD'].map((name) => cutLabel(name, 11))).toEqual([
    ...['aten::mm', 'cumsum', 'Memcpy HtoD'],
  ])
})

test('in a few characters a number that stands apart at the end is kept, where there is room for a letter before it', () => {
  const jobs = [13, 6, 5, 4, 3].map((size) => cutLabel('async job 12', size))
  expect(jobs).toEqual(['async job 12', 'asy…12', 'as…12', 'a…12', 'as…'])
  expect(['async job 0', 'async job 1'].map((name) => cutLabel(name, 5))).toEqual(['asy…0', 'asy…1'])
  expect(cutLabel('triton_poi_fused_add_7', 8)).toBe('triton…7')
  expect(['layer.10', 'layer.11'].map((name) => cutLabel(name, 7))).toEqual(['laye…10', 'laye…11'])
  expect(cutLabel('cutlass_tensorop_align1', 8)).toBe('cutlass…') // part of a word
})

test('a module is called by its own name where there is no room for what all modules begin with', () => {
  const labels = [30, 20, 9].map((size) => cutLabel('nn.Module: Qwen2DecoderLayer_5', size))
  expect(labels).toEqual(['nn.Module: Qwen2DecoderLayer_5', 'Qwen2DecoderLayer_5', 'Qwen2De…5'])
})

test('what turns text round in a name does not turn the time after it', () => {
  expect(cutMiddle('copy\u202e \u2067x\u2069', 60)).toBe('copy� �x�')
  expect(cutLabel('\u202egnp.exe', 60)).toBe('�gnp.exe')
  expect(cutMiddle('عبر', 60)).toBe('عبر')
})
