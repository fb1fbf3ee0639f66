/** Values over the window: asked for three screens at a time, again when the window leaves them or is much finer. */
import { signal } from '@preact/signals'

import { ask } from '../../../data/ask'
import type { Viewport } from '../../../draw/time/viewport'
import type { Profile } from '../../../wire/profile'
import type { TimelineValues, ValueTrack } from '../../../wire/wire'

const PX_A_PART = 2
const MOST_PARTS = 3000
const COARSE = 2.5 // so much coarser than wanted still is shown

export class Values {
  readonly reply = signal<TimelineValues | undefined>(undefined)
  private asked = new AbortController()
  private isOpen = false

  constructor(private readonly profile: Profile) {}

  stop(): void {
    this.asked.abort()
  }

  /** Sees to it that what is seen can be painted. Cheap when it can: called after every frame. */
  want(view: Viewport): void {
    if (this.isOpen || this.isEnough(view)) return
    const span = view.t1 - view.t0
    const t0 = Math.max(Math.floor(view.t0 - span), view.start)
    const t1 = Math.max(Math.min(Math.ceil(view.t1 + span), view.end), t0 + 1)
    const parts = Math.ceil((t1 - t0) / (view.nsPerPx * PX_A_PART))
    void this.ask(t0, t1, Math.min(Math.max(parts, 1), MOST_PARTS))
  }

  private isEnough(view: Viewport): boolean {
    const { value } = this.reply
    if (value === undefined) return false
    if (value.tracks.length === 0) return true
    const part = (value.t1_ns - value.t0_ns) / (value.tracks[0]?.most.length ?? 1)
    const covers = value.t0_ns <= Math.max(view.t0, view.start) + 1 && value.t1_ns >= Math.min(view.t1, view.end) - 1
    return covers && part <= Math.max(COARSE * view.nsPerPx * PX_A_PART, 1)
  }

  private async ask(t0_ns: number, t1_ns: number, width_px: number): Promise<void> {
    this.isOpen = true
    this.asked = new AbortController()
    const { signal: stop } = this.asked
    try {
      this.reply.value = await ask('view/timeline/values', this.profile, { t0_ns, t1_ns, width_px }, { signal: stop })
      this.isOpen = false
    } catch {
      // Without values the timeline goes on; a server that is gone is said by the frame's banner, and asked again by its return.
    }
  }
}

/** Those that are shown, by the link: at first how many launches wait and what memory is allocated, of the first device. */
export function shownValues(tracks: readonly ValueTrack[], list: string | undefined): readonly ValueTrack[] {
  if (list !== undefined) return tracks.filter(({ id }) => list.split(',').includes(id))
  const queue = tracks.find(({ id }) => id.startsWith('queue-'))
  const memory = tracks.filter(({ id }) => id.startsWith('allocated-'))
  const usual = [queue, memory.find(({ device }) => device !== null) ?? memory[0]]
  return tracks.filter((track) => usual.includes(track))
}
