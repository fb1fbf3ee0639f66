/** Commands for what the timeline has of a profile: its steps, and the tracks that an area takes. Pure. */
import type { Changes } from '../../state/hash'
import { at, go } from '../../state/place'
import { stepChanges } from '../../views/links'
import { stretchOf } from '../../views/timeline_link'
import type { StepMark, TimelineTracks } from '../../wire/wire'
import type { Command } from './match'

type Known = Pick<TimelineTracks, 'steps'>

/** `5`, `#5`, `step 5`, `go to step 5`, `only step 5`, `steps 3-5,8`. */
const STEPS = /^(only |go to )?(?:(?:profiler)?steps? ?#?|#)?([\d,-]+)$/

/** What asks for steps without saying which: other words may begin so (std_mean, stream 7). */
const ANY_STEP = /^(?:go(?: to)?|(?:go to )?steps?)$/

/** The step first, then what keeps only it. All of them where nothing says which. */
export function ofSteps(
  typed: string,
  tracks: Known | undefined,
  coming?: Promise<Known | undefined>,
): readonly Command[] {
  const [, how, list] = STEPS.exec(typed) ?? []
  if (list === undefined) return ANY_STEP.test(typed) ? (tracks?.steps ?? []).map(leading) : []
  const only = { words: `Only step ${list}`, about: 'filter', act: () => go(stepChanges(list)) }
  if (!/^\d+$/.test(list)) return [{ ...only, words: `Only steps ${list}` }]
  if (how !== 'only ' && tracks === undefined && coming !== undefined) return [awaited(list, coming), only]
  if (how === 'only ' || tracks === undefined || tracks.steps.length === 0) return [only]
  const step = tracks.steps.find(({ number }) => number === Number(list))
  return step === undefined ? [absent(list, tracks.steps)] : [leading(step), only]
}

/** Whoever types faster than the steps arrive is led there when they have. */
function awaited(list: string, coming: Promise<Known | undefined>): Command {
  const act = (): void => void coming.then((tracks) => ofSteps(list, tracks)[0]?.act())
  return { words: `Step ${list}`, about: 'in the timeline', act }
}

function leading(step: TimelineTracks['steps'][number]): Command {
  return { words: `Step ${step.number}`, about: 'in the timeline', act: () => go(stepAt(step)) }
}

function absent(number: string, steps: TimelineTracks['steps']): Command {
  const numbers = steps.map((step) => step.number)
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
  return {
    words: `Step ${number} is not recorded`,
    about: first === last ? `step ${first} is` : `steps ${first} to ${last} are`,
    isOff: true,
    act: () => undefined,
  }
}

/** Of the area that is drawn, else of what is in sight. */
export function ofArea(tracks: TimelineTracks | undefined): readonly Command[] {
  if (IS_REPORT || tracks === undefined || tracks.tracks.length === 0) return []
  const area = at('view') === 'timeline' ? at('timeline.area') : undefined
  const window = [at('timeline.t0_ns'), at('timeline.t1_ns')] as const
  const about = area !== undefined ? 'of the area' : window[0] !== undefined ? 'of the window' : 'of the recording'
  const show = (as: string) => (): void => go(flameAt(tracks, as, area, window))
  return [
    { words: 'Flame graph', about, also: 'selection icicle call tree stacks callers', act: show('flame') },
    { words: 'Flame graph, inverted', about, also: 'selection callees bottom up', act: show('callees') },
    { words: 'Table by name', about, also: 'selection sum area pivot statistics longest', act: show('table') },
  ]
}

/** A step as wide as the timeline. */
function stepAt(step: StepMark): Changes {
  const [start, end] = stretchOf(step)
  return { view: 'timeline', 'timeline.t0_ns': String(start), 'timeline.t1_ns': String(end) }
}

/** What the area, as the link has it, adds up to; where none is drawn the window on all tracks, and without one the whole recording. */
function flameAt(
  { start_ns, end_ns, tracks }: Pick<TimelineTracks, 'start_ns' | 'end_ns' | 'tracks'>,
  as: string,
  area: string | undefined,
  [t0, t1]: readonly [string | undefined, string | undefined],
): Changes {
  const everything = `${t0 ?? start_ns},${t1 ?? end_ns}:${tracks.map(({ id }) => id).join(',')}`
  return {
    view: 'timeline',
    'timeline.as': as === 'table' ? undefined : as,
    'timeline.area': area ?? everything,
    'beside.area': undefined,
    'timeline.call': undefined,
    'timeline.open': undefined,
  }
}
