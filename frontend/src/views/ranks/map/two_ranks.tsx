/** A job of two ranks: what each has of all that the map can show, and the difference. No colours: one of two is always the worse. */
import { PlaceLink } from '../../../widgets/links/place_link'
import { Definition } from '../../../widgets/panel/popup'
import { SmallTable } from '../../../widgets/panel/small_table'
import { absentWord, columnsOf, exactValue, saying, short } from '../../../widgets/table/column'
import type { Column } from '../../../widgets/table/column'
import type { RankRow, RanksTable } from '../../../wire/wire'
import { MEASURES, figureOf } from './matrix'
import type { MeasureId } from './matrix'
import { placeOfPanel } from '../rank_links'
import { RANK_ROW } from '../row_figures'
import { shortWait, waited } from '../waited'

interface Measured {
  readonly id: MeasureId
  readonly column: Column<RankRow>
}

const WAITS: readonly MeasureId[] = ['wait', 'caused']

/** Nothing of a job of more, or of which others are not here. `table`: not narrowed. */
export function TwoRanks({ table }: { readonly table: RanksTable }) {
  const { ranks, world_size: size, clock_error_ns: error } = table
  const [one, other] = ranks
  if (one === undefined || other === undefined || ranks.length > 2 || (size ?? 2) > 2) return null
  const every = columnsOf<RankRow, typeof RANK_ROW>(RANK_ROW, { excess_ns: { kind: 'change_ns' }, why_absent: false })
  const told = saying(every, ranks).filter(({ hidden }) => hidden !== true)
  const measures = MEASURES.flatMap(({ id }): readonly Measured[] => {
    const column = id === 'rate' ? undefined : told.find((each) => each.id === figureOf(id))
    return column === undefined ? [] : [{ id, column }]
  })
  if (measures.length === 0) return null
  const [first, second] = [`rank ${one.rank}`, `rank ${other.rank}`]
  return (
    <section aria-label="Both ranks">
      <h2>Both ranks</h2>
      <div class="ranks-dimensions">
        <SmallTable first="" columns={[first, second, `difference, ${second} − ${first}`]}>
          {measures.map((measure) => (
            <tr key={measure.id}>
              <td class="is-text">
                <PlaceLink to={{ 'ranks.measure': measure.id }}>{measure.column.title}</PlaceLink>{' '}
                <Definition of={measure.column.title} text={measure.column.definition} />
              </td>
              {[one, other].map((rank) => (
                <Cell key={rank.rank} measure={measure} rank={rank} error={error} />
              ))}
              <Difference measure={measure} from={one} to={other} error={error} />
            </tr>
          ))}
        </SmallTable>
      </div>
    </section>
  )
}

interface CellProps {
  readonly measure: Measured
  readonly rank: RankRow
  readonly error: number | null
}

function Cell({ measure: { id, column }, rank, error }: CellProps) {
  const value = column.value(rank)
  if (typeof value !== 'number') return <td class="is-absent">{absentWord(column)}</td>
  return (
    <td title={exactValue(column, value)}>
      <PlaceLink to={placeOfPanel(rank.rank)}>
        {WAITS.includes(id) ? waited(value, error) : short(column, value)}
      </PlaceLink>
    </td>
  )
}

interface DifferenceProps {
  readonly measure: Measured
  readonly from: RankRow
  readonly to: RankRow
  readonly error: number | null
}

function Difference({ measure: { id, column }, from, to, error }: DifferenceProps) {
  const [less, more] = [column.value(from), column.value(to)]
  if (typeof less !== 'number' || typeof more !== 'number') return <td class="is-absent">not known</td>
  const [size, sign] = [Math.abs(more - less), more < less ? '−' : more > less ? '+' : '']
  const plain: Column<RankRow> = { ...column, kind: column.kind === 'change_ns' ? 'ns' : column.kind }
  const untold = WAITS.includes(id) ? shortWait(size, error) : null
  return <td title={`${sign}${exactValue(plain, size)}`}>{untold ?? `${sign}${short(plain, size)}`}</td>
}
