/** The event that the link names: asked for, with the arrows to what it started and what started it, and the one that led to it. */
import { signal } from '@preact/signals'

import { ask } from '../../../data/ask'
import { ApiError } from '../../../data/request'
import type { Filters } from '../../../state/filters'
import type { Profile } from '../../../wire/profile'
import type { TimelineEvent, TrackEvent } from '../../../wire/wire'
import type { Away } from './out_of_sight'

export const MOST_ARROWS = 60 // beyond, arrows are a black cloud; the lists in the details say how many there are

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

  constructor(
    private readonly profile: Profile,
    /** What the events before and after it are of. */
    private readonly filters: Filters = {},
  ) {}

  stop(): void {
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
    this.paths = event === undefined ? [] : arrowsOf(event, this.origin)
    const length = ({ from, to }: EventArrow): number =>
      this.origin && [from.row, to.row].includes(this.origin.row) ? -1 : Math.abs(to.start_ns - from.start_ns)
    this.nearest = [...this.paths].sort((a, b) => length(a) - length(b)).slice(0, MOST_NEAR)
    came(event)
  }

  /** The next of what it started, where that is more than comes at once. */
  async more(): Promise<void> {
    const { value: event } = this.event
    if (event === undefined) return
    const { signal: stop } = this.asked
    const rest = await this.ask(event.row, stop, event.launched.length)
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
  async ask(row: number, stop = new AbortController().signal, launched_from = 0): Promise<TimelineEvent | undefined> {
    const asked = IS_REPORT ? { row } : { row, ...(launched_from > 0 && { launched_from }), ...this.filters }
    try {
      return await ask('view/timeline/event', this.profile, asked, { signal: stop })
    } catch (error) {
      if (!stop.aborted && error instanceof ApiError) this.problem.value = error.message
      return undefined
    }
  }
}

function arrowsOf(event: TimelineEvent, origin: TimelineEvent | undefined): readonly EventArrow[] {
  const from = event.launch ?? event.owner
  const isBackward = origin?.forward[0]?.row === event.row
  return [
    ...(from === null ? [] : [{ from, to: event }]),
    ...drawn(event.launched, isBackward ? undefined : origin).map((to) => ({ from: event, to })),
    ...drawn(event.forward).map((each) => ({ from: each, to: event })),
    ...drawn(event.backward, isBackward ? origin : undefined).map((to) => ({ from: event, to })),
  ]
}

/** Whatever is cut, the one that one came from has its arrow. */
function drawn(events: readonly TrackEvent[], origin?: TrackEvent): readonly TrackEvent[] {
  const others = events.filter(({ row }) => row !== origin?.row)
  return [...(origin === undefined ? [] : [origin]), ...others].slice(0, MOST_ARROWS)
}
