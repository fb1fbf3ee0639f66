/** What lies where on the canvas: tracks, what of them is folded, off or pinned, how far they are scrolled, and who paints them. */
import { signal } from '@preact/signals'

import { LANE_PX, inOrder, laneTop, lanePx, layOut, scrolled, trackAt } from '../../../draw/blocks/lane_layout'
import type { Arrangement, LaneLayout, TrackPlace } from '../../../draw/blocks/lane_layout'
import type { EventPlace } from '../../../draw/paint/paint_overlay'
import type { TimelineTracks, TrackRow } from '../../../wire/wire'
import type { LinkedArrangement } from './place'

const EDGE_PX = 8 // so near to an edge is not in sight
const NAMED_PX = 800 // a step of the heights between which tracks have names
const MOST_PINNED = 2 / 3 // of the height; what scrolls has the rest

/** As at first: operators above the fold, the stacks of Python below them folded. */
const PLAIN: Arrangement = {
  folded: new Set(),
  off: new Set(),
  python: new Set(),
  stacks: new Set(),
  pinned: [],
  order: [],
  heights: new Map(),
  hidden: new Set(),
}

/** The canvases, as much of them as is needed here. */
export interface Screen {
  readonly paint: () => void
  readonly scrollTo: (top: number) => void
}

/** Where what is dragged would go. */
export interface Drop {
  /** The height of the layout between what it would lie between. */
  readonly line: number
  readonly other: string
  readonly isAfter: boolean
}

interface Beside {
  readonly key: string
  readonly top: number
  readonly bottom: number
}

export interface Named {
  readonly from: number
  readonly to: number
}

export class Picture {
  readonly layout = signal<LaneLayout>({ height: 0, pinnedPx: 0, groups: [], tracks: [] })
  readonly arrangement = signal<Arrangement>(PLAIN)
  /** Heights between which tracks have names: what is seen, and what is soon. Thousands of them cost no more than some. */
  readonly named = signal<Named>({ from: 0, to: NAMED_PX })
  private covered: ReadonlyMap<number, number> = new Map()
  private screen: Screen | undefined
  private top = 0
  private seen = 0
  private placeOf: ReadonlyMap<number, TrackPlace> = new Map()

  constructor(private readonly tracks: TimelineTracks) {
    this.arrange({ ...PLAIN, folded: undefined })
  }

  /** Whoever mounts the canvases says so; the returned function takes it back. */
  attach(screen: Screen): () => void {
    this.screen = screen
    return () => {
      if (this.screen === screen) this.screen = undefined
    }
  }

  paint(): void {
    this.screen?.paint()
  }

  /** Pixels above what is seen. */
  get scrollTop(): number {
    return this.top
  }

  /** Of what is seen, px. */
  get height(): number {
    return this.seen
  }

  get places(): ReadonlyMap<number, TrackPlace> {
    return this.placeOf
  }

  scrolled(top: number): void {
    this.top = top
    this.name()
    this.paint()
  }

  /** The window has another size, or the details have opened: what is selected stays in sight. */
  resized(height: number, selected: EventPlace | undefined): void {
    const isLess = height < this.seen
    this.seen = height
    this.name()
    if (this.arrangement.value.pinned.length > 0) this.layOut()
    if (isLess && height > 0 && selected !== undefined) this.scrollIntoSight(selected)
    this.paint()
  }

  private name(): void {
    const from = (Math.floor(this.top / NAMED_PX) - 1) * NAMED_PX
    const to = (Math.floor((this.top + this.seen) / NAMED_PX) + 2) * NAMED_PX
    const before = this.named.value
    if (from !== before.from || to !== before.to) this.named.value = { from, to }
  }

  track(id: number): TrackRow | undefined {
    return this.tracks.tracks.find((track) => track.id === id)
  }

  /** The tracks that lie, or in part lie, between two heights of the canvas. */
  tracksBetween(y0: number, y1: number): readonly number[] {
    const [low, high] = [Math.min(y0, y1), Math.max(y0, y1)]
    const { tracks, pinnedPx } = this.layout.value
    const isBetween = (track: TrackPlace): boolean => {
      const edge = track.isPinned ? 0 : pinnedPx // above it the track is not seen
      const top = track.top + scrolled(track, this.top)
      return top + track.height > Math.max(low, edge) && Math.max(top, edge) <= high
    }
    return tracks.filter(isBetween).map((track) => track.id)
  }

