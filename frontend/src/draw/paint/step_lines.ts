/** Where steps begin and end: lines over what lies beneath, which are fainter the nearer they are to each other, else they would hide it. */
import type { Palette } from './palette'
import type { Pen } from './pen'
import type { Viewport } from '../time/viewport'

const NONE_PX = 8 // apart: no line
const WHOLE_PX = 32 // from here on a line is as strong as can be
const MOST = 0.5 // what it can be: an event of one pixel, as often lies where a step ends, is seen beneath

export type Times = readonly { readonly start_ns: number; readonly end_ns: number }[]

/** On the tracks, or on the strip of the whole recording: `t0` to `t1` are as wide as the view. */
export function paintStepLines(
  context: Pick<Pen, 'fillRect' | 'fillStyle' | 'globalAlpha'>,
  steps: Times,
  { width }: Viewport,
  t0: number,
  t1: number,
  color: Palette['line'],
  height: number,
): void {
  const pxPerNs = width / Math.max(t1 - t0, 1)
  let before = -Infinity // where the last line is
  context.fillStyle = color
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Times[number]
    const last = steps[i - 1] ?? step
    const next = steps[i + 1] ?? step
    // Of both sides the wider one: beside short steps a long one has its ends.
    const apart = Math.max(step.start_ns - last.start_ns, next.start_ns - step.start_ns) * pxPerNs || WHOLE_PX
    if (apart <= NONE_PX) continue
    context.globalAlpha = MOST * Math.min((apart - NONE_PX) / (WHOLE_PX - NONE_PX), 1)
    for (let end = 0; end < 2; end++) {
      const x = Math.round(((end === 0 ? step.start_ns : step.end_ns) - t0) * pxPerNs)
      if (x < 0 || x > width || x <= before + 1) continue // the end of one is the start of the next
      context.fillRect(x, 0, 1, height)
      before = x
    }
  }
  context.globalAlpha = 1
}
