/** What all ranks of its job tell of a profile that is shown alone: one rank cannot tell waiting from moving data. */
import type { Answer, Params } from '../data/ask'
import { useReply } from '../data/reply'
import type { Reply } from '../data/reply'
import { catalogueVersion, runs } from '../data/runs'
import { PlaceLink } from '../widgets/links/place_link'
import { Said } from '../widgets/panel/said'
import type { Profile } from '../wire/profile'
import type { ToldByJob } from '../wire/wire'

/** Of more every profile would have to be read for one line, where nobody asked. */
export const MOST_RANKS = 64

/** Its advice, and once all ranks of its job are read what is advised then. */
export function useAdvice(profile: Profile, asked: Params<'view/advice'>): Reply<Answer<'view/advice'>> {
  const own = useReply('view/advice', profile, asked).value
  const isAsked = areRanksAsked(profile)
  const inJob = isAsked ? { ...asked, in_job: true } : undefined
  const told = useReply('view/advice', profile, inJob, catalogueVersion.value).value
  return isAsked && told.value !== undefined && told.isEarlier !== true ? told : own
}

/** Whether a line about it may have them all read. */
export function areRanksAsked(profile: Profile): boolean {
  const n = ranksBeside(profile)
  return !IS_REPORT && n > 1 && n <= MOST_RANKS
}

/** Above what the profile tells by itself. `told`: nothing until all ranks are read. */
export function InJobLine({
  profile,
  told,
}: {
  readonly profile: Profile
  readonly told: ToldByJob | null | undefined
}) {
  const n = ranksBeside(profile)
  if (!IS_REPORT && n > MOST_RANKS)
    return (
      <p class="in-job">
        One of {n} profiles of this run: whom it waits for tells <SeeRanks rank={null} />.
      </p>
    )
  if (told == null) return null
  return (
    <p class="in-job">
      <strong>From all ranks:</strong> <Said text={told.sentence} /> <SeeRanks rank={told.rank} />
    </p>
  )
}

function SeeRanks({ rank }: { readonly rank: number | null }) {
  const of = rank === null ? undefined : String(rank)
  return (
    <PlaceLink class="link" to={{ view: 'ranks', 'ranks.show': undefined, 'ranks.rank': of, 'ranks.at': undefined }}>
      {rank === null ? 'Ranks' : 'See Ranks'}
    </PlaceLink>
  )
}

/** Profiles of its run that can be asked. */
export function ranksBeside({ run }: Profile): number {
  const workers = runs.value.reply?.runs.find(({ name }) => name === run)?.workers ?? []
  return workers.filter(({ spans }) => spans.some(({ no_profile: isNone }) => !isNone)).length
}
