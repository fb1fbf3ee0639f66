/** The modules view as a user meets it, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import type { ModuleRow, Modules } from '../../wire/wire'
import { ModulesView } from './index'
import { MODULE_ROW } from './row_figures'

const REPLY_MS = 20 // for a made-up reply to be read and drawn

const QUALIFIED: Readonly<Record<string, string>> = { Block_0: 'layer1', Linear_0: 'layer1.fc' }

function row(id: number, parent: number | null, path: string, total: number, own: number): ModuleRow {
  const times = { forward_self_ns: own, forward_total_ns: total, self_ns: own, total_ns: total }
  const name = path.split('/').at(-1) ?? ''
  return rowOf<ModuleRow>(MODULE_ROW, {
    id,
    parent,
    depth: path.split('/').length - 1,
    kind: 'module',
    name,
    class_name: name.replace(/_\d+$/, ''),
    qualified: QUALIFIED[name] ?? '',
    path,
    instances: 1,
    calls: 2,
    recomputed: 0,
    operators_self: 1,
    operators_total: 1,
    kernels_self: 1,
    kernels_total: 1,
    host: times,
    device: times,
    device_memory: { allocated_self_bytes: own * 1024, allocated_total_bytes: total * 1024 },
    first_start_ns: 1000,
    first_end_ns: 3000,
    longest_start_ns: 5000,
    longest_end_ns: 9000,
    calls_pattern: `^nn\\.Module: ${name}$`,
  })
}

const OUTSIDE = row(4, null, 'not in a module', 9000, 9000)
const MODULES: Modules = {
  group_by: 'instance',
  has_device: true,
  has_backward: false,
  has_calls: true,
  has_qualified: true,
  has_host_memory: false,
  has_device_memory: true,
  no_effect: null,
  rows: [
    row(0, null, 'Net_0', 6000, 1000),
    row(1, 0, 'Net_0/Block_0', 4000, 1000),
    row(2, 1, 'Net_0/Block_0/Linear_0', 3000, 3000),
    row(3, 0, 'Net_0/ReLU_0', 1000, 1000),
    {
      ...OUTSIDE,
      kind: 'outside',
      class_name: '',
      calls: null,
      recomputed: null,
      calls_pattern: '',
      first_start_ns: null,
      first_end_ns: null,
      longest_start_ns: null,
      longest_end_ns: null,
      device: { ...OUTSIDE.device, forward_self_ns: null, forward_total_ns: null },
    },
  ],
  totals: { host_ns: 15_000, device_ns: 15_000, kernels: 5, not_attributed_ns: 0 },
}

const CHANGED = ['levels', 'toggled', 'row', 'zoom', 'q', 'sort', 'cols', 'metric', 'group', 'chart']

let asked: string[] = []
let reply = MODULES

beforeEach(() => {
  asked = []
  reply = MODULES
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url)
    return Promise.resolve(
      new Response(JSON.stringify({ view: 'modules', missing: null, notes: [], result: reply }), { status: 200 }),
    )
  })
})

afterEach(() => {
  render(null, document.body)
  forgetReplies()
  const alone = ['view', 'module', 'timeline.q', 'timeline.regex', 'timeline.t0_ns', 'timeline.t1_ns']
  go(Object.fromEntries([...CHANGED.map((key) => `modules.${key}`), ...alone].map((key) => [key, undefined])))
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

async function choose(title: string): Promise<void> {
  const buttons = Array.from(document.querySelectorAll<HTMLElement>('aside button'))
  await settle(() => buttons.find((button) => button.textContent === title)?.click())
}

test('the first and the longest call open in the timeline', async () => {
  go({ 'modules.row': 'Net_0/ReLU_0' })
  await show()
  await choose('First call in timeline')
  expect([at('view'), at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual(['timeline', '1000', '3000'])
  await choose('Longest call in timeline')
  expect([at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual(['5000', '9000'])
})

test('all calls are sought in the timeline by their name', async () => {
  go({ 'modules.row': 'Net_0/ReLU_0' })
  await show()
  await choose('All calls in timeline')
  expect([at('view'), at('timeline.q'), at('timeline.regex')]).toEqual(['timeline', '^nn\\.Module: ReLU_0$', '1'])
})

test('operators and kernels of a module are those views, filtered by it', async () => {
  go({ 'modules.row': 'Net_0/Block_0' })
  await show()
  await choose('Its operators')
  expect([at('view'), at('module')]).toEqual(['operators', 'Net_0/Block_0'])
  await choose('Its kernels')
  expect([at('view'), at('module')]).toEqual(['kernels', 'Net_0/Block_0'])
})

test('what is no module leads nowhere', async () => {
  go({ 'modules.row': 'not in a module' })
  await show()
  const titles = Array.from(document.querySelectorAll('aside .button'), (button) => button.textContent)
  expect(titles.slice(titles.indexOf('Zoom to it'))).toEqual(['Zoom to it'])
})

test('a module is found by its name in the model', async () => {
  go({ 'modules.q': 'layer1.fc' })
  await show()
  expect(names()).toEqual(['Net_0', 'Block_0', 'Linear_0'])
})

test('what is a row is in the link; where nothing is chosen the server knows what answers first', async () => {
  await show()
  expect(asked.at(-1)).not.toContain('group_by')
  await settle(() => go({ 'modules.group': 'class_path', module: 'Net_0' }))
  expect(asked.at(-1)).toContain('group_by=class_path')
  expect(asked.at(-1)).toContain('module=Net_0')
})

test('by class the classes come first, by own time, which adds up; one opened shows its modules', async () => {
  const head = { instances: 3, depth: 0, parent: null }
  reply = {
    ...MODULES,
    group_by: 'class',
    rows: [
      { ...row(0, null, 'Linear', 4000, 4000), ...head },
      row(1, 0, 'Linear/Linear_0', 3000, 3000),
      row(2, 0, 'Linear/Linear_1', 1000, 1000),
      { ...row(3, null, 'Net', 6000, 2000), ...head, instances: 1 },
      { ...OUTSIDE, id: 4, kind: 'outside' },
    ],
  }
  await show()
  expect(names()).toEqual(['Linear', 'Net', 'not in a module'])
  expect(element('tfoot').textContent).toContain('15.0 µs')
  expect(element('thead').textContent).toContain('Device self')
  await settle(() => element('[aria-label="Open Linear"]').click())
  expect(names()).toEqual(['Linear', 'Linear_0', 'Linear_1', 'Net', 'not in a module'])
  const widths = ['0', '1', '2', '3'].map((id) => element(`.block[data-id="${id}"] title`).textContent)
  expect(widths.map((text) => /[\d.]+ µs/.exec(text)?.[0])).toEqual(['4.00 µs', '3.00 µs', '1.00 µs', '2.00 µs'])
})

test('the flame graph is the icicle upside down', async () => {
  const places = (): readonly (string | null)[] =>
    ['-1', '0', '2'].map((id) => element(`.block[data-id="${id}"]`).getAttribute('transform'))
  const height = (transform: string | null): number => Number(/ ([\d.]+)\)/.exec(transform ?? '')?.[1])
  await show()
  const down = places().map(height)
  await settle(() => go({ 'modules.chart': 'flame' }))
  expect(places().map(height)).toEqual(down.map((y) => 63 - y))
})

test('memory is a width of its own, in bytes', async () => {
  go({ 'modules.metric': 'device_allocated' })
  await show()
  expect(element('.block[data-id="0"] title').textContent).toContain('Device memory allocated 5.86 MiB')
})
