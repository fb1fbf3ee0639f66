/** The modules view as a user meets it, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../data/reply'
import type { ModuleRow, Modules } from '../../data/wire'
import { at, go } from '../../state/place'
import { ModulesView } from './index'

const REPLY_MS = 20 // for a made-up reply to be read and drawn

function row(id: number, parent: number | null, path: string, total: number, own: number): ModuleRow {
  const times = {
    forward_self_ns: own,
    forward_total_ns: total,
    backward_self_ns: 0,
    backward_total_ns: 0,
    self_ns: own,
    total_ns: total,
  }
  const name = path.split('/').at(-1) ?? ''
  return {
    id,
    parent,
    depth: path.split('/').length - 1,
    kind: 'module',
    name,
    class_name: name.replace(/_\d+$/, ''),
    path,
    calls: 2,
    recomputed: 0,
    kernels_self: 1,
    kernels_total: 1,
    host: times,
    device: times,
    first_start_ns: 1000,
    first_end_ns: 3000,
  }
}

const OUTSIDE = row(4, null, 'not in a module', 9000, 9000)
const MODULES: Modules = {
  has_device: true,
  has_backward: false,
  rows: [
    row(0, null, 'Net_0', 6000, 1000),
    row(1, 0, 'Net_0/Block_0', 4000, 1000),
    row(2, 1, 'Net_0/Block_0/Linear_0', 3000, 3000),
    row(3, 0, 'Net_0/ReLU_0', 1000, 1000),
    {
      ...OUTSIDE,
      kind: 'outside',
      class_name: '',
      calls: 0,
      first_start_ns: null,
      first_end_ns: null,
      device: { ...OUTSIDE.device, forward_self_ns: null, forward_total_ns: null },
    },
  ],
  totals: { host_ns: 15_000, device_ns: 15_000, kernels: 5, not_attributed_ns: 0 },
}

const CHANGED = ['levels', 'toggled', 'row', 'zoom', 'q', 'sort', 'cols', 'metric', 'view']

beforeEach(() => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(JSON.stringify({ view: 'modules', missing: null, result: MODULES }), { status: 200 })),
  )
})

afterEach(() => {
  render(null, document.body)
  forgetReplies()
  go(Object.fromEntries(CHANGED.map((key) => [key === 'view' ? key : `modules.${key}`, undefined])))
  vi.unstubAllGlobals()
})

async function show(): Promise<void> {
  await act(() => render(<ModulesView profile={{ run: 'r', worker: 'w', span: '1' }} />, document.body))
  await settle(() => undefined)
}

async function settle(change: () => void): Promise<void> {
  await act(async () => {
    change()
    await new Promise((resolve) => setTimeout(resolve, REPLY_MS))
  })
}

const names = (): string[] =>
  Array.from(document.querySelectorAll('.tree-name'), (name) => name.textContent.replace(/[▾▸]/, '').trim())
const element = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`no ${selector}`)
  return found
}
const press = (code: string): Promise<void> =>
  settle(() => element('[role=treegrid]').dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true })))

test('the tree is open, and its footer is the whole profile', async () => {
  await show()
  expect(names()).toEqual(['Net_0', 'Block_0', 'Linear_0', 'ReLU_0', 'not in a module'])
  expect(element('tfoot').textContent).toContain('15.0 µs')
})

test('a click on the sign closes a row, and the link keeps it', async () => {
  await show()
  await settle(() => element('[aria-label="Close Block_0"]').click())
  expect(names()).toEqual(['Net_0', 'Block_0', 'ReLU_0', 'not in a module'])
  expect(at('modules.toggled')).toBe('1')
  expect(at('modules.row')).toBeUndefined()
})

test('arrow keys walk, close and open the tree', async () => {
  await show()
  for (const code of ['ArrowDown', 'ArrowDown', 'ArrowLeft']) await press(code)
  expect(names()).toEqual(['Net_0', 'Block_0', 'ReLU_0', 'not in a module'])
  expect(element('tr.is-active').textContent).toContain('Block_0')
  await press('ArrowRight')
  await press('ArrowRight')
  expect(element('tr.is-active').textContent).toContain('Linear_0')
  for (const code of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await press(code)
  expect(names()).toEqual(['Net_0', 'not in a module'])
  await press('Enter')
  expect(at('modules.row')).toBe('Net_0')
})

test('a click on a block zooms to it, selects its row and brings it into sight; one above zooms out', async () => {
  go({ 'modules.levels': '0' })
  await show()
  expect(names()).toEqual(['Net_0', 'not in a module'])
  await settle(() => element('.block[data-id="2"] rect').dispatchEvent(new MouseEvent('click', { bubbles: true })))
  expect([at('modules.zoom'), at('modules.row')]).toEqual(['Net_0/Block_0/Linear_0', 'Net_0/Block_0/Linear_0'])
  expect(names()).toContain('Linear_0')
  expect(document.querySelector('.block[data-id="3"]')).toBeNull()
  expect(element('tr.is-selected').textContent).toContain('Linear_0')
  await settle(() => element('.block[data-id="-1"] rect').dispatchEvent(new MouseEvent('click', { bubbles: true })))
  expect([at('modules.zoom'), at('modules.row')]).toEqual([undefined, undefined])
  expect(document.querySelector('.block[data-id="3"]')).not.toBeNull()
})

test('a search shows what matches with what is around it', async () => {
  go({ 'modules.q': 'linear', 'modules.levels': '0' })
  await show()
  expect(names()).toEqual(['Net_0', 'Block_0', 'Linear_0'])
  expect(document.body.textContent).toContain('1 match')
})

test('the first call opens in the timeline', async () => {
  go({ 'modules.row': 'Net_0/ReLU_0' })
  await show()
  const buttons = Array.from(document.querySelectorAll<HTMLElement>('aside button'))
  await settle(() => buttons.find((button) => button.textContent.includes('timeline'))?.click())
  expect([at('view'), at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual(['timeline', '1000', '3000'])
})
