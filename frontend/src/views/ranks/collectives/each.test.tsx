/** Collectives one by one: from what a sentence counts to a table of them, and who issued one. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { TABLE, reply, show } from '../../../../test/made_up_ranks'
import { onMadeUpServer, pass } from '../../../../test/made_up_server'
import { rowOf } from '../../../../test/rows'
import { at, go } from '../../../state/place'
import type { InstanceRow, TimelineEvent } from '../../../wire/wire'
import { EachCollective } from './each_collective'
import { IssuedBy } from './one_collective'
import { INSTANCE_ROW } from '../row_figures'

onMadeUpServer()

const SENTENCE = 'Rank 1 is late by 5.00 us; rank 0 waits for it in 2 of 3 tensor all-reduces. At most 7.00 ms.'
const COUNTED = {
  ...{ text: 'rank 0 waits for it in 2 of 3 tensor all-reduces', dimension: 'tensor', kind: 'all-reduce' },
  ...{ ranks: '1', steps: '7,9', begun: null },
}

test('what a sentence counts is a link to these collectives, and a tab leads back to their sorts', async () => {
  const leads = [{ ranks: [1], step: 7, table: null, places: [], counted: COUNTED }]
  await show(reply({ ...TABLE, sentences: [SENTENCE], leads }))
  const said = document.querySelector('.ranks-sentences li')
  const text = said?.textContent.replaceAll('\u00a0', ' ')
  expect(text).toContain('late by 5.00 µs; rank 0 waits for it in 2 of 3 tensor all-reduces. At most')
  const [link] = [...(said?.querySelectorAll('a') ?? [])]
  expect(link?.textContent.replaceAll('\u00a0', ' ')).toBe(COUNTED.text)
  await act(() => link?.click())
  expect(at('ranks.show')).toBe('collectives')
  expect(at('ranks.each')).toBe('dimension=tensor&kind=all-reduce&ranks=1&steps=7%2C9')
  await act(() => [...document.querySelectorAll('button')].find(({ textContent: text }) => text === 'Summary')?.click())
  expect(at('ranks.each')).toBeUndefined()
})

test('collectives are listed one by one, the longest wait first, each with the way to it and to who came last', async () => {
  const rows = [100_000, 300_000, 200_000].map((wait, nth) =>
    rowOf<InstanceRow>(INSTANCE_ROW, {
      ...{ at_ns: nth * 1000, step: 7, dimension: 'tensor', kind: 'all-reduce', n_ranks: 2, wait_ns: wait },
      ...{ last_ranks: [1], n_last: 1, worker: 'w1', row: nth, ranks: [0, 1], begin_ns: 0, lasts_ns: wait },
      ...{ group: nth ? 'tp' : null, sequence: nth ? 70 + nth : null, members: '0, 4, 8 .. 28' },
    }),
  )
  const asked: string[] = []
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url)
    const result = { run: 'job', n_instances: 5, reason: null, rows }
    return Promise.resolve(new Response(JSON.stringify({ n_members: 2, n_pending: 0, n_failed: 0, result })))
  })
  const which = 'dimension=tensor&kind=all-reduce&ranks=1&steps=7%2C9'
  await act(() => render(<EachCollective table={TABLE} run="job" which="ranks=0,3" />, document.body))
  await pass()
  expect(document.body.textContent).toContain('collectives of ranks 0, 3 and others')
  asked.pop()
  await act(() => render(<EachCollective table={TABLE} run="job" which={which} />, document.body))
  await pass()
  expect(asked[0]).toMatch(/instances\?.*dimension=tensor&kind=all-reduce&ranks=1&steps=7(,|%2C)9/)
  expect(document.body.textContent).toContain(
    'tensor all-reduce of rank 1 and others in steps 7, 9 5 collectives, the longest 3 of them here',
  )
  const told = [...document.querySelectorAll('tr.row')].map((row) => /(all-reduce)(.*28)/.exec(row.textContent)?.[2])
  expect(told).toEqual(['tp710, 4, 8 .. 28', 'tp720, 4, 8 .. 28', 'not recordednot recorded0, 4, 8 .. 28'])
  const links = [...document.querySelectorAll<HTMLAnchorElement>('tr.row a')]
  expect(links.map(({ textContent: text }) => text)).toEqual(['1.00 µs', '1', '2.00 µs', '1', '0 ns', '1'])
  await act(() => links[0]?.click())
  expect([at('ranks.show'), at('ranks.worker'), at('ranks.row')]).toEqual(['lanes', 'w1', '1'])
  go({ 'ranks.show': undefined, 'ranks.worker': undefined, 'ranks.row': undefined })
})

test('one collective says which operator, module and line issued it, or that this was not recorded', async () => {
  const event = { row: 5, owner: null, parents: [], module: null, call_site: null } as unknown as TimelineEvent
  const owner = { name: 'c10d::allreduce_' }
  const profile = { run: 'job', worker: 'w1', span: '1' }
  const said = async (more: object, row = 5) => {
    const answer = { ...event, ...more, row }
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(answer))))
    await act(() => render(<IssuedBy rank={1} profile={profile} row={row} />, document.body))
    await pass()
    return document.body.textContent
  }
  expect(await said({ owner, module: 'layer1', call_site: 'train.py(7): step' })).toBe(
    'Issued on rank 1 by: operator c10d::allreduce_ module layer1 called at train.py(7): step ',
  )
  expect(await said({}, 6)).toBe('Issued on rank 1 by: not recorded')
})

test('what a link names and nothing is called is said, and not shown as the usual in silence', async () => {
  const left = () => [...document.querySelectorAll('.view-note')].map(({ textContent: text }) => text)
  go({ 'ranks.show': 'nonsense', 'ranks.measure': 'foo', 'ranks.axes': 'bar', 'ranks.each': 'baz&bytes=x&ranks=1' })
  await show(reply(TABLE))
  expect(left()).toContain(
    'Nothing here is called show=nonsense, measure=foo, axes=bar, each=baz, each=bytes=x: left out.',
  )
  await act(() =>
    go({
      ...{ 'ranks.show': 'ranks', 'ranks.measure': 'excess', 'ranks.axes': undefined },
      'ranks.each': 'dimension=tensor&bytes=8&steps=7%2C9&begun=100-2000,3000-4000',
    }),
  )
  expect(left().join()).not.toContain('left out')
  go({ 'ranks.show': undefined, 'ranks.measure': undefined, 'ranks.each': undefined })
})
