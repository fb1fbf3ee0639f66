/** The map as a table; of very many ranks those that are furthest from the others. */
import { exactNs, signedNs } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { SmallTable } from '../../widgets/panel/small_table'
import type { RanksTable } from '../../wire/wire'
import { placeOfPanel } from './rank_links'

const MOST = 128

export function MapTable({ table: { ranks, steps } }: { readonly table: RanksTable }) {
  const furthest = ranks
    .map((_, rank) => ({
      rank,
      most: steps.reduce((most, step) => Math.max(most, Math.abs(step.excess_ns[rank] ?? 0)), 0),
    }))
    .sort((a, b) => b.most - a.most)
    .slice(0, MOST)
  const kept = furthest.map(({ rank }) => rank).sort((a, b) => a - b)
  return (
    <>
      {kept.length < ranks.length && (
        <p class="soft">
          The {MOST} of {ranks.length} ranks that are furthest from the others.
        </p>
      )}
      <div class="ranks-twin" tabIndex={0} role="region" aria-label="Own time above the median, as a table">
        <SmallTable first="Rank" columns={steps.map((step) => `step ${step.number}`)}>
          {kept.flatMap((index) => {
            const rank = ranks[index]
            if (rank === undefined) return []
            return (
              <tr key={rank.rank}>
                <td class="is-text">
                  <PlaceLink to={placeOfPanel(rank.rank)}>rank {rank.rank}</PlaceLink>
                </td>
                {steps.map((step) => {
                  const value = step.excess_ns[index] ?? null
                  return value === null ? (
                    <td key={step.number} class="is-absent">
                      no such step
                    </td>
                  ) : (
                    <td key={step.number} title={exactNs(value)}>
                      <PlaceLink to={placeOfPanel(rank.rank, step.number)}>{signedNs(value)}</PlaceLink>
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </SmallTable>
      </div>
    </>
  )
}
