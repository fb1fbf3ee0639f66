/** Where groups, tracks and lanes lie, from top to bottom, in CSS pixels. Made anew when something folds, never while panning. */

export const LANE_PX = 18
const MARK_PX = 8
const GROUP_PX = 24
const GAP_PX = 10
const ABOVE_PX = 3 // of the gap
const FOLDED_PX = 26

export interface TrackShape {
  readonly id: number
  readonly group: number
  readonly lanes: number
  readonly marks: boolean
}

export interface TrackPlace {
  readonly id: number
  /** In the list the layout was made of. */
  readonly index: number
  readonly top: number
  readonly height: number
  readonly lanePx: number
  /** Slice lanes; the lane of marks, if any, comes after them. */
  readonly lanes: number
  readonly marks: boolean
  readonly isFolded: boolean
}

export interface GroupPlace {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly isFolded: boolean
}

export interface LaneLayout {
  readonly height: number
  readonly groups: readonly GroupPlace[]
  /** In order from the top; those of folded groups are left out. */
  readonly tracks: readonly TrackPlace[]
}

/** `folded` holds `g0` for groups and `t5` for tracks. */
export function layOut(tracks: readonly TrackShape[], folded: ReadonlySet<string>): LaneLayout {
  const groups: GroupPlace[] = []
  const places: TrackPlace[] = []
  let top = 0
  let group = -1
  tracks.forEach((track, index) => {
    if (track.group !== group) {
      group = track.group
      groups.push({ index: group, top, height: GROUP_PX, isFolded: folded.has(`g${group}`) })
      top += GROUP_PX
    }
    if (folded.has(`g${group}`)) return
    const isFolded = folded.has(`t${track.id}`)
    const lanePx = isFolded ? Math.max(1, Math.min(LANE_PX, (FOLDED_PX - 8) / Math.max(track.lanes, 1))) : LANE_PX
    const height = Math.max(track.lanes * lanePx + (track.marks ? MARK_PX : 0), LANE_PX) + GAP_PX
    places.push({ id: track.id, index, top, height, lanePx, lanes: track.lanes, marks: track.marks, isFolded })
    top += height
  })
  return { height: top, groups, tracks: places }
}

/** Top and height of a lane; the lane after the last slice lane is the one of marks. */
export function laneTop(track: TrackPlace, lane: number): number {
  return track.top + ABOVE_PX + Math.min(lane, track.lanes) * track.lanePx
}

export function lanePx(track: TrackPlace, lane: number): number {
  return lane < track.lanes ? track.lanePx : MARK_PX
}

export function trackAt(layout: LaneLayout, y: number): TrackPlace | undefined {
  return layout.tracks.find((track) => y >= track.top && y < track.top + track.height)
}
