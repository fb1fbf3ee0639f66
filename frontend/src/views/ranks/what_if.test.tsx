/** Edits of What if: one that the server refuses is not among them. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { TABLE, reply, show } from '../../../test/made_up_ranks'
import { onMadeUpServer, pass } from '../../../test/made_up_server'
import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import { rowOf } from '../../../test/rows'
import type { DimensionRow, ReplayedRow } from '../../wire/wire'
import { placeOfEdit } from './rank_links'
import { DIMENSION_ROW, REPLAYED_ROW } from './row_figures'
import { WhatIf } from './what_if'

onMadeUpServer()

const TOLD = {
  run: 'job',
  reason: null,
  notes: [],
  clock_error_ns: null,
  ideal_ns: null,
  slowdown: null,
  is_slowdown_least: false,
  ideal_steps: null,
}

test('an edit that is refused is said beside the field and not added; the next one is', async () => {
  go({ 'ranks.what_if': 'rank=1' })
  await show(reply(TABLE))
  const told = {
    ...TOLD,
    rows: ['rank=1', 'ideal'].map((edit) => rowOf<ReplayedRow>(REPLAYED_ROW, { edit, was_ns: 50e6 })),
    forms: ['rank=1', 'links=usual', 'rank=all', 'transfer:tensor=0', 'transfer:data=0'],
  }
  vi.stubGlobal('fetch', (address: string) => {
    const isWrong = address.includes('99')
    const body = isWrong ? { error: { message: 'no such rank; there is 0, 1' } } : { ...reply(TABLE), result: told }
    return Promise.resolve(new Response(JSON.stringify(body), { status: isWrong ? 400 : 200 }))
  })
  const field = document.querySelector<HTMLInputElement>('[aria-label="What is otherwise"]')
  const type = async (text: string) => {
    if (field === null) throw new Error('no field')
    field.value = text
    await act(() => void field.form?.dispatchEvent(new Event('submit', { cancelable: true })))
    await pass()
  }
  const alerts = () => [...document.querySelectorAll('.edits [role=alert]')].map((each) => each.textContent)
  await type('rank=99')
  expect([at('ranks.what_if'), field?.value]).toEqual(['rank=1', 'rank=99'])
  expect(alerts()[0]).toContain('no such rank; there is 0, 1')
  await type('rank=0')
  expect([at('ranks.what_if'), field?.value]).toEqual(['rank=1\nrank=0', ''])
  expect(alerts()).toEqual([])
  await pass() // the new edits are asked about
  await type(' ')
  expect(alerts()).toEqual(['Type one of these: rank=1, links=usual, transfer:tensor=0.'])
  const rows = [...document.querySelectorAll('[aria-label="What if"] tbody tr')]
  expect(rows.map((row) => [row.querySelector('th')?.textContent, row.querySelector('a')?.hash ?? ''])).toEqual([
    ['rank=1', expect.stringContaining('ranks.rank=1')],
    ['ideal', ''],
  ])
})

test('the field stands beside its heading: the map below is in sight', async () => {
  await show(reply(TABLE))
  const field = document.querySelector('[aria-label="What is otherwise"]')
  expect(field?.closest('header')?.querySelector('h2')?.textContent).toContain('What if')
})

test('while an edit is worked out that is said, and then while all edits are', async () => {
  await show(reply(TABLE))
  const rows = [rowOf<ReplayedRow>(REPLAYED_ROW, { edit: 'rank=1', was_ns: 50e6 })]
  const told = {
    ...TOLD,
    rows,
    forms: [],
  }
  const answers: (() => void)[] = []
  const fetched = vi.fn(
    () =>
      new Promise<Response>((resolve) =>
        answers.push(() => resolve(new Response(JSON.stringify({ ...reply(TABLE), result: told })))),
      ),
  )
  vi.stubGlobal('fetch', fetched)
  const field = document.querySelector<HTMLInputElement>('[aria-label="What is otherwise"]')
  const enter = () => act(() => void field?.form?.dispatchEvent(new Event('submit', { cancelable: true })))
  const said = () =>
    [...document.querySelectorAll('[aria-label="What if"] [role=status]')].map((one) => one.textContent)
  if (field !== null) field.value = 'rank=1'
  await enter()
  await enter() // nothing is asked twice
  expect([said(), fetched.mock.calls.length, at('ranks.what_if')]).toEqual([['Working out rank=1…'], 1, undefined])
  answers.pop()?.()
  await pass()
  expect([said(), at('ranks.what_if'), field?.value]).toEqual([['Replaying these edits.'], 'rank=1', ''])
  answers.pop()?.()
  await pass()
  expect(said()).toEqual([])
  expect(document.querySelector('[aria-label="What if"] tbody th')?.textContent).toBe('rank=1')
})

test('why nothing can be told stands once on the screen', async () => {
  const why = 'no collective could be matched'
  const told = { run: 'job', reason: `Cannot be told: ${why}.`, notes: [], clock_error_ns: null, ideal_ns: null, slowdown: null, is_slowdown_least: false, ideal_steps: null, rows: [], forms: [] } // prettier-ignore
  const said = async (notes: readonly string[]) => {
    forgetReplies()
    render(null, document.body)
    await show(reply({ ...TABLE, notes }))
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ ...reply(TABLE), result: told }))))
    await act(() => go({ 'ranks.what_if': `rank=${notes.length}` }))
    await pass()
    return document.querySelector('[aria-label="What if"]')?.textContent
  }
  expect(await said([])).toContain('Cannot be told: no collective could be matched.')
  expect(await said([`The critical path cannot be told: ${why}.`])).toContain(
    'Cannot be told: see what is missing, below.',
  )
})

test('an edit leads to whom or what it changes', () => {
  const dimensions = [rowOf<DimensionRow>(DIMENSION_ROW, { name: 'data', short: 'dp' })]
  const shown = [
    'rank:loader=5',
    'rank=4-7',
    'ideal but stage=3',
    'transfer:dp=0',
    'transfer=0',
    'links=usual',
    'ideal',
  ].map((edit) => placeOfEdit(edit, dimensions))
  expect(shown.map((place) => place ?? {})).toMatchObject([
    { 'ranks.rank': '5' },
    { 'ranks.show': 'ranks', 'ranks.only': 'rank=4-7' },
    { 'ranks.show': 'ranks', 'ranks.only': 'stage=3' },
    { 'ranks.show': 'collectives', 'ranks.collective.q': '^data$' },
    { 'ranks.show': 'collectives' },
    { 'ranks.show': 'links' },
    {},
  ])
})

test('that it is still read what can be asked is said, also where S is known', async () => {
  vi.stubGlobal('fetch', () => new Promise<Response>(() => undefined))
  await act(() => {
    go({ 'ranks.what_if': undefined })
    render(
      <WhatIf table={{ ...TABLE, slowdown: 1.2, ideal_was_ns: 50e6, ideal_ns: 40e6 }} run="other" />,
      document.body,
    )
  })
  expect(document.querySelector('[role=status]')?.textContent).toBe('Reading what can be asked.')
})
