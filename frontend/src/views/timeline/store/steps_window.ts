/** The stretch of time that a filter for steps shows at first. Pure. */
import { numbersIn } from '../../../state/filters'
import type { Place } from '../../../state/hash'
import type { StepMark, TimelineTracks } from '../../../wire/wire'
import { stretchOf } from '../../timeline_link'

/** From the first of the chosen steps to the last; undefined where none is there. */
export function stepsWindow(
  steps: readonly StepMark[],
  list: string | undefined,
): readonly [number, number] | undefined {
  const numbers = new Set(numbersIn(list))
  const chosen = steps.filter((step) => numbers.has(step.number))
  if (chosen.length === 0) return undefined
  const stretches = chosen.map(stretchOf)
  return [Math.min(...stretches.map(([start]) => start)), Math.max(...stretches.map(([, end]) => end))]
}

/** Where a link says no window: the steps it lays above each other, the lower one of what lies there, else those it filters for. */
export function linkedWindow(
  tracks: Pick<TimelineTracks, 'steps'>,
  { steps, 'beside.upper': above, 'beside.lower': below }: Place,
  tracksBelow = tracks,
): readonly [number, number] | undefined {
  const [upper, lower] = [stepOf(tracks, above), stepOf(tracksBelow, below)]
  const shift = (lower?.start_ns ?? 0) - (upper?.start_ns ?? 0)
  return (upper && besideWindow(upper, lower, shift)) ?? stepsWindow(tracks.steps, steps)
}

/** Of a stretch that is a step's, as its device ends it: the filter that keeps this step, for work of the one before lies in it too. */
export function stepAlone(steps: readonly StepMark[], t0: number, t1: number): { steps?: string } {
  const step = steps.find((each) => stretchOf(each).join() === [t0, t1].join())
  return step === undefined ? {} : { steps: `${step.number}` }
}

/** What lies above or below is called by its number; undefined where that is no step of it. */
export function stepOf({ steps }: Pick<TimelineTracks, 'steps'>, id: string | undefined): StepMark | undefined {
  return steps.find(({ number }) => `${number}` === id)
}

/** All of what lies above and of what lies `shift` ns later below, on the upper axis: the end of the longer one is not cut. */
export function besideWindow(
  upper: StepMark | undefined,
  lower: StepMark | undefined,
  shift: number,
): readonly [number, number] | undefined {
  const times = [...(upper ? stretchOf(upper) : []), ...(lower ? stretchOf(lower).map((t) => t - shift) : [])]
  return times.length === 0 ? undefined : [Math.min(...times), Math.max(...times)]
}
