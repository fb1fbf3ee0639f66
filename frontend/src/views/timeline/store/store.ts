/** What the timeline shows and what can be done with it: the window of time, the picture, the selection, and the link they follow. */
import { signal } from '@preact/signals'

import { cutLabel } from '../../../base/cut'
import { markDim } from '../../../draw/blocks/blocks'
import type { Blocks } from '../../../draw/blocks/blocks'
import type { Arrangement } from '../../../draw/blocks/lane_layout'
import { hitTest } from '../../../draw/blocks/hit'
import type { Hit } from '../../../draw/blocks/hit'
import type { EventPlace } from '../../../draw/paint/paint_overlay'
import type { Place } from '../../../state/hash'
import type { Filters } from '../../../state/filters'
import type { Profile } from '../../../wire/profile'
import type { TimelineTracks, TrackEvent, TrackRow, ValueTrack } from '../../../wire/wire'
import { coveringFrames } from './covering'
import { Hand } from './hand'
import { firstInSight } from './in_sight'
import { PAGE_LINK } from './link'
import type { Link } from './link'
import { Loader } from './loader'
import { neighbour } from './neighbour'
import { linkedWindow } from './steps_window'
import { Picture } from './picture'
import { areaChanges, arrangementChanges, heightWithin, marksChanges, readPlace, recorded, shownChanges } from './place'
import type { Area, LinkedArrangement, Mark } from './place'
import { Search } from './search'
import type { Sought } from './search'
import { Selection } from './selection'
import { snappedAt } from './snapping'
import type { Snapped } from './snapping'
import { TimeWindow } from './time_window'
import { Values, shownValues } from './values'
import { shownBelow } from './values_beside'

const MARK_CHARACTERS = 40 // of an event's name: a link has room for many marks, and the list a line for each

export class TimelineStore {
  /** By start. */
  readonly marks = signal<readonly Mark[]>([])
  readonly area = signal<Area | undefined>(undefined)
  /** The timeline below on the same axis, and of that one the one above. */
  readonly beside = signal<TimelineStore | undefined>(undefined)
  readonly above = signal<TimelineStore | undefined>(undefined)
  /** Why the picture is not whole. */
  readonly problem = signal<string | undefined>(undefined)
  readonly hand = new Hand()
  readonly window: TimeWindow
  readonly picture: Picture
  readonly selection: Selection
  readonly loader: Loader
  /** What the filters keep, where there are any: drawn over all else. */
  readonly kept: Loader | undefined
  /** What a search found, drawn over all else. */
  private found: Loader | undefined
  readonly search: Search
  readonly values: Values
  private isFresh = true
  /** Pinned until something else is selected: both ends of an arrow are in sight. */
  private lent: readonly number[] = []

  constructor(
    readonly profile: Profile,
    readonly tracks: TimelineTracks,
    readonly filters: Filters = {},
    readonly link: Link = PAGE_LINK,
    /** What of the link this profile does not have; until it is closed. */
    readonly linkProblem = signal<string | undefined>(undefined),
  ) {
    const failed = (reason: string): void => {
      this.problem.value = reason
    }
    this.picture = new Picture(tracks)
    this.window = new TimeWindow(
      tracks.start_ns,
      tracks.end_ns,
      () => {
        this.hand.stay(this.window.view)
        this.picture.paint()
      },
      () => this.cover(),
      link,
    )
    this.selection = new Selection(profile, filters, () => this.picture.paint())
    const loader = (only: Filters | Sought, names?: Map<number, string>): Loader =>
      new Loader(
        profile,
        (blocks) => this.arrived(blocks),
        failed,
        () => this.picture.paint(),
        only,
        names,
      )
    this.loader = loader({})
    this.values = new Values(profile)
    this.kept = Object.values(filters).some(Boolean) ? loader(filters, this.loader.names) : undefined
    this.search = new Search(
      profile,
      this.window.view,
      (hit) => this.visit(hit),
      (sought) => {
        this.found?.stop()
        this.found = sought && loader({ ...filters, ...sought }, this.loader.names)
        this.picture.paint()
      },
      link,
    )
  }

  stop(): void {
    const { selection, search, values, loader, kept, found, window } = this
    for (const each of [selection, search, values, loader, kept, found, window]) each?.stop()
  }

  /** Follows the link: back and forward, another view's "show in timeline". What we wrote ourselves is no news. */
  follow(place: Place): void {
    const { row, q, isRegex, arrangement, marks, ...given } = readPlace(place)
    const area = recorded(given.area, this.tracks)
    const window = given.window ?? linkedWindow(this.tracks, place, this.beside.value?.tracks)
    this.window.follow(window)
    if (marksKey(marks) !== marksKey(this.marks.value)) this.marks.value = marks
    if (areaKey(area) !== areaKey(this.area.value)) this.area.value = area
    this.lend(arrangement)
    this.dim()
    // A link to an event alone shows that event; later changes of the selection leave the window where it is.
    const isRevealing = this.isFresh && window === undefined
    this.isFresh = false
    void this.selection.follow(row, (event) => {
      if (event !== undefined && isRevealing) this.reveal(event)
      this.picture.paint()
    })
    this.search.follow(q, isRegex, row, place['timeline.seek'] !== undefined)
    this.picture.paint()
  }

