import { afterEach, expect, test, vi } from 'vitest'

import { eventRef, timelineEvent } from '../../../../test/timeline'
import type { TimelineEvent } from '../../../wire/wire'
import { Selection } from './selection'

const PROFILE = { run: 'r', worker: 'w', span: '1' }

function server(answers: Readonly<Record<number, TimelineEvent>>): void {
  vi.stubGlobal('fetch', (address: string) => {
    const row = Number(new URL(address).searchParams.get('row'))
    const event = answers[row]
    const body = event ?? { error: { kind: 'NotFoundError', message: `there is no event ${row}` } }
    return Promise.resolve(new Response(JSON.stringify(body), { status: event === undefined ? 404 : 200 }))
  })
}

afterEach(() => vi.unstubAllGlobals())

test('an event comes with arrows to what it started and what started it, and they can be followed', async () => {
  server({ 1: timelineEvent(1, { launch: eventRef(7), launched: [eventRef(8), eventRef(9)] }) })
  const selection = new Selection(PROFILE)
  const came: (number | undefined)[] = []
  await selection.follow(1, (event) => came.push(event?.row))
  expect(came).toEqual([1])
  expect(selection.arrows).toHaveLength(3)
  expect([selection.along(1)?.row, selection.along(-1)?.row]).toEqual([8, 7])
  await selection.follow(undefined, (event) => came.push(event?.row))
  expect(came).toEqual([1, undefined])
  expect([selection.event.value, selection.arrows, selection.along(1)]).toEqual([undefined, [], undefined])
})

test('of two that are asked for one after the other only the last one comes', async () => {
  server({ 1: timelineEvent(1), 2: timelineEvent(2) })
  const selection = new Selection(PROFILE)
  const came: (number | undefined)[] = []
  const both = [1, 2].map((row) => selection.follow(row, (event) => came.push(event?.row)))
  await Promise.all(both)
  expect(came).toEqual([2])
  expect(selection.event.value?.row).toBe(2)
})

test('an event that is not there is said in the server’s words', async () => {
  server({})
  const selection = new Selection(PROFILE)
  await selection.follow(5, () => undefined)
  expect(selection.problem.value).toBe('there is no event 5')
  expect(selection.event.value).toBeUndefined()
  await selection.follow(undefined, () => undefined)
  expect(selection.problem.value).toBeUndefined()
})
