/** Whom one of two ranks of a job waits for. */
import { useJointReply } from '../../data/joint'
import type { Profile } from '../../wire/profile'
import { InJobLine, areRanksAsked } from '../in_job'
import { ofJob } from '../of_job'

/** Once all ranks are read; nothing of a run of one profile, and where a link is all that there is. */
export function OfRank({ rank }: { readonly rank: Profile }) {
  const isAsked = areRanksAsked(rank)
  const { value } = useJointReply(
    'view/ranks/in_job',
    isAsked ? { ...ofJob(rank), worker: rank.worker } : undefined,
  ).value
  const isIts = value?.result.run === rank.run && value.result.worker === rank.worker // or of the one shown before
  const { sentence = null, rank: number = null } = isAsked && isIts && value.n_pending === 0 ? value.result : {}
  return <InJobLine profile={rank} told={sentence === null ? null : { sentence, rank: number }} />
}
