/** The stretch of time that a filter for steps shows at first. Pure. */
import { numbersIn } from '../../../state/filters'
import type { StepMark } from '../../../wire/wire'
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
