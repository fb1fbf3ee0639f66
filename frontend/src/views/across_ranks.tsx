/** A collective of one rank, seen from all: who came last, how long it waited for that; and the way to the ranks side by side. */
import { plural } from '../base/units'
import { useJointReply } from '../data/joint'
import { PlaceLink } from '../widgets/links/place_link'
import { Said } from '../widgets/panel/said'
import { ofJob } from './of_job'
import type { Profile } from '../wire/profile'

const MOST_LANES = 64

interface AcrossRanksProps {
  readonly profile: Profile
  /** Of the collective: its kernel, or its range on the host. */
  readonly row: number
}

export function AcrossRanks({ profile, row }: AcrossRanksProps) {
  const { worker, span } = profile
  const { value } = useJointReply('view/ranks/collective', { ...ofJob(profile), worker, row }).value
  if (value === undefined) return null
  const { n_pending: pending, result } = value
  if (pending > 0) return <p class="view-note">Over ranks: {plural(pending, 'profile')} still to be read.</p>
  if (result.sentence === null) return null
  const ranks = result.members.slice(-MOST_LANES).map(({ rank }) => rank)
  return (
    <p class="view-note">
      Over ranks: <Said text={result.sentence} />{' '}
      {ranks.length > 1 && (
        <PlaceLink
          class="link"
          to={{
            view: 'ranks',
            worker,
            span,
            'ranks.show': 'lanes',
            'ranks.step': String(result.step ?? 'all'),
            'ranks.of': ranks.toSorted((a, b) => a - b).join(','),
            'ranks.worker': worker,
            'ranks.row': String(row),
            'ranks.t0_ns': undefined,
            'ranks.t1_ns': undefined,
          }}
        >
          side by side
        </PlaceLink>
      )}
    </p>
  )
}
