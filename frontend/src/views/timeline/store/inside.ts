/**
 * What a report answers of its timeline beside what was asked beforehand: a search, and the sums of an area, over the events that its
 * pictures show one by one. Those that are merged there are counted, and said to be missing.
 */
import type { Carried } from '../../../data/carried'
import type { Query } from '../../../data/request'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import type { Blocks } from '../../../draw/blocks/blocks'
import type { AreaName, TimelineArea, TimelineSearch, TimelineTracks } from '../../../wire/wire'
import type { Inside } from './inside_words'
import { patternOf } from './pattern'
import { detailsOf, lanesOf, pictured } from './pictured'
import type { Pictured } from './pictured'

const N_PARTS = 512 // of the strip above the tracks, as the server has them

export interface Drawn {
  readonly tracks: TimelineTracks
  readonly pictures: readonly Blocks[]
  readonly events: readonly Pictured[]
}

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

export function searchInside({ events, tracks }: Drawn, query: Query): TimelineSearch & Inside {
  const { start_ns: start, end_ns: end, n_events: n_all } = tracks
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

export function areaInside({ events, pictures, tracks }: Drawn, query: Query): TimelineArea & Inside {
  const [t0, t1] = [Number(query['t0_ns']), Number(query['t1_ns'])]
  const ids = new Set(String(query['tracks']).split(',').map(Number))
  const group_by = query['group_by'] === 'category' ? 'category' : 'name'
  const inside = events.filter(
    (each) => ids.has(each.track) && each.start_ns < t1 && (endOf(each) > t0 || each.start_ns === t0),
  )
  const devices = new Set(tracks.tracks.flatMap(({ id, device }) => (device === null ? [] : [id])))
  const groups = new Map<string, Pictured[]>()
  for (const each of inside) {
    const key = JSON.stringify([devices.has(each.track), each.kind, group_by === 'name' && each.name])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  const lengthIn = (each: Pictured): number => Math.min(endOf(each), t1) - Math.max(each.start_ns, t0)
  const rows = [...groups.values()].map((all): AreaName => {
    const longest = all.reduce((a, b) => (lengthIn(b) > lengthIn(a) ? b : a))
    const time_ns = covered(all, t0, t1)
    return {
      ...{ name: longest[group_by === 'name' ? 'name' : 'kind'], kind: group_by === 'name' ? longest.kind : null },
      ...{ on_device: devices.has(longest.track), count: all.length, time_ns, mean_ns: time_ns / all.length },
      ...{ self_ns: null, share: null, longest }, // what is nested may be merged
    }
  })
  return {
    ...{ t0_ns: t0, t1_ns: t1, group_by, then_by: null, n_names: rows.length, rows, devices: [], tracks: [] },
    ...{ count: inside.length, host_self_ns: 0, device_self_ns: 0 },
    ...{ n_inside: inside.length, n_all: Math.max(inside.length, allIn(pictures, ids, t0, t1)) },
  }
}

/** All events in the area: no picture that shows it whole leaves one out. Of a block that an edge cuts, all that are merged in it. */
function allIn(pictures: readonly Blocks[], ids: ReadonlySet<number>, t0: number, t1: number): number {
  const [blocks] = pictures.filter((each) => each.t0 <= t0 && each.t1 >= t1).sort((a, b) => a.bucketNs - b.bucketNs)
  if (blocks === undefined) return 0
  let n = 0
  for (const [track, , lane] of lanesOf(blocks))
    for (
      let at = blocks.laneFirst[lane] as number;
      ids.has(track) && at < (blocks.laneFirst[lane + 1] as number);
      at++
    ) {
      const [from, to] = [blocks.start, blocks.end].map((of) => blocks.t0 + (of[at] as number) * blocks.unitNs)
      if ((from as number) < t1 && (to as number) > t0) n += blocks.count[at] as number
    }
  return n
}

/** Time with one of them, track by track: one inside another adds none. They are in order of time. */
function covered(events: readonly Pictured[], t0 = -Infinity, t1 = Infinity): number {
  const ends = new Map<number, number>()
  let sum = 0
  for (const event of events) {
    const from = Math.max(event.start_ns, t0, ends.get(event.track) ?? -Infinity)
    const to = Math.min(endOf(event), t1)
    if (to <= from) continue
    sum += to - from
    ends.set(event.track, to)
  }
  return sum
}

function endOf({ start_ns, duration_ns }: Pictured): number {
  return start_ns + duration_ns
}
