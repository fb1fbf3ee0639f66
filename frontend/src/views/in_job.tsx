/** What all ranks of its job tell of a profile that is shown alone: one rank cannot tell waiting from moving data. */
import { useJointReply } from '../data/joint'
import { runs } from '../data/runs'
import { PlaceLink } from '../widgets/links/place_link'
import { Said } from '../widgets/panel/said'
import type { Profile } from '../wire/profile'
import type { InJob } from '../wire/wire'
import { ofJob } from './of_job'

/** Of more every profile would have to be read for one line, where nobody asked. */
export const MOST_RANKS = 64

/** Once all ranks are read; undefined for a run of one profile, and where a link is all that there is (`InJobLine`). */
export function useInJob(profile: Profile): InJob | undefined {
  const isAsked = !IS_REPORT && ranksBeside(profile) <= MOST_RANKS && ranksBeside(profile) > 1
  const { value } = useJointReply(
    'view/ranks/in_job',
    isAsked ? { ...ofJob(profile), worker: profile.worker } : undefined,
  ).value
  const isIts = value?.result.run === profile.run && value.result.worker === profile.worker // or of the one shown before
  return isAsked && isIts && value.n_pending === 0 ? value.result : undefined
}

/** Above what the profile tells by itself. */
export function InJobLine({ profile, inJob }: { readonly profile: Profile; readonly inJob: InJob | undefined }) {
  const n = ranksBeside(profile)
  if (IS_REPORT || n < 2) return null
  if (n > MOST_RANKS)
    return (
      <p class="in-job">
        One of {n} profiles of this run: whom it waits for tells <SeeRanks rank={undefined} />.
      </p>
    )
  if (inJob?.sentence == null) return null
  return (
    <p class="in-job">
      <strong>From all ranks:</strong> <Said text={inJob.sentence} /> <SeeRanks rank={inJob.rank} />
    </p>
  )
}

/** Beneath an advice on communication. */
export function OnCommunication({ inJob }: { readonly inJob: InJob | undefined }) {
  if (inJob?.communication == null) return null
  return (
    <p>
      <strong>From all ranks:</strong> <Said text={inJob.communication} /> <SeeRanks rank={inJob.rank} />
    </p>
  )
}

/** What a finding of its advice is called: where it looks for who is late, what is known of that. */
export function titleOf(finding: string, own: string, inJob: InJob | undefined): string {
  return inJob?.titles[finding] ?? own
}

function SeeRanks({ rank }: { readonly rank: number | null | undefined }) {
  const of = rank == null ? undefined : String(rank)
  return (
    <PlaceLink class="link" to={{ view: 'ranks', 'ranks.show': undefined, 'ranks.rank': of, 'ranks.at': undefined }}>
      {rank == null ? 'Ranks' : 'See Ranks'}
    </PlaceLink>
  )
}

/** Profiles of its run that can be asked. */
export function ranksBeside({ run }: Profile): number {
  const workers = runs.value.reply?.runs.find(({ name }) => name === run)?.workers ?? []
  return workers.filter(({ spans }) => spans.some(({ no_profile: isNone }) => !isNone)).length
}