  trackAt(y: number): TrackPlace | undefined {
    return trackAt(this.layout.value, y, this.top)
  }

  arrange(wanted: LinkedArrangement): void {
    const next = { ...wanted, folded: wanted.folded ?? this.foldedAtFirst() }
    if (this.placeOf.size > 0 && keyOf(next) === keyOf(this.arrangement.value)) return
    this.arrangement.value = next
    this.layOut()
  }

  /** How many Python frames of a track, the outermost ones, cover all that is seen of it. */
  cover(covered: ReadonlyMap<number, number>): void {
    if ([...covered].join() === [...this.covered].join()) return
    this.covered = covered
    this.layOut()
  }

  private layOut(): void {
    const mostPinnedPx = this.seen === 0 ? Infinity : this.seen * MOST_PINNED
    const layout = layOut(this.tracks.tracks, this.arrangement.value, this.covered, mostPinnedPx)
    this.placeOf = new Map(layout.tracks.map((track) => [track.id, track]))
    this.layout.value = layout
  }

  /** What must change so that the event is there to be seen; undefined where it is. */
  revealing({ track: id, lane }: Pick<EventPlace, 'track' | 'lane'>): Partial<Arrangement> | undefined {
    const track = this.track(id)
    const { folded, off, python, stacks, pinned, hidden } = this.arrangement.value
    const part = track === undefined ? undefined : partAt(track, lane)
    const group = `g${track?.group ?? -1}`
    const found: Partial<Arrangement> = {
      ...(folded.has(group) && !pinned.includes(id) && { folded: without(without(folded, group), `t${id}`) }),
      ...(hidden.has(id) && { hidden: without(hidden, id) }),
      ...(off.has(part?.kind ?? 'marks') && { off: without(off, part?.kind ?? 'marks') }),
      ...(part?.kind === 'python' && !python.has(id) && { python: new Set([...python, id]) }),
      ...(part?.kind === 'python' &&
        lane - part.first < (this.covered.get(id) ?? 0) - 1 && { stacks: new Set([...stacks, id]) }),
    }
    return Object.keys(found).length === 0 ? undefined : found
  }

  /** What must change so that any of a track is there to be seen. */
  showing({ id, group, parts, marks }: TrackRow): Partial<Arrangement> {
    const { folded, off, pinned, hidden } = this.arrangement.value
    const kinds = [...parts.map(({ kind }) => kind), ...(marks ? ['marks'] : [])]
    return {
      ...(folded.has(`g${group}`) && !pinned.includes(id) && { folded: without(folded, `g${group}`) }),
      ...(hidden.has(id) && { hidden: without(hidden, id) }),
      ...(kinds.every((kind) => off.has(kind)) && {
        off: new Set([...off].filter((kind) => !kinds.includes(kind))),
      }),
    }
  }

  /** `5` past the next one in sight of its group, or of the pinned ones; `g0` past the next group. */
  moved(key: string, direction: 1 | -1): Partial<Arrangement> {
    const shown = this.besides(key).map((each) => each.key)
    const other = shown[shown.indexOf(key) + direction] ?? key
    return this.reordered(key, (all) => all.map((each) => (each === key ? other : each === other ? key : each)))
  }

  /** Where it would go that is let go at a height of the layout; undefined for where it is. */
  dropAt(key: string, y: number): Drop | undefined {
    const all = this.besides(key)
    const others = all.filter((each) => each.key !== key)
    const n = others.filter(({ top, bottom }) => (top + bottom) / 2 < y).length
    if (n === all.findIndex((each) => each.key === key)) return undefined
    const [above, below] = [others[n - 1], others[n]]
    return below === undefined
      ? above && { line: above.bottom, other: above.key, isAfter: true }
      : { line: below.top, other: below.key, isAfter: false }
  }

  dropped(key: string, { other, isAfter }: Drop): Partial<Arrangement> {
    return this.reordered(key, (all) =>
      all.flatMap((each) => (each === key ? [] : each !== other ? [each] : isAfter ? [other, key] : [key, other])),
    )
  }

