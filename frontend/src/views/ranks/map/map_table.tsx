/** The map as a table; of very many rows those that are furthest from the others. */
import { exactCount, exactNs } from '../../../base/units'
import { PlaceLink } from '../../../widgets/links/place_link'
import { SmallTable } from '../../../widgets/panel/small_table'
import type { RanksTable } from '../../../wire/wire'
import { placeOfLink } from './map_chosen'
import { areRowsRanks } from './map_folds'
import { absentAt, absentIn, awayOf, nameOfColumn, shownCell, shownValue, stepAt } from './matrix'
import type { ShownMatrix } from './matrix'
import { placeOfPanel } from '../rank_links'

const MOST = 128

interface MapTableProps {
  readonly table: RanksTable
  readonly matrix: ShownMatrix
  readonly onFold: (row: number) => void
}

export function MapTable({ table, matrix, onFold }: MapTableProps) {
  const { axes, rows, columns, values, ranks } = matrix
  const furthest = values
    .map((each, row) => ({
      place: row,
      most: Math.max(...each.map((_, column) => Math.abs(awayOf(matrix, { row, column }) ?? 0))),
    }))
    .sort((a, b) => b.most - a.most)
    .slice(0, MOST)
  const kept = furthest.map(({ place }) => place).sort((a, b) => a - b)
  const isOfRanks = areRowsRanks(axes)
  return (
    <>
      {kept.length < rows.length && (
        <p class="soft">
          The {MOST} of {rows.length} rows that are furthest from the others.
        </p>
      )}
      <div class="ranks-twin" tabIndex={0} role="region" aria-label="The map, as a table">
        <SmallTable first={matrix.row_title} columns={columns.map((_, column) => nameOfColumn(matrix, column))}>
          {kept.map((place) => {
            const fold = matrix.folds?.[place]
            const own = isOfRanks && fold === undefined ? (ranks[place]?.[0] ?? null) : null
            return (
              <tr key={place}>
                <td class="is-text">
                  {fold !== undefined ? (
                    <button
                      type="button"
                      class="button is-plain"
                      aria-expanded={fold.isOpen}
                      onClick={() => onFold(place)}
                    >
                      {rows[place]}
                    </button>
                  ) : own === null ? (
                    rows[place]
                  ) : (
                    <PlaceLink to={placeOfPanel(own)}>{rows[place]}</PlaceLink>
                  )}
                </td>
                {columns.map((name, column) => {
                  const [value, rank] = [values[place]?.[column] ?? null, ranks[place]?.[column] ?? null]
                  if (value === null || rank === null)
                    return (
                      <td key={name} class="is-absent">
                        {rank === null ? 'no rank' : absentAt(matrix, { row: place, column }, table)}
                      </td>
                    )
                  const step = stepAt(matrix, column)
                  const mean = fold?.means[column] ?? null
                  return (
                    <td key={name} title={matrix.unit === 'ns' ? exactNs(value) : exactCount(value)}>
                      <PlaceLink
                        to={axes === 'link' ? placeOfLink({ row: place, column }, matrix) : placeOfPanel(rank, step)}
                      >
                        {shownCell(matrix, { row: place, column }) ?? absentIn(matrix)}
                      </PlaceLink>
                      {mean !== null && <span class="soft"> mean {shownValue(matrix, mean)}</span>}
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
