/** The table of runs over replies of a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { beforeEach, expect, test, vi } from 'vitest'

import { onMadeUpServer, pass } from '../../../test/made_up_server'
import { at, go } from '../../state/place'
import type { JointReply, RunRow, RunsTable, SpanSummary } from '../../wire/wire'
import { RunsView } from '.'
import { widthOf } from '../../widgets/table/column'
import { columnsFor, placeOf, stateOf } from './columns'
import { TICK } from './tick'

const SUMMARY: SpanSummary = {
  device: 'NVIDIA H100',
  n_devices: 8,
  rank: 3,
  world_size: 64,
  n_steps: 4,
  step_ns: 12_345_678,
  busy_share: 0.5,
  memory: 'GPU 0',
  peak_bytes: 2 ** 30,
  capacity_bytes: null,
  finding: 'The data loader is slow',
  gain_share: 0.25,
  n_findings: 2,
  began_ns: null,
  is_cut_off: false,
}
const CPU: SpanSummary = {
  ...SUMMARY,
  device: null,
  n_devices: 0,
  world_size: null,
  n_steps: 0,
  step_ns: null,
  busy_share: null,
  peak_bytes: null,
  finding: null,
  gain_share: null,
}

function row(run: string, more: Partial<RunRow> = {}): RunRow {
  const names = {
    run,
    worker: 'w',
    span: '1',
    label: 'rank 3',
    recorded_ns: 1.7e18,
    n_ranks: 8,
    n_recordings: 1,
    n_others: 0,
  }
  const file = { file: 'w.1.pt.trace.json.gz', size_bytes: 3 * 2 ** 20 }
  return { ...names, ...file, state: 'ready', progress: 1, reason: null, summary: SUMMARY, ...more }
}

const TO_COME: Partial<RunRow> = { state: 'queued', progress: 0, summary: null }

let asked: string[] = []
let replies: JointReply<RunsTable>[] = []

/** The last reply is given for ever. */
function serve(...rows: readonly (readonly RunRow[])[]): void {
  replies = rows.map((each) => ({
    n_members: each.length,
    n_pending: each.filter((one) => one.summary === null && one.state !== 'failed').length,
    n_failed: 0,
    result: { each: 'run', rows: each },
  }))
}

onMadeUpServer()

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    const reply = replies.length > 1 ? replies.shift() : replies[0]
    return Promise.resolve(new Response(JSON.stringify(reply)))
  })
})

async function show(): Promise<void> {
  await act(() => render(<RunsView />, document.body))
  await pass()
}

