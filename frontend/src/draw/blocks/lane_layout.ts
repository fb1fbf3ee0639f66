/** Where groups, tracks and lanes lie, from top to bottom, in CSS pixels. Made anew when something folds, never while panning.

    pinned tracks            stay where they are, `pinnedPx` high; those that have no room, and all after them, scroll
    group, its tracks        scroll below them; of a group without any a line says why
      annotations            a track's parts, each some lanes; what is off or folded has none or low ones
      operators
      runtime
      Python                 folded into one row, until it is opened
      marks
*/

export const LANE_PX = 18
const MARK_PX = 8
const GROUP_PX = 24
const NOTE_PX = 22
const GAP_PX = 10
const ABOVE_PX = 3 // of the gap
const FOLDED_PX = 18

export interface TrackShape {
  readonly id: number
  readonly group: number
  readonly lanes: number
  /** Their lanes are all of the track's, from the top. */
  readonly parts: readonly { readonly kind: string; readonly lanes: number }[]
  readonly marks: boolean
}

/** How the tracks are to be shown. */
export interface Arrangement {
  /** `g0` for groups, `t5` for tracks whose lanes are made flat. */
  readonly folded: ReadonlySet<string>
  /** Kinds of parts that are left out. */
  readonly off: ReadonlySet<string>
  /** Tracks whose Python frames have rows of their own. */
  readonly python: ReadonlySet<number>
  /** Of those the tracks where frames that cover the window keep their rows. */
  readonly stacks: ReadonlySet<number>
  readonly pinned: readonly number[]
  /** `g0` for groups, `5` for tracks: what was moved, and all beside it, in the order wanted. */
  readonly order: readonly string[]
  /** Of tracks that were resized: px a lane. */
  readonly heights: ReadonlyMap<number, number>
  readonly hidden: ReadonlySet<number>
}

export interface PartPlace {
  readonly kind: string
  /** Of the track's lanes, and how many. */
  readonly first: number
  readonly lanes: number
  readonly top: number
  readonly lanePx: number
  /** So many of the first lanes lie in one row, of which the last is seen. */
  readonly covered: number
  readonly isFolded: boolean
}

export interface TrackPlace {
  readonly id: number
  /** In the list the layout was made of. */
  readonly index: number
  readonly top: number
  readonly height: number
  /** Slice lanes; the lane of marks, if any, comes after them. */
  readonly lanes: number
  /** Those that are shown. */
  readonly parts: readonly PartPlace[]
  readonly marks: boolean
  readonly marksTop: number
  readonly isFolded: boolean
  /** And has room: it does not scroll. */
  readonly isPinned: boolean
}

export interface GroupPlace {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly isFolded: boolean
  /** Below it, for why none of its tracks is there: it is not folded, and not all are pinned. */
  readonly notePx: number
}

export interface LaneLayout {
  readonly height: number
  /** Of the pinned tracks that do not scroll. */
  readonly pinnedPx: number
  readonly groups: readonly GroupPlace[]
  /** In order from the top; those of folded groups, and hidden ones, are left out. */
  readonly tracks: readonly TrackPlace[]
}

/** `covered` says of how many Python frames, the outermost ones, each covers all that is seen of its track. */
export function layOut(
  tracks: readonly TrackShape[],
  arrangement: Arrangement,
  covered: ReadonlyMap<number, number> = new Map(),
  mostPinnedPx = Infinity,
): LaneLayout {
  const { folded, pinned, hidden, order } = arrangement
  const groups: GroupPlace[] = []
  const places: TrackPlace[] = []
  let top = 0
  let pinnedPx = 0
  const add = (track: TrackShape, index: number): void => {
    const place = placed(track, index, top, arrangement, covered.get(track.id) ?? 0)
    if (place === undefined) return
    const isPinned = pinned.includes(track.id) && pinnedPx === top && top + place.height <= mostPinnedPx
    places.push({ ...place, isPinned })
    top += place.height
    if (isPinned) pinnedPx = top
  }
  for (const id of pinned) {
    const index = tracks.findIndex((track) => track.id === id)
    if (index >= 0) add(tracks[index] as TrackShape, index)
  }
  const mineOf = new Map<number, number[]>() // what of a group is not pinned
  for (const index of inOrder(tracks, order)) {
    const { id, group } = tracks[index] as TrackShape
    if (!mineOf.has(group)) mineOf.set(group, [])
    if (!pinned.includes(id)) mineOf.get(group)?.push(index)
  }
  for (const [group, indices] of mineOf) {
    const place = { index: group, top, height: GROUP_PX, isFolded: folded.has(`g${group}`) }
    top += GROUP_PX
    const mine = place.isFolded ? [] : indices
    for (const index of mine) if (!hidden.has(tracks[index]?.id ?? -1)) add(tracks[index] as TrackShape, index)
    const notePx = mine.length > 0 && top === place.top + GROUP_PX ? NOTE_PX : 0
    groups.push({ ...place, notePx })
    top += notePx
  }
  return { height: top, pinnedPx, groups, tracks: places }
}

