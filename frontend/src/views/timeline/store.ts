/** What the timeline shows and what can be done with it. Signals change when something is settled; a pan only paints. */
import { signal } from '@preact/signals'

import { ApiError, getJson } from '../../data/request'
import type { EventRef, TimelineEvent, TimelineTracks, TrackRow } from '../../data/wire'
import { markDim } from '../../draw/blocks'
import type { Blocks } from '../../draw/blocks'
import { hitTest } from '../../draw/hit'
import type { Hit } from '../../draw/hit'
import { laneTop, layOut } from '../../draw/lane_layout'
import type { LaneLayout, TrackPlace } from '../../draw/lane_layout'
import type { Arrow, EventPlace } from '../../draw/paint_overlay'
import { Viewport } from '../../draw/viewport'
import type { Place } from '../../state/hash'
import { adjust, go } from '../../state/place'
import type { Profile } from '../props'
import { Loader } from './loader'
import { stepsWindow } from './only_tracks'
import { areaChanges, foldedChanges, markChanges, readPlace, windowChanges } from './place'
import type { Area } from './place'
import { Search } from './search'

const SETTLED_MS = 180
const MOST_ARROWS = 60 // beyond, arrows are a black cloud; the list in the details has them all

export interface Hover {
  readonly hit: Hit
  readonly x: number
  readonly y: number
}

export class TimelineStore {
  readonly view: Viewport
  readonly layout = signal<LaneLayout>({ height: 0, groups: [], tracks: [] })
  readonly folded = signal<ReadonlySet<string>>(new Set())
  readonly selected = signal<TimelineEvent | undefined>(undefined)
  readonly hover = signal<Hover | undefined>(undefined)
  readonly mark = signal<readonly [number, number] | undefined>(undefined)
  readonly problem = signal<string | undefined>(undefined)
  readonly isBoxing = signal(false)
  readonly area = signal<Area | undefined>(undefined)
  readonly isDrawingArea = signal(false)
  /** Counts settled views and arrived data, for what is derived from the picture (table, window in words). */
  readonly settled = signal(0)

  /** Not signals: they change with every frame. */
  pointer: number | undefined
  range: readonly [number, number] | undefined
  /** An area while it is drawn. */
  draft: Area | undefined
  scrollTop = 0
  height = 0
  places: ReadonlyMap<number, TrackPlace> = new Map()
  arrows: readonly Arrow[] = []
  selectedPlace: EventPlace | undefined
  paint: () => void = () => undefined
  scrollTo: (top: number) => void = () => undefined

  readonly loader: Loader
  readonly search: Search
  private readonly stopped = new AbortController()
  private asked = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private written = ''
  private row: number | undefined
  private isFresh = true

  constructor(
    readonly profile: Profile,
    readonly tracks: TimelineTracks,
  ) {
    this.view = new Viewport(tracks.start_ns, Math.max(tracks.end_ns, tracks.start_ns + 1))
    this.loader = new Loader(
      profile,
      (blocks) => this.arrived(blocks),
      (reason) => {
        this.problem.value = reason
      },
      () => this.paint(),
    )
    this.search = new Search(
      profile,
      this.view,
      (hit) => this.visit(hit),
      (names) => this.highlight(names),
    )
    this.fold(this.foldedAtFirst())
  }

  /** Makes the component that calls it render again once the view stands still or data came. */
  followSettled(): number {
    return this.settled.value
  }

  stop(): void {
    this.stopped.abort()
    this.asked.abort()
    this.search.stop()
    this.loader.stop()
    clearTimeout(this.timer)
  }

  /** Follows the link: back and forward, another view's "show in timeline". What we wrote ourselves is no news. */
  follow(place: Place): void {
    const { row, q, isRegex, folded, mark, area, ...given } = readPlace(place)
    const window = given.window ?? stepsWindow(this.tracks.steps, place['steps'])
    const key = (window ?? []).join()
    if (key !== this.written) {
      this.written = key
      if (window === undefined) this.view.show(this.view.start, this.view.end)
      else this.view.show(...window)
    }
    this.mark.value = mark
    if (areaKey(area) !== areaKey(this.area.value)) this.area.value = area
    this.fold(folded ?? this.foldedAtFirst())
    // A link to an event alone shows that event; later changes of the selection leave the window where it is.
    if (row !== this.row) void this.load(row, this.isFresh && window === undefined)
    this.isFresh = false
    this.search.follow(q, isRegex)
    this.paint()
  }

