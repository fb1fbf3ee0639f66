/** Where a time of one rank's recording lies in that of another, on the clock to which their job's collectives tie both. */
import { useJointReply } from '../../../data/joint'
import type { Profile } from '../../../wire/profile'
import type { OwnClock } from '../../../wire/wire'
import { ofJob } from '../../of_job'

/** Null: its job knows of none. Undefined: not asked, or not all ranks are read. */
export type Known = OwnClock | null | undefined

/** Of the profile, asked of all ranks; the returned function reads it anew. */
export function useClock(profile: Profile, isAsked: boolean): () => Known {
  const asked = isAsked ? { ...ofJob(profile), worker: profile.worker } : undefined
  const state = useJointReply('view/ranks/in_job', asked)
  return () => {
    const { value, error } = state.value
    if (value === undefined) return error === undefined ? undefined : null
    const isIts = value.result.worker === profile.worker // or of the one shown before
    return value.n_pending > 0 ? undefined : isIts ? value.result.clock : null
  }
}

/** By how much a time of the first is later in the second; undefined where they are not on one clock. */
export function shiftBetween(time: number, upper: Known, lower: Known): number | undefined {
  if (upper?.clock === undefined || upper.clock !== lower?.clock) return undefined
  const known = time - upper.ahead_ns - upper.drift * (time - upper.at_ns)
  const itsOwn = known + lower.ahead_ns
  return Math.round(itsOwn + lower.drift * (itsOwn - lower.at_ns) - time)
}
