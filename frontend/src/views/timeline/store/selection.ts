/** The event that the link names: asked for, with the arrows to what it started and what started it, and the one that led to it. */
import { signal } from '@preact/signals'

import { ask } from '../../../data/ask'
import type { Params } from '../../../data/ask'
import { ApiError } from '../../../data/request'
import type { Viewport } from '../../../draw/time/viewport'
import type { Filters } from '../../../state/filters'
import type { Profile } from '../../../wire/profile'
import type { TimelineEvent, TrackEvent } from '../../../wire/wire'
import type { Away } from './out_of_sight'

export const MOST_ARROWS = 60 // beyond, arrows are a black cloud; the lists in the details say how many there are

const ASK_AFTER_MS = 150 // for what is started in a window that stands still

const MOST_NEAR = 2 // of what is out of sight: more names would hide what they are about

/** Between the selected event and what started it, or what it started. */
export interface EventArrow {
  readonly from: TrackEvent
  readonly to: TrackEvent
}

export class Selection {
  readonly event = signal<TimelineEvent | undefined>(undefined)
  /** Why the link's event is not here. */
  readonly problem = signal<string | undefined>(undefined)
  /** Of what it started, or is the forward of, the one that was selected before it: a graph launches thousands. */
  origin: TimelineEvent | undefined
  /** What the edges of the canvas name: the other ends of its arrows that are out of sight. */
  readonly away = signal<readonly Away[]>([])
  private paths: readonly EventArrow[] = []
  private nearest: readonly EventArrow[] = []
  private row: number | undefined
  private asked = new AbortController()
  /** Of what it started, and over which time that is all. */
  private known: readonly TrackEvent[] = []
  private whole: Stretch = [0, 0]
  private seenAt: Stretch = [-Infinity, Infinity]
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly profile: Profile,
    /** What the events before and after it are of. */
    private readonly filters: Filters = {},
    private readonly paint: () => void = () => undefined,
  ) {}

  stop(): void {
    clearTimeout(this.timer)
    this.asked.abort()
  }

  get arrows(): readonly EventArrow[] {
    return this.paths
  }

  /** The one that led here, then those to what is next to it in time. */
  get near(): readonly EventArrow[] {
    return this.nearest
  }

  /** What the last frame had no room for: told where that has changed. */
  seen(away: readonly Away[]): void {
    if (JSON.stringify(away) !== JSON.stringify(this.away.peek())) this.away.value = away
  }

  /** What the link says. `came` is called when another event is there, or none. */
  async follow(row: number | undefined, came: (event: TimelineEvent | undefined) => void): Promise<void> {
    if (row === this.row) return
    this.row = row
    this.asked.abort()
    this.asked = new AbortController()
    const { signal: stop } = this.asked
    this.problem.value = undefined
    const event = row === undefined ? undefined : await this.ask(row, stop)
    if (stop.aborted) return
    const before = this.event.value
    const isOrigin = [before?.launch, before?.owner, before?.forward[0]].some((each) => each?.row === event?.row)
    this.origin = event !== undefined && isOrigin ? before : undefined
    this.event.value = event
    this.known = event?.launched ?? []
    this.whole = [-Infinity, this.known.length < (event?.n_launched ?? 0) ? lastStart(this.known) : Infinity]
    this.point()
    this.fillSoon()
    came(event)
  }

  /** Arrows are to what is seen first. Of thousands that it started those in a window that stands still are asked for. */
  look({ t0, t1 }: Pick<Viewport, 't0' | 't1'>): void {
    if (t0 === this.seenAt[0] && t1 === this.seenAt[1]) return
    this.seenAt = [t0, t1]
    this.point()
    this.fillSoon()
  }

  private fillSoon(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.fill(), ASK_AFTER_MS)
  }

  private async fill(): Promise<void> {
    const { value: event } = this.event
    const [t0, t1] = this.seenAt
    if (IS_REPORT || event === undefined || (t0 >= this.whole[0] && t1 <= this.whole[1])) return
    const { signal: stop } = this.asked
    const found = await this.ask(event.row, stop, { launched_at_ns: Math.floor(t0), launched_to_ns: Math.ceil(t1) })
    if (stop.aborted || found === undefined) return
    this.known = found.launched
    this.whole = this.known.length > MOST_ARROWS ? NONE : [t0, t1] // many may be some of more
    this.point()
    this.paint()
  }

  private point(): void {
    const { value: event } = this.event
    const isSeen = isSeenIn(this.seenAt)
    this.paths = event === undefined ? [] : arrowsOf({ ...event, launched: this.known }, this.origin, isSeen)
    const length = ({ from, to }: EventArrow): number =>
      this.origin && [from.row, to.row].includes(this.origin.row) ? -1 : Math.abs(to.start_ns - from.start_ns)
    const isAway = ({ from, to }: EventArrow): number => Number(!isSeen(from) && !isSeen(to))
    this.nearest = [...this.paths].sort((a, b) => isAway(a) - isAway(b) || length(a) - length(b)).slice(0, MOST_NEAR)
  }

  /** The next of what it started, where that is more than comes at once. */
  async more(): Promise<void> {
    const { value: event } = this.event
    if (event === undefined) return
    const { signal: stop } = this.asked
    const rest = await this.ask(event.row, stop, { launched_from: event.launched.length })
    if (!stop.aborted && rest) this.event.value = { ...event, launched: [...event.launched, ...rest.launched] }
  }

  /** Along an arrow: from a launch to what it started, from a kernel to what started it. */
  along(direction: 1 | -1): TrackEvent | undefined {
    const event = this.event.value
    if (event === undefined) return undefined
    if (direction > 0) return this.origin ?? event.launched[0] ?? event.backward[0]
    return event.launch ?? event.owner ?? event.forward[0]
  }

  /** Any event; what is not here is told as a problem. */
  async ask(
    row: number,
    stop = new AbortController().signal,
    from: Pick<Params<'view/timeline/event'>, 'launched_from' | 'launched_at_ns' | 'launched_to_ns'> = {},
  ): Promise<TimelineEvent | undefined> {
    const asked = IS_REPORT ? { row } : { row, ...from, ...this.filters }
    try {
      return await ask('view/timeline/event', this.profile, asked, { signal: stop })
    } catch (error) {
      if (!stop.aborted && error instanceof ApiError) this.problem.value = error.message
      return undefined
    }
  }
}

