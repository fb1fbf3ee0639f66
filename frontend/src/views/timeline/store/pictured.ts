/** An event of which a report has no more than its picture: what it is called, how long it takes, where it is, and its colour. */
import type { Blocks } from '../../../draw/blocks/blocks'
import type { TimelineEvent, TimelineTracks, TrackEvent } from '../../../wire/wire'

const NOTHING_ELSE = {
  kind: '',
  category: '',
  self_ns: null,
  step: null,
  module: null,
  call_site: null,
  before: null,
  after: null,
  is_collective: false,
  collectives: [],
  args: {},
  parents: [],
  launch: null,
  owner: null,
  inputs: null,
  launched: [],
  n_launched: 0,
  after_launch_ns: null,
  forward: [],
  backward: [],
} as const

/** `kind` is its colour, in words. */
export interface Pictured extends TrackEvent {
  /** How exact its start is. */
  readonly unit_ns: number
}

/** What a report has of its timeline. */
export interface Drawn {
  readonly tracks: TimelineTracks
  readonly pictures: readonly Blocks[]
  readonly events: readonly Pictured[]
}

/** In order of time, each by the finest picture that shows it by itself: of a merged block nothing tells when its longest event begins. */
export function pictured(pictures: readonly Blocks[], paints: readonly string[]): readonly Pictured[] {
  const found = new Map<number, Pictured>()
  for (const blocks of [...pictures].sort((a, b) => a.unitNs - b.unitNs)) {
    const { t0, unitNs: unit_ns, laneFirst } = blocks
    for (const [track, lane, inAll] of lanesOf(blocks))
      for (let at = laneFirst[inAll] as number; at < (laneFirst[inAll + 1] as number); at++) {
        const row = blocks.row[at] as number
        const name = blocks.names[blocks.nameId[at] as number]
        if (blocks.count[at] !== 1 || name === undefined || found.has(row)) continue
        found.set(row, {
          ...{ row, name, track, lane, kind: paints[blocks.paint[at] as number] ?? '' },
          ...{ start_ns: t0 + (blocks.start[at] as number) * unit_ns, unit_ns },
          duration_ns: lengthOf(blocks, at),
        })
      }
  }
  return [...found.values()].sort((a, b) => a.start_ns - b.start_ns || a.row - b.row)
}

/** In ns, of the longest event. Of a long one its edges are more exact than its length, which has four digits. */
export function lengthOf({ start, end, longestNs, unitNs, count }: Blocks, at: number): number {
  const longest = longestNs[at] as number
  const drawn = ((end[at] as number) - (start[at] as number)) * unitNs
  const isWhole = count[at] === 1 && Math.abs(drawn / longest - 1) < 0.001 // not cut where the picture ends
  return isWhole && longest > unitNs * 8192 ? drawn : Math.round(longest)
}

/** Each lane: its track, its place in it, and in the picture. */
export function lanesOf({ trackLane, laneFirst }: Blocks): readonly (readonly [number, number, number])[] {
  const tracks = [...trackLane]
  return tracks.flatMap(([track, first], nth) => {
    const end = tracks[nth + 1]?.[1] ?? laneFirst.length - 1
    return Array.from({ length: end - first }, (_, lane) => [track, lane, first + lane] as const)
  })
}

export function detailsOf(event: Pictured, { tracks }: TimelineTracks): TimelineEvent {
  const track_name = tracks.find(({ id }) => id === event.track)?.name ?? ''
  return { ...event, ...NOTHING_ELSE, track_name }
}

/** Whether nothing else is known of it. */
export function isPictured({ kind }: TimelineEvent): boolean {
  return IS_REPORT && kind === ''
}
