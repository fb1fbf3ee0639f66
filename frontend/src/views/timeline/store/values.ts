/** Values over the window and half a screen on either side, in parts of a pixel or a little less. Of one zoom they are the same
    parts, whichever way one came. */
import { signal } from '@preact/signals'

import { ask } from '../../../data/ask'
import { VALUE_PX } from '../../../draw/paint/paint_values'
import type { Viewport } from '../../../draw/time/viewport'
import type { Filters } from '../../../state/filters'
import type { Profile } from '../../../wire/profile'
import type { TimelineValues, ValueTrack, ValuesParams } from '../../../wire/wire'
import type { Sought } from './search'

const MOST_PARTS = 20_000 // the server sends no more
const TRACKS_PX = 102 // below the values, whatever else is open
const MOST_SHARE = 0.24 // of the page's height; more rows than that scroll
const MOST_COUNTERS = 4 // without being asked for: those that count most
const SOME_COUNTERS = 2 // where none counts anything

export class Values {
  readonly reply = signal<TimelineValues | undefined>(undefined)
  private asked = new AbortController()
  private isOpen = false
  /** What leaves events out, and what the reply is of. */
  private only: Filters | Sought | undefined
  private isOf: Filters | Sought | undefined

  constructor(private readonly profile: Profile) {}

  stop(): void {
    this.asked.abort()
  }

  get all(): readonly ValueTrack[] {
    return this.reply.value?.tracks ?? []
  }

  /** Sees to it that what is seen can be painted, and what `only` keeps of it. Cheap when it can: called after every frame. */
  want(view: Viewport, only?: Filters | Sought): void {
    if (only !== this.only) {
      this.stop()
      this.only = only
      this.isOpen = false
    }
    if (this.isOpen) return
    const { start, end, nsPerPx } = view
    const span = view.t1 - view.t0
    const part = 2 ** Math.floor(Math.log2(Math.max(nsPerPx, (4 * span) / MOST_PARTS, 1)))
    if (this.isEnough(view, part)) return
    const t0 = start + Math.floor(Math.max(view.t0 - span / 2 - start, 0) / part) * part
    const n = Math.ceil((Math.min(view.t1 + span / 2, end) - t0) / part)
    void this.ask({ t0_ns: t0, t1_ns: t0 + Math.max(n, 1) * part, width_px: Math.max(n, 1) }, only)
  }

  private isEnough(view: Viewport, part: number): boolean {
    const { value } = this.reply
    if (value === undefined || this.isOf !== this.only) return false
    if (value.tracks.length === 0) return true
    const { t0_ns: t0, t1_ns: t1 } = value
    const n = value.tracks[0]?.most.length ?? 0
    return t0 <= Math.max(view.t0, view.start) && t1 >= Math.min(view.t1, view.end) && t1 - t0 === n * part
  }

  private async ask(window: ValuesParams, only?: Filters | Sought): Promise<void> {
    this.isOpen = true
    const asked = (this.asked = new AbortController())
    try {
      const reply = await ask('view/timeline/values', this.profile, { ...window, ...only }, asked)
      this.isOf = this.only
      this.reply.value = reply
      this.isOpen = reply.t0_ns !== window.t0_ns || reply.t1_ns !== window.t1_ns // a report has one answer for every window
    } catch {
      // Without values the timeline goes on; a server that is gone is said by the frame's banner, and asked again by its return.
    }
  }
}

/** Those that are shown, by the link: at first how many launches wait and what memory is allocated, of the first device, and what
    the file itself counts, as power; those that count most. */
export function shownValues(tracks: readonly ValueTrack[], list: string | undefined): readonly ValueTrack[] {
  if (list !== undefined) return tracks.filter(({ id }) => list.split(',').includes(id))
  const queue = tracks.find(({ id }) => id.startsWith('queue-'))
  const memory = tracks.filter(({ id }) => id.startsWith('allocated-'))
  const counters = tracks.filter(({ unit }) => unit === 'number').sort((a, b) => sizeOf(b) - sizeOf(a))
  const nNot0 = counters.filter((each) => sizeOf(each) > 0).length
  const some = counters.slice(0, Math.min(nNot0, MOST_COUNTERS) || SOME_COUNTERS)
  const usual = [queue, memory.find(({ device }) => device !== null) ?? memory[0], ...some]
  return tracks.filter((track) => usual.includes(track))
}

/** What a row says beside its name: its highest value, and where some are negative its lowest before it. */
export function endsOf({ lowest, highest }: ValueTrack): readonly number[] {
  return lowest < 0 ? [lowest, highest] : [highest]
}

function sizeOf({ lowest, highest }: ValueTrack): number {
  return Math.max(highest, -lowest)
}

/** The most that they may take of what they and the tracks have: whole rows, or none. */
export function wholeRowsPx(roomPx: number, pagePx: number): number {
  return Math.max(Math.floor(Math.min(roomPx - TRACKS_PX, pagePx * MOST_SHARE) / VALUE_PX), 0) * VALUE_PX
}