  /** Itself and what it can be moved past: tracks in sight of its group, or pinned ones, or groups. From the top. */
  private besides(key: string): readonly Beside[] {
    const { groups, tracks, height } = this.layout.value
    if (key.startsWith('g')) {
      const bottom = (place: number): number => groups[place + 1]?.top ?? height
      return groups.map(({ index, top }, place) => ({ key: `g${index}`, top, bottom: bottom(place) }))
    }
    const { pinned } = this.arrangement.value
    const group = this.track(Number(key))?.group
    const isPinned = pinned.includes(Number(key))
    const isBeside = ({ id }: TrackPlace): boolean =>
      pinned.includes(id) === isPinned && (isPinned || this.track(id)?.group === group)
    return tracks.filter(isBeside).map(({ id, top, height: px }) => ({ key: `${id}`, top, bottom: top + px }))
  }

  /** All that it lies among, hidden ones too, in another order. */
  private reordered(key: string, change: (all: readonly string[]) => readonly string[]): Partial<Arrangement> {
    const { order, pinned } = this.arrangement.value
    if (pinned.includes(Number(key))) return { pinned: change(pinned.map(String)).map(Number) }
    const group = this.track(Number(key))?.group
    const mine = new Set<string>()
    for (const index of inOrder(this.tracks.tracks, order)) {
      const track = this.tracks.tracks[index] as TrackRow
      if (group === undefined) mine.add(`g${track.group}`)
      else if (track.group === group) mine.add(`${track.id}`)
    }
    return { order: [...order.filter((each) => !mine.has(each)), ...change([...mine])] }
  }

  /** Scrolls so that both are in sight; false where they lie too far apart. */
  scrollBothIntoSight(one: EventPlace, other: EventPlace): boolean {
    const { pinnedPx } = this.layout.value
    const heights = [one, other].flatMap((event) => {
      const place = this.placeOf.get(event.track)
      if (place === undefined || place.isPinned) return []
      const top = laneTop(place, event.lane)
      return [top - EDGE_PX, top + lanePx(place, event.lane) + EDGE_PX]
    })
    if (heights.length === 0) return true
    const [top, bottom] = [Math.min(...heights) - pinnedPx, Math.max(...heights)]
    if (bottom - top > this.seen) return false
    if (top < this.top) this.screen?.scrollTo(top)
    else if (bottom > this.top + this.seen) this.screen?.scrollTo(bottom - this.seen)
    return true
  }

  scrollIntoSight(event: EventPlace): void {
    const place = this.placeOf.get(event.track)
    if (place === undefined || place.isPinned) return
    const top = laneTop(place, event.lane)
    this.bring(top, top + lanePx(place, event.lane))
  }

  /** Its upper edge: it may be higher than the window. */
  scrollToTrack(id: number): void {
    const place = this.placeOf.get(id)
    if (place !== undefined && !place.isPinned) this.bring(place.top, place.top + Math.min(place.height, LANE_PX))
  }

  private bring(top: number, bottom: number): void {
    const { pinnedPx } = this.layout.value
    const isInSight = top >= this.top + pinnedPx + EDGE_PX && bottom <= this.top + this.seen - EDGE_PX
    if (!isInSight) this.screen?.scrollTo(top - (this.seen + pinnedPx) / 2)
  }

  /** The profiler's own marks say little; they stay folded until somebody looks. */
  private foldedAtFirst(): ReadonlySet<string> {
    return new Set(
      this.tracks.groups.flatMap((group, index) => (group.name === 'profiler' && index > 0 ? [`g${index}`] : [])),
    )
  }
}

function keyOf({ folded, off, python, stacks, pinned, hidden, order, heights }: Arrangement): string {
  const sets = [folded, off, python, stacks, hidden].map((set) => [...(set as ReadonlySet<unknown>)].sort().join())
  return [...sets, pinned.join(), order.join(), [...heights].join()].join(' ')
}

function without<T>(set: ReadonlySet<T>, gone: T): ReadonlySet<T> {
  return new Set([...set].filter((each) => each !== gone))
}

/** The part that a lane is in; undefined for the lane of marks. */
function partAt({ parts }: TrackRow, lane: number): { readonly kind: string; readonly first: number } | undefined {
  let first = 0
  for (const { kind, lanes } of parts) {
    if (lane < first + lanes) return { kind, first }
    first += lanes
  }
  return undefined
}
