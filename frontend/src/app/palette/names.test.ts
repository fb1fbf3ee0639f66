import { afterEach, expect, test, vi } from 'vitest'

import { eventRef } from '../../../test/timeline'
import { at } from '../../state/place'
import { commandsOf, inTables, noneFound, soughtFor } from './names'

afterEach(() => vi.unstubAllGlobals())

test('each name is listed once a kind, with the view that has its row and the timeline', () => {
  const hits = [1, 2, 3].map((row) => ({ ...eventRef(row), name: 'gemm', kind: row < 3 ? 'kernel' : 'python' }))
  const found = commandsOf(hits)
  expect(found.map(({ about }) => about)).toEqual(['kernels', 'kernel in the timeline', 'python in the timeline'])
  found[0]?.act()
  expect([at('view'), at('kernels.row')]).toEqual(['kernels', 'gemm'])
  found[2]?.act()
  expect([at('view'), at('timeline.q')]).toEqual(['timeline', 'gemm'])
})

test('where nothing searches names are found in the tables', async () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    operators: ['aten::softmax', 'aten::mm'],
    kernels: ['cunn_SoftMaxForward'],
    modules: [],
  }
  vi.stubGlobal('fetch', (address: string) => {
    const named = rows[/view\/(\w+)/.exec(address)?.[1] ?? ''] ?? []
    return Promise.resolve(Response.json({ result: { rows: named.map((name) => ({ name })) } }))
  })
  const found = await inTables({ run: 'r', worker: 'w', span: '1' }, 'softmax')
  expect(found.map(({ words, about }) => `${about} ${words}`)).toEqual([
    'operators aten::softmax',
    'kernels cunn_SoftMaxForward',
  ])
})

test('that nothing has a name is not said while nobody can be asked', () => {
  expect(noneFound(false)).toBe('Nothing is called that.')
  expect(noneFound(true)).toBe('Names are searched when the server answers again.')
})

test('of several words names have each, whatever is between them; one is sought as it is', () => {
  expect(soughtFor('aten::mm')).toEqual({ q: 'aten::mm' })
  for (const typed of ['all reduce', 'all_reduce']) {
    const { q, regex } = soughtFor(typed)
    expect(regex).toBe(true)
    for (const name of ['c10d::all_reduce', 'AllReduce', 'nccl:all reduce'])
      expect(new RegExp(q, 'i').test(name)).toBe(true)
    expect(new RegExp(q, 'i').test('allgather')).toBe(false)
  }
  expect(new RegExp(soughtFor('mm (a').q).test('mm x(a')).toBe(true)
})