  /** The selection, else all marks, as wide as the screen. */
  fit(): void {
    const event = this.selection.event.value
    if (event !== undefined) this.window.fit(event.start_ns, event.start_ns + event.duration_ns)
    else this.fitMarks(this.marks.value)
  }

  fitMarks(marks: readonly Mark[]): void {
    if (marks.length > 0)
      this.window.fit(Math.min(...marks.map(({ t0 }) => t0)), Math.max(...marks.map(({ t1 }) => t1)))
  }

  /** The mark of the selected event, if it has one. */
  get selectedMark(): Mark | undefined {
    const event = this.selection.event.value
    return this.marks.value.find(({ t0, t1 }) => t0 === event?.start_ns && t1 === endOf(event))
  }

  /** Marks the selected event's time by its name, or takes its mark away. */
  toggleMark(): void {
    const event = this.selection.event.value
    const mark = this.selectedMark
    if (mark !== undefined) this.changeMark(mark, undefined)
    else if (event !== undefined)
      this.setMarks([
        ...this.marks.value,
        {
          t0: event.start_ns,
          t1: endOf(event),
          name: cutLabel(event.name, MARK_CHARACTERS) + (this.link === PAGE_LINK ? '' : ' (below)'),
        },
      ])
  }

  /** Gives a mark another name; undefined takes it away. */
  changeMark(mark: Mark, name: string | undefined): void {
    this.setMarks(
      this.marks.value.flatMap((each) => (each !== mark ? [each] : name === undefined ? [] : [{ ...each, name }])),
    )
  }

  private setMarks(marks: readonly Mark[]): void {
    this.link.go(marksChanges([...marks].sort((a, b) => a.t0 - b.t0 || a.t1 - b.t1)))
  }

  /** The same stretch of the timeline beside, whatever was drawn there. */
  chooseArea(area: Area | undefined): void {
    this.link.go({ 'beside.area': undefined, ...areaChanges(area) })
  }

  /** From now on `other` shows what is `shift` ns later, and both move together; the returned function ends it. */
  bind(other: TimelineStore, shift: number): () => void {
    const end = this.window.bind(other.window, shift)
    this.beside.value = other
    other.above.value = this
    const paint = (): void => [this, other].forEach(({ picture }) => picture.paint())
    const ends = [this, other].map(({ values }) => values.reply.subscribe(paint)) // their scale is that of both
    return () => {
      for (const each of [end, ...ends]) each()
      this.beside.value = other.above.value = undefined
    }
  }

  /** One of what is folded, off, open, hidden: the other way round. */
  toggle(key: 'folded' | 'off' | 'python' | 'stacks' | 'hidden', value: string | number): void {
    const next = new Set<string | number>(this.picture.arrangement.value[key])
    if (!next.delete(value)) next.add(value)
    this.link.go(arrangementChanges({ [key]: next }))
  }

  /** Of kinds and colours these alone. */
  leaveOut(kinds: readonly string[]): void {
    this.link.go(arrangementChanges({ off: new Set(kinds) }))
  }

  showTracks(tracks: readonly TrackRow[]): void {
    this.link.go(shownChanges(this.picture.arrangement.value, tracks))
  }

  /** What is pinned in sight is, from then on, in the link too. */
  togglePin(track: number): void {
    const { value } = this.picture.arrangement
    const rest = value.pinned.filter((id) => id !== track)
    const pinned = rest.length < value.pinned.length ? rest : [...value.pinned, track]
    this.lent = []
    this.picture.arrange({ ...value, pinned })
    this.link.go(arrangementChanges({ pinned }))
  }

  move(key: string, direction: 1 | -1): void {
    this.link.go(arrangementChanges(this.picture.moved(key, direction)))
  }

  /** As tall as wanted, px a lane. */
  resize(track: number, px: number): void {
    const heights = new Map(this.picture.arrangement.value.heights).set(track, Math.round(heightWithin(px)))
    this.arrange({ heights })
  }

  /** In the file's order, all of one height. */
  resetTracks(): void {
    this.link.go(arrangementChanges({ order: [], heights: new Map() }))
  }

  /** A measured stretch stays as a mark without a name. */
  measured([t0, t1]: readonly [number, number]): void {
    this.setMarks([...this.marks.value, { t0, t1, name: '' }])
  }

  snapped(x: number, y: number): Snapped {
    return snappedAt(this.picture, this.loader, this.window.view, x, y)
  }

  /** The value tracks in sight, from the top. */
  get shownValues(): readonly ValueTrack[] {
    const { all } = this.values
    const { value: above } = this.above
    const usual = shownValues(all, this.link.read()['timeline.values'])
    return above === undefined ? usual : shownBelow(all, usual, above.values.all, above.shownValues)
  }