  /** The details have opened, or the window has another size: what is selected stays in sight. */
  resized(height: number): void {
    const isLess = height < this.height
    this.height = height
    if (isLess && height > 0 && this.selectedPlace !== undefined) this.scrollIntoSight(this.selectedPlace)
    this.paint()
  }

  moved(): void {
    this.hover.value = undefined // it has moved from under the pointer
    this.paint()
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.settle(), SETTLED_MS)
  }

  show(t0: number, t1: number): void {
    this.view.show(t0, t1)
    this.moved()
  }

  showAll(): void {
    this.show(this.view.start, this.view.end)
  }

  zoom(factor: number, x = this.view.width / 2): void {
    this.view.zoom(factor, x)
    this.moved()
  }

  pan(dx: number): void {
    this.view.pan(dx)
    this.moved()
  }

  /** The selection, else the mark, as wide as the screen. */
  fit(): void {
    const event = this.selected.value
    if (event !== undefined) this.view.fit(event.start_ns, event.start_ns + event.duration_ns)
    else if (this.mark.value !== undefined) this.view.fit(...this.mark.value)
    else return
    this.moved()
  }

  toggleMark(): void {
    const event = this.selected.value
    const wanted: readonly [number, number] | undefined =
      event === undefined ? undefined : [event.start_ns, event.start_ns + Math.max(event.duration_ns, 1)]
    const same = wanted !== undefined && this.mark.value?.join() === wanted.join()
    go(markChanges(same ? undefined : wanted))
  }

  toggleFold(key: string): void {
    const next = new Set(this.folded.value)
    if (!next.delete(key)) next.add(key)
    go(foldedChanges(next))
  }

  foldAll(isFolded: boolean): void {
    const groups = this.tracks.groups.map((_, index) => `g${index}`)
    go(foldedChanges(new Set(isFolded ? groups : [])))
  }

  chooseArea(area: Area | undefined): void {
    go(areaChanges(area))
  }

  /** The tracks that lie, or in part lie, between two heights of the canvas. */
  tracksBetween(y0: number, y1: number): readonly number[] {
    const [top, bottom] = [Math.min(y0, y1) + this.scrollTop, Math.max(y0, y1) + this.scrollTop]
    return this.layout.value.tracks.filter((t) => t.top + t.height > top && t.top <= bottom).map((t) => t.id)
  }

  select(row: number | undefined): void {
    go({ 'timeline.row': row === undefined ? undefined : String(row) })
  }

  /** Selects and brings into sight. */
  visit(event: EventRef): void {
    this.reveal(event)
    this.select(event.row)
  }

  hitAt(x: number, y: number): Hit | undefined {
    const layout = this.layout.value
    const top = y + this.scrollTop
    const track = layout.tracks.find((each) => top >= each.top && top < each.top + each.height)
    if (track === undefined) return undefined
    const blocks = this.loader.blocksFor(track.id, this.view)
    return blocks === undefined ? undefined : hitTest(blocks, layout, this.view, x, top)
  }

  track(id: number): TrackRow | undefined {
    return this.tracks.tracks.find((track) => track.id === id)
  }

  /** The block after or before the selected one in its lane. */
  step(direction: 1 | -1): void {
    const event = this.selected.value
    if (event === undefined) return
    const blocks = this.loader.blocksFor(event.track, this.view)
    const lane = blocks?.trackLane.get(event.track)
    if (blocks === undefined || lane === undefined) return
    const first = blocks.laneFirst[lane + event.lane] as number
    const end = blocks.laneFirst[lane + event.lane + 1] as number
    const at = (event.start_ns - blocks.t0) / blocks.unitNs
    let next = -1
    if (direction > 0) {
      for (next = first; next < end && (blocks.start[next] as number) <= at; next++);
    } else {
      for (next = end - 1; next >= first && (blocks.start[next] as number) >= Math.floor(at); next--);
    }
    if (next < first || next >= end) return
    const start = blocks.t0 + (blocks.start[next] as number) * blocks.unitNs
    this.view.reveal(start, start + (blocks.longestNs[next] as number))
    this.moved()
    this.select(blocks.row[next])
  }

  /** Along an arrow: from a launch to what it started, from a kernel to what started it. */
  followArrow(direction: 1 | -1): void {
    const event = this.selected.value
    if (event === undefined) return
    const next =
      direction > 0
        ? (event.launched[0] ?? event.backward[0])
        : (event.launch ?? event.owner ?? event.forward[0] ?? undefined)
    if (next !== undefined) this.visit(next)
  }

  private async load(row: number | undefined, isRevealing: boolean): Promise<void> {
    this.row = row
    this.asked.abort()
    this.asked = new AbortController()
    const event =
      row === undefined ? undefined : await this.ask<TimelineEvent>('timeline/event', { row }, this.asked.signal)
    if (this.row !== row || this.stopped.signal.aborted) return
    this.selected.value = event
    this.selectedPlace = event
    this.arrows = event === undefined ? [] : arrowsOf(event)
    if (event !== undefined && isRevealing) this.reveal(event)
    this.paint()
  }

  private async ask<T>(
    path: string,
    query: Record<string, string | number>,
    stop: AbortSignal,
  ): Promise<T | undefined> {
    try {
      return await getJson<T>(path, { ...this.profile, ...query }, stop)
    } catch (error) {
      if (!stop.aborted && error instanceof ApiError) this.problem.value = error.message
      return undefined
    }
  }

  private reveal(event: EventPlace): void {
    this.view.reveal(event.start_ns, event.start_ns + event.duration_ns)
    const row = this.track(event.track)
    const hidden = [`t${event.track}`, `g${row?.group ?? -1}`].filter((key) => this.folded.value.has(key))
    if (hidden.includes(`g${row?.group ?? -1}`)) {
      const next = new Set(this.folded.value)
      for (const key of hidden) next.delete(key)
      this.fold(next)
      adjust(foldedChanges(next))
    }
    this.scrollIntoSight(event)
    this.moved()
  }

  private scrollIntoSight(event: EventPlace): void {
    const place = this.places.get(event.track)
    if (place === undefined) return
    const top = laneTop(place, event.lane)
    const isInSight = top >= this.scrollTop + 8 && top + place.lanePx <= this.scrollTop + this.height - 8
    if (!isInSight) this.scrollTo(top - this.height / 2)
  }

  private fold(folded: ReadonlySet<string>): void {
    if (this.places.size > 0 && [...folded].sort().join() === [...this.folded.value].sort().join()) return
    this.folded.value = folded
    const layout = layOut(this.tracks.tracks, folded)
    this.places = new Map(layout.tracks.map((track) => [track.id, track]))
    this.layout.value = layout
  }

  /** The profiler's own marks say little; they stay folded until somebody looks. */
  private foldedAtFirst(): ReadonlySet<string> {
    return new Set(
      this.tracks.groups.flatMap((group, index) => (group.name === 'profiler' && index > 0 ? [`g${index}`] : [])),
    )
  }

  private arrived(blocks: Blocks): void {
    markDim(blocks, this.search.names)
    this.problem.value = undefined
    this.settled.value++
    this.paint()
  }

  private highlight(names: ReadonlySet<number> | undefined): void {
    for (const blocks of this.loader.all()) markDim(blocks, names)
    this.paint()
  }

  private settle(): void {
    const { t0, t1 } = this.view
    const changes = windowChanges(t0, t1)
    this.written = `${changes['timeline.t0_ns'] ?? ''},${changes['timeline.t1_ns'] ?? ''}`
    this.settled.value++
    adjust(changes)
  }
}

function areaKey(area: Area | undefined): string | undefined {
  return areaChanges(area)['timeline.area']
}

function arrowsOf(event: TimelineEvent): readonly Arrow[] {
  const from = event.launch ?? event.owner
  return [
    ...(from === null ? [] : [{ from, to: event }]),
    ...event.launched.slice(0, MOST_ARROWS).map((to) => ({ from: event, to })),
    ...event.forward.slice(0, MOST_ARROWS).map((each) => ({ from: each, to: event })),
    ...event.backward.slice(0, MOST_ARROWS).map((to) => ({ from: event, to })),
  ]
}