function cells(run: string): string[] {
  const found = [...document.querySelectorAll('tr.row')].find((each) => each.textContent.startsWith(run))
  return [...(found?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent)
}

function names(): string[] {
  return [...document.querySelectorAll('tr.row td:first-child')].map((cell) => cell.textContent)
}

test('a row has the figures in words, and what was not recorded says so', async () => {
  serve([row('a'), row('b', { summary: CPU, n_ranks: 1 })])
  await show()
  const [step, busy, peak, finding, gain, state] = cells('a').slice(2)
  expect([step, busy, peak]).toEqual(['12.3 ms', '50.0 %', '1.00 GiB'])
  expect([finding, gain, state]).toEqual(['The data loader is slow', '25.0 %', 'ready'])
  expect(cells('a').slice(9)).toEqual(['3.00 MiB', 'rank 3', '8 × NVIDIA H100', '8 of 64', '4'])
  const not = 'not recorded'
  expect(cells('b').slice(2, 8)).toEqual([not, not, not, 'nothing found', '', 'ready'])
  expect(cells('b').slice(11)).toEqual([not, '1', not])
  expect(document.querySelector('tfoot th')?.textContent).toBe('2 runs, newest first')
})

test('what is not known yet is empty, what failed says why where findings stand', async () => {
  serve([row('a', TO_COME), row('b', { state: 'failed', reason: 'x.json: not a profile', summary: null })])
  await show()
  expect(cells('a').slice(2, 8)).toEqual(['', '', '', '', '', '']) // it stands beside its name
  expect(cells('b').slice(2, 8)).toEqual(['', '', '', 'x.json: not a profile', '', 'failed'])
  expect(document.querySelector('tfoot th')?.textContent).toBe('2 runs, newest first, 1 failed, 1 still to come')
})

test('in a window of 1,440 px it is in sight which run is worse, and why; of workers and spans the finding begins there', () => {
  const rows = [row('a'), row('a', { span: '2' }), row('b', { state: 'failed', reason: 'x: cut', summary: null })]
  const shownOf = (each: RunsTable['each']) => columnsFor({ each, rows }).filter(({ hidden }) => hidden !== true)
  const idsOf = (each: RunsTable['each']) => shownOf(each).map(({ id }) => id)
  const endOf = (each: RunsTable['each'], id: string): number =>
    shownOf(each)
      .slice(0, idsOf(each).indexOf(id) + 1)
      .reduce((sum, column) => sum + widthOf(column), widthOf(TICK))
  const worse = ['step_ns', 'busy_share', 'peak_bytes', 'finding', 'gain_share', 'state']
  expect(idsOf('run').slice(0, 7)).toEqual(['run', ...worse])
  expect(idsOf('worker').slice(0, 8)).toEqual(['run', 'worker', ...worse])
  expect(idsOf('span').slice(0, 9)).toEqual(['run', 'worker', 'span', ...worse])
  expect(endOf('run', 'state')).toBeLessThan(1305)
  expect(endOf('span', 'peak_bytes')).toBeLessThan(1305 - 300)
})

test('jobs of one folder are told apart by their files, cut in the middle; what stands alone has none', async () => {
  const file = 'mi300_a_name_that_is_far_too_long_to_stand_in_this_column_vllm_decode_graph.pt.trace.json.gz'
  serve([row('r', { file }), row('r', { worker: 'v', file: 'a100_nccl.json.gz' }), row('alone')])
  await show()
  const [long = '', short] = names()
  expect(long).toMatch(/^r\/mi300_.*…/)
  expect(long.length).toBeLessThan(40)
  expect(short).toBe('r/a100_nccl.json.gz')
  expect(document.querySelector('.runs-link [title]')?.getAttribute('title')).toBe(file)
  expect(names()[2]).toBe('alone')
})

test('files that are no ranks of a job stand in one row that says whose figures it has, and how many others there are', async () => {
  const file = 'a_name_that_is_far_too_long_to_stand_in_this_column_h100_qwen.pt.trace.json.gz'
  serve([row('one', { file, n_others: 4 }), row('two', { file: 'b.json', n_others: 1 })])
  await show()
  expect(names()[0]).toMatch(/^one\/.*….* and 4 others$/)
  expect(names()[0]?.length).toBeLessThan(40)
  expect(names()[1]).toBe('two/b.json and 1 other')
  const title = document.querySelector('.runs-link [title]')?.getAttribute('title')
  expect(title).toBe(`The figures are those of ${file}. Rows: Workers has a row for each file.`)
})

test('how far one is read stands once in its row', async () => {
  serve([row('a', { state: 'loading', progress: 0.9, summary: null }), row('b', TO_COME)])
  await show()
  expect(
    cells('a')
      .filter((cell) => cell !== '')
      .slice(0, 2),
  ).toEqual(['a90 %', 'reading'])
})

test('the order that nobody chose is told, its column is seldom in sight', async () => {
  serve([row('a'), row('b')])
  go({ 'runs.sort': 'step_ns' })
  await show()
  expect(document.querySelector('tfoot th')?.textContent).toBe('2 runs')
  go({ 'runs.sort': undefined })
})

test('of a long folder name enough is left that the file can be read', async () => {
  const run = 'a/very/long/folder/of/somebody/who/likes/folders'
  serve([row(run, { file: 'a100_nccl.json.gz' }), row(run, { worker: 'v', file: 'v100_ns.json.gz' })])
  await show()
  expect(names().map((name) => name.split('/').at(-1))).toEqual(['a100_nccl.json.gz', 'v100_ns.json.gz'])
})

test('what somebody cancelled has not failed', async () => {
  const reason =
    'x.json: opening it was cancelled; nothing is wrong with the file: open it and try again to have it read'
  serve([row('a'), row('b', { state: 'failed', reason, summary: null })])
  await show()
  expect(cells('b')).toContain(reason)
  expect(cells('b')[0]).toContain('cancelled')
  expect(document.querySelector('.is-bad')).toBeNull()
  expect(document.querySelector('tfoot th')?.textContent).toBe('2 runs, newest first, 1 cancelled')
})

test('a run without figures opens with what it has', () => {
  expect(placeOf(row('a')).view).toBe('overview')
  expect(placeOf(row('a', { summary: null, reason: 'dumps of flight recorders' }))).toMatchObject({
    run: 'a',
    view: undefined,
  })
})

test('the state in a word', () => {
  expect(stateOf(row('a', { state: 'loading', progress: 0.43 }))).toBe('43 %')
  expect(stateOf(row('a', { summary: null, reason: 'written by another tool, not by torch' }))).toBe('ready')
  expect(stateOf(row('a', { summary: { ...SUMMARY, is_cut_off: true } }))).toBe('cut off')
})

test('rows fill in while somebody looks, until all are there; sort and the row that keys are on stay', async () => {
  const slow = row('slow', { summary: { ...SUMMARY, step_ns: 9e9 } })
  serve(
    [row('a'), row('b', TO_COME), row('slow', TO_COME)],
    [row('a'), row('b', TO_COME), slow],
    [row('a'), row('b'), slow],
  )
  go({ 'runs.sort': '-step_ns' })
  await show()
  expect(names()).toEqual(['a', 'bqueued', 'slowqueued'])
  const table = document.querySelector('table')
  const press = async (code: string): Promise<void> => {
    await act(() => void table?.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true })))
  }
  await press('ArrowDown')
  vi.stubGlobal('innerHeight', 0)
  await pass(5000)
  expect(asked).toHaveLength(1)
  vi.stubGlobal('innerHeight', 768)
  await pass(1000)
  expect(names()).toEqual(['slow', 'a', 'bqueued'])
  expect(document.querySelector('tr.is-active')?.textContent).toMatch(/^a/)
  expect(document.querySelector('table')).toBe(table)
  await pass(5000)
  expect(asked).toHaveLength(3)
  await press('Enter')
  expect([at('view'), at('run'), at('worker'), at('span')]).toEqual(['overview', 'a', 'w', '1'])
})