  toggleValue(id: string): void {
    const shown = this.shownValues.map((track) => track.id)
    const next = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id]
    this.link.go({ 'timeline.values': next.length === 0 ? 'none' : next.join(',') })
  }

  /** The window goes with it into the link: without one, whoever opens that is brought to the event. */
  select(row: number | undefined, lent: readonly number[] = []): void {
    this.lent = lent
    this.link.go(
      row === undefined ? { 'timeline.row': row } : { ...this.window.changes(), 'timeline.row': String(row) },
    )
  }

  /** Selects and brings into sight. */
  visit(event: TrackEvent): void {
    this.reveal(event)
    this.select(event.row)
  }

  hitAt(x: number, y: number): Hit | undefined {
    const { view } = this.window
    const { layout, scrollTop } = this.picture
    const hit = (loader: Loader): Hit | undefined =>
      hitTest((track) => loader.blocksFor(track.id, view), layout.value, view, x, y, scrollTop)
    return (this.lit && hit(this.lit)) ?? hit(this.loader)
  }

  /** What is drawn over all else. */
  get lit(): Loader | undefined {
    return this.found ?? this.kept
  }

  /** What counts: all, or what the filters keep. */
  get counted(): Loader {
    return this.kept ?? this.loader
  }

  /** The event after or before the selected one in its lane; where none is selected the first one in sight. */
  async step(direction: 1 | -1): Promise<void> {
    const event = this.selection.event.value
    if (event === undefined) {
      const row = await firstInSight(this)
      if (this.selection.event.value === undefined) this.select(row)
      return
    }
    // A report knows the events around few; of all it has the picture.
    const next = IS_REPORT
      ? neighbour(this.counted.blocksFor(event.track, this.window.view), event, direction)
      : event[direction > 0 ? 'after' : 'before']
    if (!next) return
    this.window.bring(next.start_ns, next.start_ns + next.duration_ns)
    this.select(next.row)
  }

  followArrow(direction: 1 | -1): void {
    const next = this.selection.along(direction)
    if (next !== undefined) this.visitLinked(next)
  }

  /** Selects what the selected event started, or what started it, with both in sight: the device is pinned where it must be. */
  visitLinked(event: TrackEvent): void {
    const from = this.selection.event.value
    if (from === undefined) {
      this.visit(event)
      return
    }
    this.open(event)
    if (!this.picture.scrollBothIntoSight(from, event)) {
      const device = [event, from].find(({ track }) => this.picture.track(track)?.device !== null)
      if (device !== undefined) this.lent = [device.track]
      this.lend(this.picture.arrangement.value)
      this.picture.scrollIntoSight(event)
      if (event.track === device?.track) this.picture.scrollIntoSight(from)
    }
    const ends = [from, event].map((each) => each.start_ns + each.duration_ns)
    this.window.include(Math.min(from.start_ns, event.start_ns), Math.max(...ends))
    this.select(event.row, this.lent)
  }

  private lend(wanted: LinkedArrangement): void {
    this.picture.arrange({ ...wanted, pinned: [...new Set([...wanted.pinned, ...this.lent])] })
  }

  private arrange(changes: Partial<Arrangement>): void {
    this.picture.arrange({ ...this.picture.arrangement.value, ...changes })
    this.link.adjust(arrangementChanges(changes))
  }

  private open(event: EventPlace): void {
    const changes = this.picture.revealing(event)
    if (changes !== undefined) this.arrange(changes)
  }

  private reveal(event: EventPlace): void {
    this.open(event)
    this.picture.scrollIntoSight(event)
    this.window.reveal(event.start_ns, event.start_ns + event.duration_ns)
  }

  private arrived(blocks: Blocks): void {
    markDim(blocks, this.out)
    this.problem.value = (this.loader.refused ?? this.lit?.refused)?.reason
    this.window.pictureChanged()
    this.cover()
    this.picture.paint()
  }

  /** While the window moves rows stay where they are. */
  private cover(): void {
    const { view } = this.window
    const found = this.tracks.tracks.flatMap((track) => {
      const blocks = this.loader.blocksFor(track.id, view)
      const n = blocks === undefined ? 0 : coveringFrames(track, blocks, view)
      return n > 0 ? [[track.id, n] as const] : []
    })
    this.picture.cover(new Map(found))
  }

  /** Colours that are off, as the blocks know them. */
  private get out(): ReadonlySet<number> {
    const { off } = this.picture.arrangement.value
    return new Set(this.tracks.paints.flatMap((paint, index) => (off.has(paint) ? [index] : [])))
  }

  private dim(): void {
    const { out } = this
    for (const each of [this.loader, this.kept, this.found]) each?.all().forEach((blocks) => markDim(blocks, out))
    this.picture.paint()
  }
}

/** A mark without length would not be seen. */
function endOf({ start_ns, duration_ns }: EventPlace): number {
  return start_ns + Math.max(duration_ns, 1)
}

function marksKey(marks: readonly Mark[]): string | undefined {
  return marksChanges(marks)['timeline.mark']
}

function areaKey(area: Area | undefined): string | undefined {
  return areaChanges(area)['timeline.area']
}
