/** The stretch of time on screen, and its part of the link. The signal changes when it stands still; a pan only paints. */
import { signal } from '@preact/signals'

import { Viewport } from '../../../draw/time/viewport'
import type { Changes } from '../../../state/hash'
import { PAGE_LINK } from './link'
import type { Link } from './link'
import { windowChanges } from './place'

const SETTLED_MS = 180

export class TimeWindow {
  readonly view: Viewport
  private readonly settled = signal(0)
  private timer: ReturnType<typeof setTimeout> | undefined
  private written = ''
  private readonly followers = new Set<() => void>()
  private first: TimeWindow | undefined // which this one is bound to

  /** `moving`: what is to be done at each move; `stands`: once it has ended. */
  constructor(
    start: number,
    end: number,
    private readonly moving: () => void,
    private readonly stands: () => void = () => undefined,
    private readonly link: Link = PAGE_LINK,
  ) {
    this.view = new Viewport(start, Math.max(end, start + 1))
  }

  stop(): void {
    clearTimeout(this.timer)
  }

  /** Makes the component that calls it render again once the window stands still or data came. */
  followSettled(): number {
    return this.settled.value
  }

  /** What is derived from the picture is derived again. */
  pictureChanged(): void {
    this.settled.value = this.settled.peek() + 1 // also where an effect follows the link: it is no reader
  }

  /** What the link says, as far as it was recorded; undefined is everything. What was written here is no news. */
  follow(window: readonly [number, number] | undefined): void {
    const key = (window ?? []).join()
    if (key === this.written) return
    this.written = key
    const [from, to] = window ?? [this.view.start, this.view.end]
    if (window !== undefined && 'beside.lower' in this.link.read()) this.view.place(from, to)
    else this.view.showRecorded(from, to)
    const { t0, t1 } = this.view
    if (window !== undefined && Math.max(Math.abs(t0 - window[0]), Math.abs(t1 - window[1])) > 1) this.drawn() // the link will say what is seen
    for (const move of this.followers) move()
    this.pictureChanged()
  }

  show(t0: number, t1: number): void {
    this.view.show(t0, t1)
    this.moved()
  }

  /** There at once, as a step that the back button takes back. */
  jump(t0: number, t1: number): void {
    this.leap(() => this.view.show(t0, t1))
  }

  showAll(): void {
    this.jump(this.view.start, this.view.end)
  }

  zoom(factor: number, x = this.view.width / 2): void {
    this.view.zoom(factor, x)
    this.moved()
  }

  pan(dx: number): void {
    this.view.pan(dx)
    this.moved()
  }

  /** As wide as the screen. */
  fit(t0: number, t1: number): void {
    this.leap(() => this.view.fit(t0, t1))
  }

  /** Somewhere on the screen, at this zoom; of what is longer the beginning. */
  bring(t0: number, t1: number): void {
    this.view.bring(t0, t1)
    this.moved()
  }

  /** Somewhere on the screen. */
  reveal(t0: number, t1: number): void {
    this.view.reveal(t0, t1)
    this.moved()
  }

  /** All of it, at this zoom if it fits. */
  include(t0: number, t1: number): void {
    this.view.include(t0, t1)
    this.moved()
  }

  /** From now on `other` shows what is `shift` ns later, and moves this one; the link holds this one alone. The returned function ends it. */
  bind(other: TimeWindow, shift: number): () => void {
    other.first = this
    const after = (): void => other.mirror(this.view, shift)
    const before = (): void => this.mirror(other.view, -shift)
    this.followers.add(after)
    other.followers.add(before)
    after()
    return () => {
      this.followers.delete(after)
      other.followers.delete(before)
      other.first = undefined
    }
  }

  private mirror({ t0, t1 }: Viewport, shift: number): void {
    this.view.place(t0 + shift, t1 + shift)
    this.drawn()
  }

  private leap(move: () => void): void {
    const { first = this } = this
    if (first.timer !== undefined) first.settle() // a pan before it belongs to the entry that is left
    const { t0, t1 } = this.view
    move()
    this.moved()
    if (t0 !== this.view.t0 || t1 !== this.view.t1) first.settle(first.link.go)
  }

  private moved(): void {
    this.drawn()
    for (const move of this.followers) move()
  }

  private drawn(): void {
    this.moving()
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.settle(), SETTLED_MS)
  }

  private settle(write = this.link.adjust): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.pictureChanged()
    this.stands()
    if (this.first === undefined) write(this.changes())
  }

  /** For the link; nothing of one that another moves. When it comes back from there it is no news. */
  changes(): Changes {
    if (this.first !== undefined) return {}
    const changes = windowChanges(this.view.t0, this.view.t1)
    this.written = `${changes['timeline.t0_ns'] ?? ''},${changes['timeline.t1_ns'] ?? ''}`
    return changes
  }
}