test('a click leads to the overview of the profile, and so does a link for the middle button; steps of another go', async () => {
  go({ view: 'runs', steps: '3' })
  serve([row('a'), row('b')])
  await show()
  const link = document.querySelector<HTMLAnchorElement>('tr.row a')
  expect(link?.href).toContain('view=overview&run=a&worker=w&span=1')
  await act(() => document.querySelectorAll<HTMLElement>('tr.row td')[1]?.click())
  expect([at('view'), at('run'), at('steps')]).toEqual(['overview', 'a', undefined])
})

test('spans are told apart by their names only where a row is a span', () => {
  const isShown = (each: RunsTable['each']): boolean =>
    columnsFor({ each, rows: [] }).find(({ id }) => id === 'span')?.hidden !== true
  expect([isShown('run'), isShown('worker'), isShown('span')]).toEqual([false, false, true])
})

test('two rows that are ticked lead to what changed between them', async () => {
  serve([row('a'), row('b'), row('c', { state: 'failed', summary: null, reason: 'cut' })])
  await show()
  const tick = (run: string): HTMLInputElement | null => document.querySelector(`input[aria-label^="Compare ${run}"]`)
  expect(tick('c')?.disabled).toBe(true)
  await act(() => tick('b')?.click())
  expect(document.body.textContent).toContain('A is chosen')
  await act(() => tick('a')?.click())
  const link = Array.from(document.querySelectorAll('a')).find((each) => each.textContent === 'Compare 2')
  await act(() => link?.click())
  expect([at('view'), at('compare.items')]).toEqual(['compare', 'b\tw\t1\na\tw\t1'])
})

test('the trends of ticked runs are of these alone, whatever is in their names', async () => {
  go({ 'runs.ticked': undefined })
  serve([row('a.b|c'), row('d')])
  await show()
  const link = (text: string): HTMLAnchorElement | undefined =>
    Array.from(document.querySelectorAll('a')).find((each) => each.textContent === text)
  expect(link('Trends')).toBeDefined()
  await act(() => document.querySelector<HTMLInputElement>('input[aria-label^="Compare a.b"]')?.click())
  await act(() => link('Trends of 1')?.click())
  expect([at('view'), at('trends.only')]).toEqual(['trends', '^(a\\.b\\|c)$'])
  go({ 'trends.only': undefined, 'runs.ticked': undefined })
})

test('how many recordings a folder holds is shown where one holds several', () => {
  const isHidden = (...rows: readonly RunRow[]) =>
    columnsFor({ each: 'run', rows }).find(({ id }) => id === 'n_recordings')?.hidden
  expect(isHidden(row('a'), row('b'))).toBe(true)
  expect(isHidden(row('a'), row('b', { n_recordings: 2 }))).toBe(false)
})
