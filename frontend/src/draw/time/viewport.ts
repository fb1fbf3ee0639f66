/** Which stretch of time is on screen, and how it maps to CSS pixels. Changed in place: one lives as long as the view. */

const MIN_NS = 50 // a screen of 50 ns: finer than any clock of a profiler
const BEYOND = 0.02 // how far past the ends one may look, as a share of the screen
const AHEAD = 0.1 // of the screen, before the beginning of what is longer

export class Viewport {
  t0 = 0
  t1 = 1
  width = 1
  /** Pixels of the screen in one of CSS. */
  dpr = 1
  private owed = 0 // CSS pixels asked for and not moved yet, under half a pixel of the screen

  constructor(
    readonly start: number,
    readonly end: number,
  ) {
    this.show(start, end)
  }

  get nsPerPx(): number {
    return (this.t1 - this.t0) / this.width
  }

  x(t: number): number {
    return ((t - this.t0) / (this.t1 - this.t0)) * this.width
  }

  time(x: number): number {
    return this.t0 + (x / this.width) * (this.t1 - this.t0)
  }

  /** Shows [t0, t1], as far as that makes sense. */
  show(t0: number, t1: number): void {
    const whole = Math.max(this.end - this.start, MIN_NS)
    const span = Math.min(Math.max(t1 - t0, MIN_NS), whole * (1 + 2 * BEYOND))
    const margin = span * BEYOND
    const middle = (t0 + t1) / 2
    const first = Math.min(Math.max(middle - span / 2, this.start - margin), this.start + whole + margin - span)
    this.t0 = first
    this.t1 = first + span
  }

  /** As much of [t0, t1] as was recorded, and a margin that was looked at; all where that is nothing. */
  showRecorded(t0: number, t1: number): void {
    const margin = (t1 - t0) * BEYOND + 1 // links say whole ns
    const first = t0 < this.start - margin ? this.start : t0
    const last = t1 > this.end + margin ? this.end : t1
    if (first < last) this.show(first, last)
    else this.show(this.start, this.end)
  }

  /** Exactly [t0, t1], also where there is nothing: beside another one that shows something there. */
  place(t0: number, t1: number): void {
    this.t0 = t0
    this.t1 = t1
  }

  /** `factor` < 1 shows less time; what is at `x` stays there. */
  zoom(factor: number, x: number): void {
    const at = this.time(x)
    const span = (this.t1 - this.t0) * factor
    const share = x / this.width
    this.show(at - span * share, at + span * (1 - share))
  }

  /** By whole pixels of the screen; the rest is added to the next move. So each column shows what it did, one place on. */
  pan(dx: number): void {
    const asked = dx + this.owed
    const moved = Math.round(asked * this.dpr) / this.dpr
    this.owed = asked - moved
    const dt = moved * this.nsPerPx
    this.show(this.t0 + dt, this.t1 + dt)
  }

  /** An event with air around it, as wide as a third of the screen. */
  fit(t0: number, t1: number): void {
    const span = Math.max((t1 - t0) * 1.2, MIN_NS)
    const middle = (t0 + t1) / 2
    this.show(middle - span / 2, middle + span / 2)
  }

  /** Moves the least that brings [t0, t1] into sight; never zooms in, and out only where it does not fit. */
  include(t0: number, t1: number): void {
    const span = this.t1 - this.t0
    const margin = span * BEYOND
    if (t1 - t0 > span - 2 * margin) this.fit(t0, t1)
    else if (t0 < this.t0) this.show(t0 - margin, t0 - margin + span)
    else if (t1 > this.t1) this.show(t1 + margin - span, t1 + margin)
  }

  /** As `bring`; zooms in where the event would be less than a few pixels, and out where it does not fit. */
  reveal(t0: number, t1: number): void {
    const [length, span] = [t1 - t0, this.t1 - this.t0]
    if (length > span) this.fit(t0, t1)
    else if (length >= span / 400) this.bring(t0, t1)
    else this.fit((t0 + t1) / 2 - length * 8, (t0 + t1) / 2 + length * 8)
  }

  /** Brings [t0, t1] into sight at the zoom there is: its beginning, where it is longer than the screen. */
  bring(t0: number, t1: number): void {
    const span = this.t1 - this.t0
    const isLong = t1 - t0 > span
    const isThere = t0 >= this.t0 && (isLong ? t0 <= this.t1 - span * AHEAD : t1 <= this.t1)
    if (isThere) return
    const middle = isLong ? t0 + span * (0.5 - AHEAD) : (t0 + t1) / 2
    this.show(middle - span / 2, middle + span / 2)
  }
}
