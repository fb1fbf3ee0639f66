/**
 * What a report says of an area: sums over the finest picture that shows all of it. What is merged there is a row of its own, whose
 * time is known and whose names are not.
 */
import type { Query } from '../../../data/request'
import type { Blocks } from '../../../draw/blocks/blocks'
import type { AreaDevice, AreaName, TimelineArea, TrackEvent, TrackRow } from '../../../wire/wire'
import type { Inside } from './inside_words'
import { ownTimes } from './own_times'
import type { Timed } from './own_times'
import { lanesOf, lengthOf } from './pictured'
import type { Drawn } from './pictured'

/** As the server has it: names of what runs, waits of a stream, and the profiler's own span have no time of their own. */
const NO_WORK = ['sync', 'other']

/** An event, or several that are merged. */
interface Shown extends Timed {
  readonly event: TrackEvent
  readonly count: number
  readonly works: boolean
}

export function areaInside({ pictures, tracks }: Drawn, query: Query): TimelineArea & Inside {
  const [t0, t1] = [Number(query['t0_ns']), Number(query['t1_ns'])]
  const ids = new Set(String(query['tracks']).split(',').map(Number))
  const group_by = query['group_by'] === 'category' ? 'category' : 'name'
  const [from, to] = [Math.max(t0, tracks.start_ns), Math.min(t1, tracks.end_ns)]
  const [picture] = pictures.filter((each) => each.t0 <= from && each.t1 >= to).sort((a, b) => a.bucketNs - b.bucketNs)
  const shown = tracks.tracks.map((track) => ({
    track,
    all: picture === undefined ? [] : shownOn(track, picture, tracks.paints, t0, t1),
  }))
  const drawn = shown.filter(({ track }) => ids.has(track.id))
  const sums = new Map<string, Sum>()
  const ofTracks = drawn.map(({ track, all }) => {
    const own = ownOf(all)
    all.forEach((each, nth) => add(sums, track, each, own[nth] as number, group_by))
    const self_ns = wholeSum(own, t1 - t0)
    const count = all.reduce((sum, each) => sum + each.count, 0)
    const { id, name, device } = track
    return { id, name, count, self_ns, idle_ns: t1 - t0 - Math.round(self_ns), device }
  })
  const sideNs = (onDevice: boolean): number =>
    ofTracks.reduce((sum, { device, self_ns }) => sum + ((device !== null) === onDevice ? self_ns : 0), 0)
  const [host_self_ns, device_self_ns] = [sideNs(false), sideNs(true)]
  const rows = [...sums.values()].map((sum): AreaName => {
    const { name, kind, on_device, count, works, longest } = sum
    const [time_ns, self_ns] = [Math.round(sum.time_ns), Math.round(sum.self_ns)]
    const all_ns = on_device ? device_self_ns : host_self_ns
    return {
      ...{ name, kind, on_device, count, time_ns, mean_ns: time_ns / count, longest },
      ...{ self_ns: works ? self_ns : null, share: works && all_ns > 0 ? self_ns / all_ns : null },
    }
  })
  const counts = drawn.flatMap(({ all }) => all.map(({ count }) => count))
  // A device is busy with its other streams too.
  const is_about = shown.some(
    ({ track: { id, device }, all }) => (ids.has(id) || device !== null) && all.some(({ count }) => count > 1),
  )
  return {
    ...{ t0_ns: t0, t1_ns: t1, group_by, then_by: null, n_names: rows.length, rows, host_self_ns, device_self_ns },
    devices: devicesOf(shown, ids, t1 - t0),
    tracks: ofTracks.filter(({ count }) => count > 0),
    count: counts.reduce((sum, n) => sum + n, 0),
    n_inside: counts.filter((n) => n === 1).length,
    n_all: counts.reduce((sum, n) => sum + n, 0),
    is_about,
  }
}

/** Parts of what is merged are no whole nanoseconds, and their sum is longer than its stretch by what floats round off. Less than
    one is not none. */
function wholeSum(own: readonly number[], most: number): number {
  const sum = own.reduce((sum, ns) => sum + ns, 0)
  return sum < 0.5 ? sum : Math.min(Math.round(sum), most)
}

