import { afterEach, expect, test, vi } from 'vitest'

import { eventRef, timelineEvent } from '../../../../test/timeline'
import type { TimelineEvent } from '../../../wire/wire'
import { MOST_ARROWS, Selection } from './selection'

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

test('from a launch of thousands one is led back to the kernel one came from, and its arrow is drawn', async () => {
  const launched = Array.from({ length: 200 }, (_, nth) => eventRef(10 + nth))
  const launch = timelineEvent(1, { launched, n_launched: 421 })
  const kernel = timelineEvent(300, { launch: eventRef(1) })
  server({ 1: launch, 300: kernel, 2: timelineEvent(2) })
  const selection = new Selection(PROFILE)
  const select = (row: number): Promise<void> => selection.follow(row, () => undefined)
  await select(300)
  await select(1)
  expect(selection.along(1)?.row).toBe(300)
  const drawn = selection.arrows.map(({ to }) => to.row) // spread over all that are in sight
  expect([drawn.length, ...drawn.slice(0, 3), drawn.at(-1)]).toEqual([MOST_ARROWS, 300, 10, 13, 209])
  await select(300)
  expect([selection.origin, selection.along(-1)?.row]).toEqual([undefined, 1])
  await select(2)
  await select(1)
  expect(selection.along(1)?.row).toBe(10) // it came from nowhere near
})

test('of what a launch started the arrows are to what is in sight, also where that has to be asked for', async () => {
  vi.useFakeTimers()
  const all = Array.from({ length: 500 }, (_, nth) => eventRef(10 + nth)) // a kernel a µs, 0.5 µs long
  const asked: (string | null)[] = []
  vi.stubGlobal('fetch', (address: string) => {
    const [at, to] = ['at', 'to'].map((end) => new URL(address).searchParams.get(`launched_${end}_ns`))
    asked.push(`${at} ${to}`)
    const among = all.filter(
      ({ start_ns, duration_ns }) => start_ns + duration_ns >= Number(at) && start_ns <= Number(to ?? 500_000),
    )
    const launched = among.filter((_, nth) => (to === null ? nth < 200 : among.length <= 200 || nth % 3 === 0))
    return Promise.resolve(new Response(JSON.stringify(timelineEvent(1, { launched, n_launched: 500 }))))
  })
  const paint = vi.fn()
  const selection = new Selection(PROFILE, {}, paint)
  await selection.follow(1, () => undefined)
  const ends = (): readonly (number | undefined)[] => {
    const rows = selection.arrows.map(({ to }) => to.row)
    return [rows[0], rows[1], rows.length]
  }
  selection.look({ t0: 100_000, t1: 101_000 }) // known
  expect([ends(), selection.near[0]?.to.row]).toEqual([[100, 101, 2], 100])
  selection.look({ t0: 400_000, t1: 401_000 }) // beyond the 200 that came
  await vi.advanceTimersByTimeAsync(1000)
  expect([ends(), selection.near[0]?.to.row]).toEqual([[400, 401, 2], 400])
  expect([asked, paint.mock.calls.length]).toEqual([['null null', '400000 401000'], 1])
  selection.look({ t0: 400_100, t1: 400_900 })
  await vi.advanceTimersByTimeAsync(1000)
  expect([ends()[0], asked.length]).toEqual([400, 2]) // that is known by now
  selection.look({ t0: 0, t1: 1_000_000 }) // all: more than the server tells at once
  await vi.advanceTimersByTimeAsync(1000)
  expect([ends(), selection.arrows.at(-1)?.to.row]).toEqual([[10, 19, MOST_ARROWS], 508])
  selection.look({ t0: 200_000, t1: 210_000 }) // of which some are not known
  await vi.advanceTimersByTimeAsync(1000)
  expect([ends(), asked.length]).toEqual([[200, 201, 11], 4])
  vi.useRealTimers()
})

test('an operator leads back to the one of its backward operators that one came from', async () => {
  server({
    1: timelineEvent(1, { backward: [eventRef(5), eventRef(6)] }),
    6: timelineEvent(6, { forward: [eventRef(1)] }),
  })
  const selection = new Selection(PROFILE)
  await selection.follow(6, () => undefined)
  await selection.follow(1, () => undefined)
  expect([selection.along(1)?.row, selection.arrows.map(({ to }) => to.row)]).toEqual([6, [6, 5]])
})

test('more of what a launch started is asked for from where the list ends', async () => {
  const launch = timelineEvent(1, { launched: [eventRef(7), eventRef(8)], n_launched: 3 })
  vi.stubGlobal('fetch', (address: string) => {
    const from = Number(new URL(address).searchParams.get('launched_from') ?? 0)
    const launched = [...launch.launched, eventRef(9)].slice(from, from + 2)
    return Promise.resolve(new Response(JSON.stringify({ ...launch, launched })))
  })
  const selection = new Selection(PROFILE)
  await selection.follow(1, () => undefined)
  await selection.more()
  expect(selection.event.value?.launched.map(({ row }) => row)).toEqual([7, 8, 9])
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
