/** How fast data moves between each two hosts, as a map above the table of links. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { TABLE as JOB, reply as told, show } from '../../../test/made_up_ranks'
import { onMadeUpServer, pass } from '../../../test/made_up_server'
import { rowOf } from '../../../test/rows'
import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import type { JointReply, LinkRow, RanksMatrix, RanksTable } from '../../wire/wire'
import { Asked } from './map/heat_map'
import { LINK_ROW } from './row_figures'

const HOSTS = ['a', 'b', 'c']
const MATRIX: RanksMatrix = {
  ...{ run: 'job', measure: 'link', axes: 'link', unit: 'percent', least_told_ns: null, reason: null },
  ...{
    row_title: 'host',
    column_title: 'host',
    rows: HOSTS,
    columns: HOSTS,
    middle: [100, 100, 100],
    hundred: [100, 100, 100],
  },
  values: [
    [98, 25, null],
    [25, 100, 100],
    [null, 100, 102],
  ],
  ranks: HOSTS.map((_, rank) => [rank, rank, rank]),
}
const DIMENSIONS = [{ name: 'data' }, { name: 'tensor' }]
const TABLE = {
  ranks: [0, 1, 2].map((rank) => ({ rank })),
  dimensions: DIMENSIONS,
  longest_step_ns: 50e6,
} as unknown as RanksTable

onMadeUpServer()

test('slower than usual is red, nothing to compare is no colour, and a click shows the rows of both hosts', async () => {
  const reply: JointReply<RanksMatrix> = { n_members: 3, n_pending: 0, n_failed: 0, result: MATRIX }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(reply))))
  await act(() => render(<Asked table={TABLE} whole={TABLE} run="job" measure="link" axes="link" />, document.body))
  await pass()
  const cells = (fill: string): number | undefined =>
    document.querySelector(`.ranks-map path[fill*="${fill}"]`)?.getAttribute('d')?.match(/M/g)?.length
  expect([cells('--c-communication) 100%'), cells('none')]).toEqual([2, 2])
  expect(document.body.textContent).toContain('102 %25 % of the usual bus rate')
  const map = document.querySelector('.ranks-map svg')
  const point = { bubbles: true, clientX: 76 + 120 * 1.5, clientY: 12 }
  await act(() => void map?.dispatchEvent(new MouseEvent('mousemove', point)))
  expect(document.body.textContent).toContain('a and b: 25 % of the usual bus rate')
  await act(() => void map?.dispatchEvent(new MouseEvent('click', point)))
  expect(at('ranks.link.q')).toBe('\\ba\\b.*\\bb\\b')
  await act(() => void map?.dispatchEvent(new MouseEvent('mousedown', { ...point, clientX: 80 })))
  await act(() => void map?.dispatchEvent(new MouseEvent('click', point)))
  expect(at('ranks.only')).toBe('host=a host=b')
  const inside = { ...point, clientX: 80 }
  await act(() => void map?.dispatchEvent(new MouseEvent('mousemove', inside)))
  expect(document.body.textContent).toContain('inside a: 98 % of the usual bus rate')
  await act(() => void map?.dispatchEvent(new MouseEvent('mousedown', inside)))
  await act(() => void map?.dispatchEvent(new MouseEvent('click', inside)))
  expect(at('ranks.link.q')).toBe('^a$')
  await act(() =>
    render(<Asked table={TABLE} whole={TABLE} run="job" measure="link" axes="link" isTable />, document.body),
  )
  const twin = [...document.querySelectorAll('.ranks-twin td')].map((cell) => cell.textContent)
  expect(twin.slice(0, 4)).toEqual(['a', '98 %', '25 %', 'nothing to compare'])
  await act(() => document.querySelectorAll<HTMLAnchorElement>('.ranks-twin a')[1]?.click())
  expect(at('ranks.link.q')).toBe('\\ba\\b.*\\bb\\b')
})

test('the map of links is of the dimensions that words leave', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url)
    return Promise.resolve(new Response(JSON.stringify({ n_members: 3, n_pending: 0, n_failed: 0, result: MATRIX })))
  })
  const left = { ...TABLE, dimensions: DIMENSIONS.slice(1) } as unknown as RanksTable
  await act(() => render(<Asked table={left} whole={TABLE} run="job" measure="link" axes="link" />, document.body))
  await pass()
  await act(() => render(<Asked table={left} whole={TABLE} run="job" measure="own" axes="host" />, document.body))
  await pass()
  expect(asked.map((url) => new URL(url, 'http://a').searchParams.get('dimensions'))).toEqual(['tensor', null])
})

test('of links the share of the usual stands beside the hosts, and what all have alike is not shown', async () => {
  const of = (more: Partial<LinkRow>) =>
    rowOf<LinkRow>(LINK_ROW, {
      hosts: 'a, b',
      dimension: 'data',
      kind: 'all-reduce',
      n_ranks: 2,
      rate_is: 'median',
      ...more,
    })
  go({ 'ranks.show': 'links' })
  const links = [of({ of_usual_share: 0.25, bus_bytes_per_s: 5e9 }), of({ hosts: 'c', bus_bytes_per_s: 9e9 })]
  await show(told({ ...JOB, links }), [], MATRIX)
  const heads = () =>
    [...document.querySelectorAll('.head-sort')].map((head) => head.textContent.replace(/[▾▴ ]*$/, ''))
  expect(heads()).toEqual(['Hosts', 'Of usual', 'Dimension', 'Kind', 'Bus rate', 'Ranks'])
  forgetReplies()
  await act(() => render(null, document.body))
  await show(told({ ...JOB, links: [...links, of({ hosts: 'd', pair: '0-1', rate_is: 'at least' })] }), [], MATRIX)
  expect(heads().slice(4, 7)).toEqual(['Of ranks', 'Bus rate', 'Rate is'])
  forgetReplies()
  await act(() => render(null, document.body))
  // A set without room is no two hosts.
  const hosts = Array.from({ length: 32 }, (_, nth) => `r${nth}-node0002`).join(', ')
  await show(told({ ...JOB, links: [of({ hosts, bus_bytes_per_s: 9e9 })] }), [], MATRIX)
  expect(document.querySelector('tr.row td')?.textContent).toBe('32 hosts: r0-node0002…')
  expect(document.querySelector('tr.row td')?.getAttribute('title')).toBe(hosts)
})
