import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { Names, cutApart } from './names'

interface Case {
  readonly names: readonly string[]
  readonly size: number
  readonly cut: readonly string[]
}

const CASES = JSON.parse(readFileSync('../tests/base/cut_cases.json', 'utf-8')) as readonly Case[]

test('cases that the shell has too', () => {
  for (const { names, size, cut } of CASES) expect([...cutApart(names, size).values()]).toEqual(cut)
})

const PARTS = 'void |at::native::|Kernel|gemm_|128x64|256|<4, |> >|(int)|_nn|_tn|::|a|é| '.split('|')

/** Numbers of a fixed sequence, below `most`. */
function made(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * most)
  }
}

test('different names never read the same, and none is too long', () => {
  const next = made(7)
  const text = (most: number): string => Array.from({ length: next(most) }, () => PARTS[next(PARTS.length)]).join('')
  for (let round = 0; round < 400; round++) {
    const [start, end] = [text(8), text(8)]
    const names = new Set(Array.from({ length: 1 + next(39) }, () => start + text(6) + end))
    const size = [6, 9, 14, 20, 33, 60][next(6)] ?? 20
    const shorts = [...cutApart(names, size).values()]
    expect(new Set(shorts).size).toBe(names.size)
    expect(Math.max(...shorts.map((short) => short.length))).toBeLessThanOrEqual(size)
  }
})

test('a list cuts its names in any size, and what is not in it by itself', () => {
  const both = ['128x64', '256x64'].map((tile) => `a_kernel_with_a_long_name_${tile}_and_a_long_end_of_it`)
  const names = new Names(both)
  expect(both.map((name) => names.cut(name, 99))).toEqual(both)
  expect(both.map((name) => names.cut(name, 20))).toEqual(['a_kerne…128x64…of_it', 'a_kerne…256x64…of_it'])
  expect(names.cut('another_name_that_is_long', 10)).toHaveLength(10)
})

test('in a chart a cut name has nothing but its beginning and its end, also where another one reads the same', () => {
  const alike = ['aten::native_batch_norm', 'aten::native_layer_norm']
  const cuts = (ofChart: boolean) => alike.map((name) => new Names(alike, ofChart).cut(name, 5))
  expect(cuts(true)).toEqual(['ate…m', 'ate…m'])
  expect(cuts(false)).toEqual(['ate…m', '… (2)'])
})