/** In the order of beginning, with the part inside [t0, t1). */
function shownOn(track: TrackRow, blocks: Blocks, paints: readonly string[], t0: number, t1: number): readonly Shown[] {
  const found: Shown[] = []
  for (const [id, lane, inAll] of lanesOf(blocks)) {
    if (id !== track.id) continue
    const isLabel = track.device !== null && partOf(track, lane) === 'annotation'
    let before = -Infinity
    for (let at = blocks.laneFirst[inAll] as number; at < (blocks.laneFirst[inAll + 1] as number); at++) {
      const count = blocks.count[at] as number
      const length = lengthOf(blocks, at)
      // A beginning is rounded down: what is in one lane does not overlap.
      const start = Math.max(blocks.t0 + (blocks.start[at] as number) * blocks.unitNs, before)
      const end = count === 1 ? start + length : Math.max(start, blocks.t0 + (blocks.end[at] as number) * blocks.unitNs)
      before = end
      if (start >= t1 || (end <= t0 && start !== t0)) continue
      const kind = paints[blocks.paint[at] as number] ?? ''
      const name = blocks.names[blocks.nameId[at] as number] ?? ''
      found.push({
        event: { row: blocks.row[at] as number, name, track: id, lane, kind, start_ns: start, duration_ns: length },
        ...{ from: Math.max(start, t0), to: Math.min(end, t1), count },
        part: count === 1 ? 1 : (blocks.fill[at] as number) / 255,
        works: !isLabel && !NO_WORK.includes(kind),
      })
    }
  }
  return found.sort((a, b) => a.from - b.from || a.event.lane - b.event.lane)
}

function partOf({ parts }: TrackRow, lane: number): string | undefined {
  let end = 0
  return parts.find(({ lanes }) => lane < (end += lanes))?.kind
}

/** What does not work has none. */
function ownOf(all: readonly Shown[]): readonly number[] {
  return ownTimes(all.map((each) => (each.works ? each : { ...each, part: 0 })))
}

interface Sum extends Pick<AreaName, 'name' | 'kind' | 'on_device' | 'longest'> {
  count: number
  time_ns: number
  self_ns: number
  works: boolean
  /** By track, until when it was counted: an instant counts once. */
  readonly until: Map<number, number>
}

function add(
  sums: Map<string, Sum>,
  { device }: TrackRow,
  each: Shown,
  own: number,
  group_by: 'name' | 'category',
): void {
  const { event, from, to, part } = each
  const isMerged = each.count > 1
  const kind = isMerged ? 'merged' : event.kind
  const name = isMerged ? MERGED : group_by === 'name' ? event.name : event.kind
  const on_device = device !== null
  const key = JSON.stringify([on_device, kind, name])
  const sum = sums.get(key) ?? {
    ...{ name, kind: group_by === 'name' && !isMerged ? kind : null, on_device, longest: event },
    ...{ count: 0, time_ns: 0, self_ns: 0, works: false, until: new Map<number, number>() },
  }
  const first = Math.max(from, sum.until.get(event.track) ?? -Infinity)
  sum.time_ns += Math.max(0, to - first) * part
  sum.until.set(event.track, Math.max(first, to))
  sum.count += each.count
  sum.self_ns += own
  sum.works ||= each.works
  sums.set(key, event.duration_ns > sum.longest.duration_ns ? { ...sum, longest: event } : sum)
}

export const MERGED = 'merged with their neighbours'

/** As the server has it: busy with what runs on any stream of the device, drawn over or not. */
function devicesOf(
  shown: readonly { readonly track: TrackRow; readonly all: readonly Shown[] }[],
  ids: ReadonlySet<number>,
  lengthNs: number,
): readonly AreaDevice[] {
  const working = shown.filter(
    ({ track: { device, parts } }) => device !== null && parts.some(({ kind }) => kind === 'work'),
  )
  const busyNs = (of: typeof working): number =>
    wholeSum(ownOf(of.flatMap(({ all }) => all).sort((a, b) => a.from - b.from)), lengthNs)
  return [...new Set(working.map(({ track }) => track.device as number))]
    .sort((a, b) => a - b)
    .flatMap((device) => {
      const streams = working.filter(({ track }) => track.device === device)
      const drawn = streams.filter(({ track }) => ids.has(track.id))
      if (drawn.length === 0) return []
      const busy_ns = busyNs(streams)
      return [
        {
          ...{ device, busy_ns, gaps_ns: lengthNs - Math.round(busy_ns), n_streams: streams.length },
          ...{ area_streams: drawn.map(({ track }) => track.name), area_busy_ns: busyNs(drawn) },
        },
      ]
    })
}
