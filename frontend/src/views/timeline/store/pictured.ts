/** An event of which a report has no more than its picture: what it is called, when it runs, and where. */
import type { Blocks } from '../../../draw/blocks/blocks'
import type { TimelineEvent, TrackRow } from '../../../wire/wire'

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
  args: {},
  parents: [],
  launch: null,
  owner: null,
  inputs: null,
  launched: [],
  n_launched: 0,
  forward: [],
  backward: [],
} as const

/** The pictures that are here, the names of what they show, and the tracks. */
export interface Drawn {
  readonly loader: { readonly all: () => readonly Blocks[]; readonly names: ReadonlyMap<number, string> }
  readonly tracks: { readonly tracks: readonly TrackRow[] }
}

/** By the finest of these pictures that shows it by itself: of a merged block nothing tells when its longest event begins. */
export function pictured(row: number, { loader, tracks: { tracks } }: Drawn): TimelineEvent | undefined {
  for (const blocks of [...loader.all()].sort((a, b) => a.unitNs - b.unitNs)) {
    const at = blocks.row.findIndex((each, index) => each === row && blocks.count[index] === 1)
    const name = loader.names.get(blocks.nameId[at] ?? -1)
    if (at < 0 || name === undefined) continue
    const inAll = blocks.laneFirst.findIndex((first) => first > at) - 1
    const [track = -1, first = 0] = [...blocks.trackLane].filter(([, lane]) => lane <= inAll).at(-1) ?? []
    return {
      ...NOTHING_ELSE,
      ...{ row, name, track, track_name: tracks.find(({ id }) => id === track)?.name ?? '', lane: inAll - first },
      start_ns: blocks.t0 + (blocks.start[at] ?? 0) * blocks.unitNs,
      duration_ns: Math.round(blocks.longestNs[at] ?? 0),
    }
  }
  return undefined
}

/** Whether nothing else is known of it. */
export function isPictured({ kind }: TimelineEvent): boolean {
  return IS_REPORT && kind === ''
}
