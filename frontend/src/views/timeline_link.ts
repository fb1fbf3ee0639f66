/** A place in the timeline, for views that are loaded when they are opened: the first one needs none of it. */
import type { Changes } from '../state/hash'
import type { Profile } from '../wire/profile'
import type { StepMark } from '../wire/wire'
import { opening } from './links'

/** The table that has a row for events of this kind. */
export const HOME: Readonly<Record<string, 'operators' | 'kernels'>> = {
  operator: 'operators',
  annotation: 'operators',
  kernel: 'kernels',
  copy: 'kernels',
  set: 'kernels',
}

/** A stretch of a profile in the timeline, with some of what is around it; marked as what it is `called`. */
export function timelineAt(
  { run, worker, span }: Profile,
  start_ns: number,
  lasted_ns: number,
  called?: string,
): Changes {
  const around = Math.max(Math.round(lasted_ns / 5), 1000)
  return {
    ...opening({ run, worker, span }),
    view: 'timeline',
    'timeline.t0_ns': String(start_ns - around),
    'timeline.t1_ns': String(start_ns + lasted_ns + around),
    ...(called !== undefined && {
      'timeline.mark': `${start_ns},${start_ns + lasted_ns}:${encodeURIComponent(called)}`,
    }),
  }
}

/** From where the host begins it, or the device where that is sooner, to where the later of both is done. */
export function stretchOf(step: StepMark): readonly [number, number] {
  return [Math.min(step.start_ns, step.timed_start_ns), Math.max(step.end_ns, step.timed_end_ns)]
}
