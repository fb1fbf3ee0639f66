/** Edits of What if: one that the server refuses is not among them. */
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { TABLE, reply, show } from '../../../test/made_up_ranks'
import { onMadeUpServer, pass } from '../../../test/made_up_server'
import { at, go } from '../../state/place'

onMadeUpServer()

test('an edit that is refused is said beside the field and not added; the next one is', async () => {
  go({ 'ranks.what_if': 'rank=1' })
  await show(reply(TABLE))
  const told = {
    run: 'job',
    reason: null,
    notes: [],
    clock_error_ns: null,
    ideal_ns: null,
    slowdown: null,
    rows: [],
    forms: [],
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
})
