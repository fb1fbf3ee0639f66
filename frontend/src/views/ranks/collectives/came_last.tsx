/** Who came last to a collective: one rank, or several together as far as their clocks can tell. The server says which. */
import { exactCount } from '../../../base/units'
import { PlaceLink } from '../../../widgets/links/place_link'
import { placeOfPanel } from '../rank_links'

/** Named beside each other; of more the rest is counted. */
const NAMED = 4

/** `rank 5`, `ranks 3 and 7`, `ranks 0, 1, 2, 3 and 4 more`. `n`: of how many, where the list is cut. */
export function whom(ranks: readonly number[], n = ranks.length): string {
  const [first, second] = ranks
  if (ranks.length === 2) return `ranks ${first} and ${second}`
  const named = ranks.slice(0, NAMED)
  const more = n - named.length
  return `rank${n === 1 ? '' : 's'} ${named.join(', ')}${more > 0 ? ` and ${exactCount(more)} more` : ''}`
}

/** `rank 5 came last`, `ranks 3 and 7 came last together`; empty where it is not known. */
export function cameLast(ranks: readonly number[], n = ranks.length): string {
  return ranks.length === 0 ? '' : `${whom(ranks, n)} came last${n === 1 ? '' : ' together'}`
}

interface LastRanksProps {
  readonly ranks: readonly number[]
  readonly n?: number
  readonly step?: number | undefined
}

/** In a cell: each leads to its panel. */
export function LastRanks({ ranks, n = ranks.length, step }: LastRanksProps) {
  if (ranks.length === 0) return <span class="is-absent">–</span>
  const named = ranks.slice(0, NAMED)
  const more = n - named.length
  const title = cameLast(ranks, n)
  return (
    <span title={title}>
      {n === 1 ? 'rank ' : 'ranks '}
      {named.map((rank, nth) => (
        <span key={rank}>
          {nth > 0 && (nth === named.length - 1 && more === 0 ? ' and ' : ', ')}
          <PlaceLink to={placeOfPanel(rank, step)}>{rank}</PlaceLink>
        </span>
      ))}
      {more > 0 && ` and ${exactCount(more)} more`}
      {n > 1 && <span class="soft"> together</span>}
    </span>
  )
}