type Stretch = readonly [t0: number, t1: number]

const NONE: Stretch = [Infinity, -Infinity]

function isSeenIn([t0, t1]: Stretch): (event: TrackEvent) => boolean {
  return ({ start_ns, duration_ns }) => start_ns <= t1 && start_ns + duration_ns >= t0
}

function lastStart(events: readonly TrackEvent[]): number {
  return events.at(-1)?.start_ns ?? Infinity
}

type IsSeen = ReturnType<typeof isSeenIn>

function arrowsOf(event: TimelineEvent, origin: TimelineEvent | undefined, isSeen: IsSeen): readonly EventArrow[] {
  const from = event.launch ?? event.owner
  const isBackward = origin?.forward[0]?.row === event.row
  // Many that only cross the picture, from one that is not there either, would be a band over it.
  const drawn = (all: readonly TrackEvent[], first?: TrackEvent): readonly TrackEvent[] =>
    chosen(all, isSeen, isSeen(event), first)
  return [
    ...(from === null ? [] : [{ from, to: event }]),
    ...drawn(event.launched, isBackward ? undefined : origin).map((to) => ({ from: event, to })),
    ...drawn(event.forward).map((each) => ({ from: each, to: event })),
    ...drawn(event.backward, isBackward ? origin : undefined).map((to) => ({ from: event, to })),
  ]
}

/** Whatever is cut, the one that one came from has its arrow; those in sight are spread over all that are. */
function chosen(
  events: readonly TrackEvent[],
  isSeen: IsSeen,
  isWhole: boolean,
  origin?: TrackEvent,
): readonly TrackEvent[] {
  const others = events.filter(({ row }) => row !== origin?.row)
  const first = origin === undefined ? [] : [origin]
  const seen = spread(others.filter(isSeen), MOST_ARROWS - first.length)
  const rest = isWhole || events.length <= MOST_ARROWS ? others.filter((each) => !isSeen(each)) : []
  return [...first, ...seen, ...rest].slice(0, MOST_ARROWS)
}

/** The first and the last of them, and as many between. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  return Array.from({ length: most }, (_, nth) => all[Math.round((nth * (all.length - 1)) / (most - 1))] as T)
}
