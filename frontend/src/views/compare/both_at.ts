/** Links to Compare with two timelines. */
import { NO_FILTERS } from '../../state/filters'
import type { Changes } from '../../state/hash'
import type { Profile } from '../../wire/profile'
import { opening } from '../links'
import { timelineAt } from '../timeline_link'

/** Where a timeline is to be: at a step by its number, else at an event, else at its beginning. */
export interface Moment {
  readonly profile: Profile
  readonly step?: number
  readonly start_ns?: number
  readonly lasted_ns?: number
}

/** Compare with both timelines one above the other: these moments lie at one place of the axis, and A's is in sight. */
export function bothAt(a: Moment, b: Moment): Changes {
  const { run, worker, span } = a.profile
  const named = (profile: Profile): string => [profile.run, profile.worker, profile.span].join('\t')
  const around = a.start_ns === undefined ? opening(a.profile) : timelineAt(a.profile, a.start_ns, a.lasted_ns ?? 0)
  return {
    ...NO_FILTERS,
    ...around,
    ...{ view: 'compare', 'compare.shows': 'timelines', run, worker, span },
    'beside.profile': named(a.profile) === named(b.profile) ? undefined : named(b.profile),
    'beside.upper': placeOf(a),
    'beside.lower': placeOf(b),
  }
}

/** As the link has it: `3`, `@12345` ns, `begin`. */
function placeOf({ step, start_ns: start }: Moment): string {
  return step !== undefined ? `${step}` : start !== undefined ? `@${start}` : 'begin'
}
