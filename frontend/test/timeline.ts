/** A small timeline: two tracks of a host, one of a device, and the profiler's own marks. */
import type { Arrangement } from '../src/draw/blocks/lane_layout'
import type { TrackEvent, TimelineEvent, TimelineTracks, TrackRow } from '../src/wire/wire'

/** Nothing folded, off, pinned or hidden but the stacks of Python. */
export const PLAIN: Arrangement = {
  folded: new Set(),
  off: new Set(),
  python: new Set(),
  stacks: new Set(),
  pinned: [],
  order: [],
  heights: new Map(),
  hidden: new Set(),
}

function track(id: number, group: number): TrackRow {
  const about = { device: null, stream: null, thread: null, marks: false, n_events: 1 }
  return { id, group, name: `track ${id}`, lanes: 2, parts: [{ kind: 'operator', lanes: 2 }], ...about }
}

export const TRACKS: TimelineTracks = {
  start_ns: 0,
  end_ns: 1_000_000,
  base_ns: 0,
  n_events: 4,
  groups: [
    { name: 'host', device: null },
    { name: 'device 0', device: 0 },
    { name: 'profiler', device: null },
  ],
  tracks: [track(4, 0), track(5, 0), track(7, 1), track(9, 2)],
  steps: [],
  kinds: [],
  paints: [],
  n_of_paint: [],
  density: [],
}

export function eventRef(row: number, trackId = 4): TrackEvent {
  return { row, name: `e${row}`, kind: 'operator', track: trackId, lane: 0, start_ns: row * 1000, duration_ns: 500 }
}

export function timelineEvent(row: number, links: Partial<TimelineEvent> = {}): TimelineEvent {
  return {
    ...eventRef(row),
    category: '',
    track_name: 'track 4',
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
    ...links,
  }
}
