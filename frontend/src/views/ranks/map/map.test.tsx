/** The map of ranks and steps, and its table. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'

import { TABLE, rank, reply, show } from '../../../../test/made_up_ranks'
import { onMadeUpServer, pass } from '../../../../test/made_up_server'
import { rowOf } from '../../../../test/rows'
import { forgetReplies } from '../../../data/kept'
import { at, go } from '../../../state/place'
import type { CollectiveRow, RanksMatrix } from '../../../wire/wire'
import { said } from './map_words'
import { axesFor, ofSteps } from './matrix'
import { COLLECTIVE_ROW } from '../row_figures'

onMadeUpServer()

test('each part of the step leads to the map of it', async () => {
  await show(reply(TABLE))
  const parts = [...document.querySelectorAll('.ranks-legend a')]
  expect(parts.map((part) => part.textContent)).toEqual([
    ...['computing', 'exposed wait', 'exposed transfer', 'copies', 'idle'],
  ])
  expect(parts.at(-1)?.getAttribute('href')).toContain('ranks.measure=idle')
})

test('the table has what the map has, and each rank and step leads to the rank against its peers', async () => {
  await show(reply(TABLE))
  expect(document.querySelectorAll('.ranks-map .ranks-value')).toHaveLength(7)
  expect(document.querySelectorAll('.ranks-map path[fill="none"]')).toHaveLength(1)
  await act(() => go({ 'ranks.as': 'table' }))
  const rows = [...document.querySelectorAll('.ranks-twin tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent),
  )
  expect(rows).toEqual([
    ['rank 0', '−3.50 ms', 'not recorded', '−3.50 ms', '−3.50 ms'],
    ['rank 1', '+3.50 ms', '+3.50 ms', '+3.50 ms', '+3.50 ms'],
  ])
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.ranks-twin tbody a')]
  await act(() => links.at(-2)?.click())
  expect([at('ranks.rank'), at('ranks.at')]).toEqual(['1', '9'])
})

test('a step that a rank has and none of its peers is said to be so, on the map and in its table', async () => {
  const steps = TABLE.steps.map((step) =>
    step.number === 8 ? { ...step, own_ns: [null, 47e6], excess_ns: [null, null] } : step,
  )
  go({ 'ranks.as': 'table', 'ranks.order': undefined })
  await show(reply({ ...TABLE, steps }))
  const cells = [...document.querySelectorAll('.ranks-twin tbody tr')].map((row) => row.children[2]?.textContent)
  expect(cells).toEqual(['not recorded', 'no peer in this step'])
  const [, ...of] = [0, 1].map((row) => said({ ...TABLE, steps }, ofSteps({ ...TABLE, steps }), { row, column: 1 }))
  expect(of).toEqual(['rank 1, step 8: no peer in this step'])
  go({ 'ranks.as': undefined })
})

test('where nobody knows what is wait the map opens with computation, and offers what can be told', async () => {
  const ranks = TABLE.ranks.map((row) => ({ ...row, excess_ns: null, own_ns: null, wait_ns: null, bubble_ns: null }))
  const steps = TABLE.steps.map((step) => ({ ...step, excess_ns: [] }))
  await show(reply({ ...TABLE, ranks, steps }))
  const section = document.querySelector('section[aria-label="Ranks and steps"]')
  expect(section?.querySelector('h2')?.textContent).toContain('Ranks: computation')
  const offered = [...(section?.querySelector('select')?.options ?? [])].map(({ value }) => value)
  expect(offered).toContain('computation')
  for (const one of ['excess', 'own', 'wait', 'bubble', 'untold']) expect(offered).not.toContain(one)
})

test('the rows of the map and of its table go by rank, or by what is measured', async () => {
  go({ 'ranks.as': 'table', 'ranks.order': undefined })
  await show(reply(TABLE))
  const rows = () => [...document.querySelectorAll('.ranks-twin tbody tr')].map((row) => row.textContent.slice(0, 6))
  expect(rows()).toEqual(['rank 0', 'rank 1'])
  const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Largest first')
  await act(() => button?.click())
  expect(rows()).toEqual(['rank 1', 'rank 0'])
  expect(button?.getAttribute('aria-pressed')).toBe('true')
  await act(() => button?.click())
  expect([rows()[0], at('ranks.order')]).toEqual(['rank 0', undefined])
  go({ 'ranks.as': undefined })
})

test('the map says from what to what its colours go, a cell says what it is, and ranks that are drawn over are a chip', async () => {
  await show(reply(TABLE))
  const section = document.querySelector('section[aria-label="Ranks and steps"]')
  expect(section?.textContent).toContain('−3.50 ms+3.50 ms from the median of its peers')
  const map = section?.querySelector('.ranks-map svg')
  const move = (type: string, x: number, y: number, buttons = 1) =>
    act(() => {
      map?.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX: x, clientY: y, buttons }))
    })
  await move('mousemove', 220, 12, 0)
  expect(document.querySelector('p.tooltip')?.textContent).toBe('rank 0, step 8: not recorded')
  await move('mousedown', 100, 12)
  await move('mousemove', 100, 36)
  expect(map?.querySelector('.ranks-pointed')?.getAttribute('height')).toBe('48')
  await move('click', 100, 36, 0)
  expect([at('ranks.only'), at('ranks.rank')]).toEqual(['rank=0-1', undefined])
  await move('mouseleave', 0, 0)
  expect(document.querySelector('p.tooltip')).toBeNull()
})

test('a measure that is nothing for every rank is said to be so, and names without room are whole on hover', async () => {
  const host = 'a-host-with-a-very-long-name.and-its-domain.example'
  const made = (value: number): RanksMatrix => ({
    ...{
      run: 'job',
      measure: 'copy',
      axes: 'host',
      unit: 'ns',
      least_told_ns: null,
      reason: null,
      row_title: 'host',
      column_title: '',
    },
    ...{ rows: [host], columns: ['0', '1'], values: [[value, 0]], ranks: [[0, 1]], middle: [0, 0], hundred: [0, 0] },
  })
  go({ 'ranks.measure': 'copy', 'ranks.axes': 'host' })
  const said = async (matrix: RanksMatrix): Promise<string> => {
    forgetReplies()
    return show(reply(TABLE), [], matrix)
  }
  expect(await said(made(0))).toContain('none: 0 for every rank')
  render(null, document.body)
  await said(made(5e6))
  const name = document.querySelector('.ranks-names .is-left')
  expect(name?.querySelector('title')?.textContent).toBe(host)
  expect(name?.firstChild?.textContent).toContain('…')
})

test('keys go over the map, from where it differs most: Enter shows the rank, with Shift only those that were gone over', async () => {
  await show(reply(TABLE))
  const map = document.querySelector<SVGElement>('.ranks-map svg')
  const status = () => document.querySelector('section[aria-label="Ranks and steps"] [role=status]')?.textContent
  const press = (key: string, shiftKey = false) =>
    act(() => {
      map?.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true }))
    })
  const look = (type: string) =>
    act(() => {
      map?.dispatchEvent(new FocusEvent(type))
    })
  await look('focus')
  expect(status()).toContain('rank 0, step 7: −3.50 ms')
  expect(map?.querySelector('.ranks-pointed')).not.toBeNull()
  await press('ArrowDown')
  await press('End')
  expect(status()).toContain('rank 1, mean of its steps: +3.50 ms')
  await press('ArrowLeft')
  expect(status()).toContain('rank 1, step 9: +3.50 ms')
  await press('Enter')
  expect([at('ranks.rank'), at('ranks.at')]).toEqual(['1', '9'])
  await press('ArrowUp', true)
  await press('Enter')
  expect(at('ranks.only')).toBe('rank=0-1')
  await press('ArrowUp')
  expect(status()).toContain('rank 0, step 9')
  await look('blur')
  expect(status()).toContain('A click shows')
})

test('more ranks than fit beside each other open by their hosts', () => {
  const of = (n: number) => axesFor({ ...TABLE, ranks: Array.from({ length: n }, () => TABLE.ranks[0] ?? rank(0)) })
  expect([of(400), of(401)]).toEqual(['step', 'host'])
})

test('a measure that kinds do not have is not changed without a word, and comes again with other axes', async () => {
  const made: RanksMatrix = {
    ...{
      run: 'job',
      measure: 'wait',
      axes: 'kind',
      unit: 'ns',
      least_told_ns: null,
      reason: null,
      row_title: 'rank',
      column_title: '',
    },
    ...{ rows: ['rank 0'], columns: ['all-reduce'], values: [[5e6]], ranks: [[0]], middle: [5e6], hundred: [5e6] },
  }
  go({ 'ranks.axes': 'kind' })
  const said = () => document.querySelector('section[aria-label="Ranks and steps"] header')?.textContent
  await show(reply(TABLE), [], made)
  expect(said()).toContain('Ranks: exposed wait')
  expect(said()).toContain('Collectives have no “more than peers” of their own: this is exposed wait.')
  await act(() => go({ 'ranks.axes': 'host' }))
  expect(said()).toContain('Ranks: more than peers')
  await act(() => go({ 'ranks.axes': 'kind', 'ranks.measure': 'transfer' }))
  expect(said()).toContain('Ranks: exposed transfer')
  expect(said()).not.toContain('have no')
})

test('the bus rate is of kinds and dimensions: who chooses it is led there, and the slower is the worse', async () => {
  const made: RanksMatrix = {
    ...{
      run: 'job',
      measure: 'rate',
      axes: 'kind',
      unit: 'bytes_per_s',
      least_told_ns: null,
      reason: null,
      row_title: 'rank',
    },
    ...{ column_title: '', rows: ['rank 0', 'rank 1'], columns: ['all-reduce'], ranks: [[0], [1]] },
    ...{ values: [[2e11], [5e10]], middle: [125e9], hundred: [125e9] },
  }
  const collectives = [rowOf<CollectiveRow>(COLLECTIVE_ROW, { bus_bytes_per_s: 2e11 })]
  go({ 'ranks.axes': undefined, 'ranks.measure': undefined })
  await show(reply({ ...TABLE, collectives }), [], made)
  const measure = document.querySelector<HTMLSelectElement>('select[aria-label=Measure]')
  if (measure === null) throw new Error('no choice')
  measure.value = 'rate'
  await act(() => {
    measure.dispatchEvent(new Event('change', { bubbles: true }))
  })
  expect([at('ranks.measure'), at('ranks.axes')]).toEqual(['rate', 'kind'])
  await pass()
  const section = document.querySelector('section[aria-label="Ranks and steps"]')
  expect(section?.textContent).toContain('+75.0 GB/s−75.0 GB/s from the median of the kind')
  await act(() => go({ 'ranks.axes': 'step' }))
  expect(section?.textContent).toContain('A rank has no “bus rate” of its own: this is more than peers.')
  go({ 'ranks.axes': undefined, 'ranks.measure': undefined })
})

test('in percent each value is how far it is from the median of its step, of what is more than peers of own time', async () => {
  const made = (more: Partial<RanksMatrix>): RanksMatrix => ({
    ...{
      run: 'job',
      measure: 'step',
      axes: 'step',
      unit: 'ns',
      least_told_ns: null,
      reason: null,
      row_title: 'rank',
      column_title: 'step',
    },
    ...{ rows: ['rank 0', 'rank 1'], columns: ['7'], ranks: [[0], [1]] },
    ...{ values: [[45e6], [60e6]], middle: [50e6], hundred: [50e6] },
    ...more,
  })
  go({ 'ranks.measure': 'step', 'ranks.in': 'percent', 'ranks.as': 'table' })
  await show(reply(TABLE), [], made({}))
  const section = document.querySelector('section[aria-label="Ranks and steps"]')
  const cells = () => [...document.querySelectorAll('.ranks-twin tbody td:not(.is-text)')].map((td) => td.textContent)
  expect(cells()).toEqual(['−10.0 %', '+20.0 %'])
  await act(() => go({ 'ranks.as': undefined }))
  expect(section?.textContent).toContain('−10.0 %+20.0 % from the median of the step')
  const map = section?.querySelector('.ranks-map svg')
  await act(() => {
    map?.dispatchEvent(new FocusEvent('focus'))
  })
  expect(section?.querySelector('[role=status]')?.textContent).toBe(
    'rank 1, step 7: +20.0 %, 60.0 ms, median 50.0 ms (60,000,000 ns)',
  )
  render(null, document.body)
  forgetReplies()
  go({ 'ranks.measure': undefined, 'ranks.as': 'table' })
  await show(reply(TABLE), [], made({ measure: 'excess', values: [[-4e6], [4e6]], middle: [0], hundred: [40e6] }))
  expect(cells()).toEqual(['−10.0 %', '+10.0 %'])
  go({ 'ranks.in': undefined, 'ranks.as': undefined })
})

test('a wait below what clocks can tell is said to be so, on the map, in its key and in the table', async () => {
  const made: RanksMatrix = {
    ...{ run: 'job', measure: 'wait', axes: 'kind', unit: 'ns', least_told_ns: 1000, reason: null, row_title: 'rank' },
    ...{ column_title: '', rows: ['rank 0', 'rank 1'], columns: ['all-reduce'] },
    ...{ values: [[3], [5000]], ranks: [[0], [1]], middle: [3], hundred: [3] },
  }
  go({ 'ranks.axes': 'kind', 'ranks.measure': 'wait' })
  await show(reply(TABLE), [], made)
  const text = () => document.querySelector('section[aria-label="Ranks and steps"]')?.textContent
  expect(text()).toContain('0 ns+5.00 µs from the median of the kind · under 1.00 µs: less than clocks can tell')
  expect(text()).not.toContain('3 ns')
  await act(() => go({ 'ranks.as': 'table' }))
  const cells = [...document.querySelectorAll('.ranks-twin td:not(.is-text)')].map(({ textContent }) => textContent)
  expect(cells).toEqual(['under 1.00 µs', '5.00 µs'])
})
