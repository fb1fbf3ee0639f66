/** What lies where on the canvas: tracks and their folding, how far they are scrolled, and who paints them. */
import { signal } from '@preact/signals'

import { laneTop, layOut } from '../../../draw/blocks/lane_layout'
import type { LaneLayout, TrackPlace } from '../../../draw/blocks/lane_layout'
import type { EventPlace } from '../../../draw/paint/paint_overlay'
import type { TimelineTracks, TrackRow } from '../../../wire/wire'

const EDGE_PX = 8 // so near to an edge is not in sight

/** The canvases, as much of them as is needed here. */
export interface Screen {
  readonly paint: () => void
  readonly scrollTo: (top: number) => void
}

export class Picture {
  readonly layout = signal<LaneLayout>({ height: 0, groups: [], tracks: [] })
  readonly folded = signal<ReadonlySet<string>>(new Set())
  private screen: Screen | undefined
  private top = 0
  private seen = 0
  private placeOf: ReadonlyMap<number, TrackPlace> = new Map()

  constructor(private readonly tracks: TimelineTracks) {
    this.fold(undefined)
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
    this.paint()
  }

  /** The window has another size, or the details have opened: what is selected stays in sight. */
  resized(height: number, selected: EventPlace | undefined): void {
    const isLess = height < this.seen
    this.seen = height
    if (isLess && height > 0 && selected !== undefined) this.scrollIntoSight(selected)
    this.paint()
  }

  track(id: number): TrackRow | undefined {
    return this.tracks.tracks.find((track) => track.id === id)
  }

  /** The tracks that lie, or in part lie, between two heights of the canvas. */
  tracksBetween(y0: number, y1: number): readonly number[] {
    const [top, bottom] = [Math.min(y0, y1) + this.top, Math.max(y0, y1) + this.top]
    return this.layout.value.tracks.filter((t) => t.top + t.height > top && t.top <= bottom).map((t) => t.id)
  }

  trackAt(y: number): TrackPlace | undefined {
    const top = y + this.top
    return this.layout.value.tracks.find((each) => top >= each.top && top < each.top + each.height)
  }

  /** Undefined: as at first. */
  fold(wanted: ReadonlySet<string> | undefined): void {
    const folded = wanted ?? this.foldedAtFirst()
    if (this.placeOf.size > 0 && [...folded].sort().join() === [...this.folded.value].sort().join()) return
    this.folded.value = folded
    const layout = layOut(this.tracks.tracks, folded)
    this.placeOf = new Map(layout.tracks.map((track) => [track.id, track]))
    this.layout.value = layout
  }

  /** What is folded with this one the other way round. */
  toggled(key: string): ReadonlySet<string> {
    const next = new Set(this.folded.value)
    if (!next.delete(key)) next.add(key)
    return next
  }

  /** What is folded once the track is there to be seen; undefined where it is. */
  withTrack(id: number): ReadonlySet<string> | undefined {
    const group = `g${this.track(id)?.group ?? -1}`
    if (!this.folded.value.has(group)) return undefined
    return new Set([...this.folded.value].filter((key) => key !== group && key !== `t${id}`))
  }

  scrollIntoSight(event: EventPlace): void {
    const place = this.placeOf.get(event.track)
    if (place === undefined) return
    const top = laneTop(place, event.lane)
    const isInSight = top >= this.top + EDGE_PX && top + place.lanePx <= this.top + this.seen - EDGE_PX
    if (!isInSight) this.screen?.scrollTo(top - this.seen / 2)
  }

  /** The profiler's own marks say little; they stay folded until somebody looks. */
  private foldedAtFirst(): ReadonlySet<string> {
    return new Set(
      this.tracks.groups.flatMap((group, index) => (group.name === 'profiler' && index > 0 ? [`g${index}`] : [])),
    )
  }
}
