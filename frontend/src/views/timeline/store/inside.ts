/**
 * What a report answers of its timeline beside what was asked beforehand: a search over the events that its pictures show one by one,
 * where those that are merged are counted, and said to be missing; areas (`inside_area.ts`).
 */
import type { Carried } from '../../../data/carried'
import type { Query } from '../../../data/request'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import type { TimelineSearch, TimelineTracks } from '../../../wire/wire'
import { areaInside } from './inside_area'
import type { Inside } from './inside_words'
import { patternOf } from './pattern'
import { detailsOf, pictured } from './pictured'
import type { Drawn, Pictured } from './pictured'

const N_PARTS = 512 // of the strip above the tracks, as the server has them

/** Nothing where it is none of these questions, or the event is not in a picture. */
export function insideAnswers({ ask, pictures }: Carried): (path: string, query: Query) => Promise<object | undefined> {
  let drawn: Promise<Drawn> | undefined
  const draw = async (): Promise<Drawn> => {
    const { result: tracks } = (await (await ask('view/timeline', {})).json()) as { readonly result: TimelineTracks }
    const all = (await pictures()).map(decodeBlocks)
    return { tracks, pictures: all, events: pictured(all, tracks.paints) }
  }
  return async (path, query) => {
    const answer = ANSWERS[path]
    return answer?.(await (drawn ??= draw()), query)
  }
}

const ANSWERS: Readonly<Record<string, (drawn: Drawn, query: Query) => object | undefined>> = {
  'view/timeline/event': ({ events, tracks }, { row }) => {
    const event = events.find((each) => each.row === Number(row))
    return event && detailsOf(event, tracks)
  },
  'view/timeline/search': searchInside,
  'view/timeline/area': areaInside,
}

export function searchInside({ events, tracks, pictures }: Drawn, query: Query): TimelineSearch & Inside {
  const { start_ns: start, end_ns: end } = tracks
  // As an area's: of what is drawn as bars. Marks without length are in no picture.
  const n_all = Math.max(...pictures.map(({ count }) => count.reduce((sum, n) => sum + n, 0)), events.length)
  const q = String(query['q'] ?? '')
  const pattern = patternOf(q, query['regex'] === true)
  const found = events.filter(({ name }) => pattern.test(name))
  const [t0, t1] = [Number(query['t0_ns'] ?? start), Number(query['t1_ns'] ?? end)]
  const isInSight = (event: Pictured): boolean => event.start_ns <= t1 && endOf(event) >= t0
  const wanted = [(event: Pictured) => isInSight(event) && event.start_ns >= t0, isInSight]
  const first = wanted.map((each) => found.findIndex(each)).find((at) => at >= 0) ?? 0
  const at = found.findIndex(({ row }) => row === query['row'])
  const limit = Number(query['limit'] ?? found.length)
  const offset = Number(query['offset'] ?? Math.floor((at < 0 ? first : at) / limit) * limit)
  const density = new Array<number>(N_PARTS).fill(0)
  for (const { start_ns } of found) {
    const part = Math.floor(((start_ns - start) * N_PARTS) / Math.max(end - start, 1))
    const at = Math.min(Math.max(part, 0), N_PARTS - 1)
    density[at] = (density[at] as number) + 1
  }
  return {
    ...{ q, offset, first, density, n_all, n_inside: events.length, place: at < 0 ? null : at, total: found.length },
    total_ns: covered(found),
    n_in_window: found.filter(isInSight).length,
    hits: found.slice(offset, offset + limit),
  }
}

/** Time with one of them, track by track: one inside another adds none. They are in order of time. */
function covered(events: readonly Pictured[]): number {
  const ends = new Map<number, number>()
  let sum = 0
  for (const event of events) {
    const from = Math.max(event.start_ns, ends.get(event.track) ?? -Infinity)
    const to = endOf(event)
    if (to <= from) continue
    sum += to - from
    ends.set(event.track, to)
  }
  return sum
}

function endOf({ start_ns, duration_ns }: Pictured): number {
  return start_ns + duration_ns
}