/** Places of the tracks from the top: group after group, and what was moved where it was put. */
export function inOrder(tracks: readonly TrackShape[], order: readonly string[]): readonly number[] {
  const wanted = new Map(order.map((key, place) => [key, place]))
  const rank = (key: string, index: number): number => wanted.get(key) ?? order.length + index
  const ranked = tracks.map(({ id, group }, index) => ({
    index,
    group: rank(`g${group}`, group),
    own: rank(`${id}`, index),
  }))
  return ranked.sort((a, b) => a.group - b.group || a.own - b.own).map(({ index }) => index)
}

/** Undefined where nothing of the track is left to show. */
function placed(
  track: TrackShape,
  index: number,
  top: number,
  { folded, off, python, stacks, heights }: Arrangement,
  covered: number,
): Omit<TrackPlace, 'isPinned'> | undefined {
  const { id, marks } = track
  const isFolded = folded.has(`t${id}`)
  const tall = heights.get(id) ?? LANE_PX
  const shown = track.parts.filter(({ kind }) => !off.has(kind))
  const hasMarks = marks && !off.has('marks')
  if (shown.length === 0 && !hasMarks) return undefined
  const nShown = shown.reduce((sum, { lanes }) => sum + lanes, 0)
  const parts: PartPlace[] = []
  let first = 0
  let y = top + ABOVE_PX
  if (shown[0]?.kind === 'python' && !isFolded) y += LANE_PX // its own line of the list lies below the track's
  for (const { kind, lanes } of track.parts) {
    if (!off.has(kind)) {
      const isFlat = isFolded || (kind === 'python' && !python.has(id))
      const lanePx = isFlat ? Math.min(LANE_PX, FOLDED_PX / (isFolded ? nShown : lanes)) : tall
      const inOne = isFlat || kind !== 'python' || stacks.has(id) || covered < 2 ? 0 : Math.min(covered, lanes)
      parts.push({ kind, first, lanes, top: y, lanePx, covered: inOne, isFolded: isFlat })
      y += (lanes - Math.max(inOne - 1, 0)) * lanePx
    }
    first += lanes
  }
  const height = Math.max(y - top - ABOVE_PX + (hasMarks ? MARK_PX : 0), LANE_PX) + GAP_PX
  return { id, index, top, height, lanes: first, parts, marks: hasMarks, marksTop: y, isFolded }
}

/** Top of a lane; the lane after the last slice lane is the one of marks. A lane that is not shown lies where its part would. */
export function laneTop(track: TrackPlace, lane: number): number {
  if (lane >= track.lanes) return track.marksTop
  const part = partOf(track, lane)
  return part === undefined
    ? track.top
    : part.top + Math.max(lane - part.first - Math.max(part.covered - 1, 0), 0) * part.lanePx
}

/** Height of a lane; 0 where it is not shown. */
export function lanePx(track: TrackPlace, lane: number): number {
  if (lane >= track.lanes) return track.marks ? MARK_PX : 0
  const part = partOf(track, lane)
  return part === undefined || lane - part.first < part.covered - 1 ? 0 : part.lanePx
}

function partOf(track: TrackPlace, lane: number): PartPlace | undefined {
  return track.parts.find(({ first, lanes }) => lane >= first && lane < first + lanes)
}

/** The lane at a height of the layout. */
export function laneAt(track: TrackPlace, y: number): number | undefined {
  for (const { first, lanes, top, lanePx: px, covered } of track.parts) {
    const under = Math.max(covered - 1, 0)
    const lane = Math.floor((y - top) / px)
    if (lane >= 0 && lane < lanes - under) return first + under + lane
  }
  return track.marks && y >= track.marksTop && y < track.marksTop + MARK_PX ? track.lanes : undefined
}

/** What is added to a height of the layout for its height on the screen. */
export function scrolled(track: TrackPlace, scrollTop: number): number {
  return track.isPinned ? 0 : -scrollTop
}

/** The track at a height of the screen: pinned ones lie over what is scrolled beneath them. */
export function trackAt({ tracks, pinnedPx }: LaneLayout, y: number, scrollTop: number): TrackPlace | undefined {
  const at = y < pinnedPx ? y : y + scrollTop
  return tracks.find((track) => track.isPinned === y < pinnedPx && at >= track.top && at < track.top + track.height)
}
