/** The second level of an area: what a row consists of, by another thing. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { onMadeUpServer, pass } from '../../../../test/made_up_server'
import { eventRef } from '../../../../test/timeline'
import { at } from '../../../state/place'
import type { AreaName, TimelineArea } from '../../../wire/wire'
import type { TimelineStore } from '../store/store'
import { Then } from './area_panel'

onMadeUpServer()

const ROW: AreaName = {
  ...{ name: 'net.0', on_device: true, kind: null, count: 3, time_ns: 3000, mean_ns: 1000, self_ns: 3000, share: 0.25 },
  longest: eventRef(7),
}
const REPLY: TimelineArea = {
  ...{ t0_ns: 100, t1_ns: 900, group_by: 'name', then_by: 'module', count: 9, host_self_ns: 0, device_self_ns: 12000 },
  ...{ devices: [], tracks: [], n_names: 2 },
  rows: [ROW, { ...ROW, name: null, count: 1, self_ns: null, share: null, longest: eventRef(8) }],
}

async function shown(group: 'name' | 'module'): Promise<URLSearchParams[]> {
  const asked: URLSearchParams[] = []
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(new URL(url).searchParams)
    return Promise.resolve(new Response(JSON.stringify(REPLY)))
  })
  const store = {
    profile: { run: 'r', worker: group, span: '1' },
    filters: { steps: '3' },
    tracks: { steps: [] },
  } as unknown as TimelineStore
  const area = { t0: 100, t1: 900, tracks: [4, 7] }
  await act(() => render(<Then store={store} area={area} group={group} row={7} />, document.body))
  await pass()
  return asked
}

const cells = () => [...document.querySelectorAll('.small-table tbody tr')].map((row) => [...row.children].map(({ textContent }) => textContent)) // prettier-ignore

test('a name is told apart by modules, in the same area, and what is in none says so', async () => {
  const [asked] = await shown('name')
  expect(Object.fromEntries(asked ?? [])).toMatchObject({
    ...{ t0_ns: '100', t1_ns: '900', tracks: '4,7', group_by: 'name', then_by: 'module', of_row: '7', steps: '3' },
  })
  expect(document.querySelector('.small-table th')?.textContent).toBe('2 rows')
  expect(cells()).toEqual([
    ['net.0', '3', '3.00 µs', '25.0 %'],
    ['in no module', '1', '–', '–'],
  ])
})

test('a module is told apart by names, or by what is chosen, which the link keeps; never by itself', async () => {
  const asked = await shown('module')
  expect(asked[0]?.get('then_by')).toBe('name')
  const choice = document.querySelector('select')
  expect([...(choice?.options ?? [])].map(({ value }) => value)).toEqual(['name', 'category', 'class', 'step'])
  await act(() => {
    if (choice) choice.value = 'step'
    choice?.dispatchEvent(new Event('change', { bubbles: true }))
  })
  await pass()
  expect([at('timeline.then'), asked.at(-1)?.get('then_by')]).toEqual(['step', 'step'])
})
