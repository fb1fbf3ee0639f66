/** What a row of "Communication by dimension and module" leads to. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { at, go } from '../../state/place'
import type { CommunicationPart, CommunicationParts, Overview } from '../../wire/wire'
import { Communication } from './communication'
import { Figures } from './figures'

let root: HTMLElement

const PART: CommunicationPart = {
  name: 'tensor',
  exposed_ns: 3000,
  hidden_ns: 1000,
  count: 12,
  bytes: 4096,
  n_unsized: 0,
  told: 'described',
}
const PARTS: CommunicationParts = {
  exposed_ns: 3000,
  hidden_ns: 1000,
  window_ns: 9000,
  on_host: false,
  steps: '10-12',
  dimensions: [PART, { ...PART, name: 'data', count: 0 }],
  modules: [
    { ...PART, name: 'Net_0', told: 'module' },
    { ...PART, name: 'not attributed', told: 'nothing' },
  ],
  modules_lack: null,
}

beforeEach(() => {
  root = document.body.appendChild(document.createElement('div'))
  go({ 'overview.communication': 'open', dimension: undefined, module: undefined, steps: '11' })
})

afterEach(() => {
  render(null, root)
  root.remove()
})

async function follow(name: string, parts: CommunicationParts): Promise<void> {
  const overview = { communication_parts: parts, steps: [] } as unknown as Overview
  await act(() => render(<Communication overview={overview} />, root))
  await act(() => [...root.querySelectorAll('a')].find((link) => link.textContent === name)?.click())
}

test('a dimension leads to what it counts: its collectives of the steps that count', async () => {
  await follow('tensor', PARTS)
  const there = ['view', 'kernels.category', 'kernels.q', 'steps', 'dimension'].map(at)
  expect(there).toEqual(['kernels', 'communication', undefined, '10-12', 'tensor'])
})

test('the figure of a CPU job is what the tables sum to, and says why where there is no table', async () => {
  const on_host = { ...PARTS, on_host: true }
  const time = { duration_ns: 9000, device_use_ns: null, breakdown_ns: { communication: 6000, idle: 0 } }
  const none = {
    device_time_ns: 0,
    not_attributed_ns: 0,
    steps: [],
    not_recorded: [],
    recorded: [],
    memory: [],
    devices: [],
    model_flops: { mfu: null },
  }
  const overview = { ...none, whole: time, average: null, step_time: null, communication_parts: on_host }
  const shown = async (of: object): Promise<string> => {
    await act(() => render(<Figures overview={of as Overview} />, root))
    return root.textContent
  }
  expect(await shown(overview)).toMatch(/Exposed communication.*33\.3 %3\.00 µs exposed, 1\.00 µs overlapped/)
  const without = { ...overview, communication_parts: null, communication_parts_lack: 'Only calls.' }
  expect(await shown(without)).toMatch(/Communication.*6\.00 µs66\.7 % of the recording\. Only calls\./)
})

test('on a host they are operators', async () => {
  await follow('tensor', { ...PARTS, on_host: true })
  expect(['view', 'operators.q', 'steps', 'dimension'].map(at)).toEqual(['operators', undefined, '10-12', 'tensor'])
})

test('a module leads to what is in it, and what no filter keeps alone leads nowhere', async () => {
  await follow('Net_0', PARTS)
  expect([at('steps'), at('module'), at('dimension')]).toEqual(['10-12', 'Net_0', undefined])
  await follow('Net_0', PARTS)
  expect([...root.querySelectorAll('a')].map((link) => link.textContent)).toEqual(['tensor', 'Net_0'])
})
