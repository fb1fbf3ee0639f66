/** The event that the link names: asked for, with the arrows to what it started and what started it. */
import { signal } from '@preact/signals'

import { ask } from '../../../data/ask'
import { ApiError } from '../../../data/request'
import type { Arrow } from '../../../draw/paint/paint_overlay'
import type { Filters } from '../../../state/filters'
import type { Profile } from '../../../wire/profile'
import type { TimelineEvent, TrackEvent } from '../../../wire/wire'

const MOST_ARROWS = 60 // beyond, arrows are a black cloud; the list in the details has them all

export class Selection {
  readonly event = signal<TimelineEvent | undefined>(undefined)
  /** Why the link's event is not here. */
  readonly problem = signal<string | undefined>(undefined)
  private paths: readonly Arrow[] = []
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

  get arrows(): readonly Arrow[] {
    return this.paths
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
    this.event.value = event
    this.paths = event === undefined ? [] : arrowsOf(event)
    came(event)
  }

  /** Along an arrow: from a launch to what it started, from a kernel to what started it. */
  along(direction: 1 | -1): TrackEvent | undefined {
    const event = this.event.value
    if (event === undefined) return undefined
    if (direction > 0) return event.launched[0] ?? event.backward[0]
    return event.launch ?? event.owner ?? event.forward[0]
  }

  /** Any event; what is not here is told as a problem. */
  async ask(row: number, stop = new AbortController().signal): Promise<TimelineEvent | undefined> {
    try {
      return await ask('view/timeline/event', this.profile, IS_REPORT ? { row } : { row, ...this.filters }, {
        signal: stop,
      })
    } catch (error) {
      if (!stop.aborted && error instanceof ApiError) this.problem.value = error.message
      return undefined
    }
  }
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
