/** The table twin of several ranks side by side. */
import { useMemo } from 'preact/hooks'

import { exactNs, formatNs } from '../../../base/units'
import type { Changes } from '../../../state/hash'
import { PlaceLink } from '../../../widgets/links/place_link'
import { SmallTable, TimeCell } from '../../../widgets/panel/small_table'
import type { RankLanes } from '../../../wire/wire'
import { LastRanks } from '../collectives/came_last'
import { EventLink, stretched } from '../rank_links'
import { waited } from '../waited'

const MOST_ROWS = 200

/** Start, arrival of the last, end. */
export function timesOf({ members }: RankLanes, place: number): readonly [number, number, number] {
  return [members.start_ns[place] ?? 0, members.arrived_ns[place] ?? 0, members.end_ns[place] ?? 0]
}

export function kindOf({ kinds, dimensions, members }: RankLanes, place: number): string {
  return `${kinds[members.kind[place] ?? 0]} (${dimensions[members.dimension[place] ?? 0]})`
}

/** The link says which member is kept. */
export function keeping({ lanes, members }: RankLanes, place: number): Changes {
  const worker = lanes[members.lane[place] ?? -1]?.worker
  return { 'ranks.worker': worker, 'ranks.row': String(members.row[place]) }
}

interface LanesTableProps {
  readonly reply: RankLanes
  readonly run: string
  readonly error: number | null
}

/** The same values: those that wait longest first. */
export function LanesTable({ reply, run, error }: LanesTableProps) {
  const { members, lanes } = reply
  const order = useMemo(() => {
    const wait = (place: number): number => {
      const [start, arrived] = timesOf(reply, place)
      return arrived - start
    }
    return members.lane.map((_, place) => place).sort((a, b) => wait(b) - wait(a))
  }, [reply])
  return (
    <SmallTable first="Collective" columns={['Rank', 'Step', 'Start', 'Wait', 'Transfer', 'Came last', '']}>
      {order.slice(0, MOST_ROWS).map((place) => {
        const lane = lanes[members.lane[place] ?? 0]
        const [start, arrived, end] = timesOf(reply, place)
        const last = reply.lasts[members.last[place] ?? -1] ?? []
        const around = (end - start) / 3
        if (lane === undefined) return null
        return (
          <tr key={place}>
            <td class="is-text">
              <PlaceLink
                to={{ 'ranks.as': undefined, ...stretched(start - around, end + around), ...keeping(reply, place) }}
                title="All of its members, in the picture"
              >
                {kindOf(reply, place)}
              </PlaceLink>
            </td>
            <td>{lane.rank}</td>
            <td>{(members.step[place] ?? -1) < 0 ? 'none' : members.step[place]}</td>
            <td title={exactNs(start)}>{formatNs(start)}</td>
            {members.is_known[place] === true ? (
              <td title={exactNs(arrived - start)}>{waited(arrived - start, error)}</td>
            ) : (
              <TimeCell ns={null} />
            )}
            <TimeCell ns={members.is_known[place] === true ? (members.transfer_ns[place] ?? null) : null} />
            <td>
              <LastRanks ranks={last} />
            </td>
            <td>
              <EventLink
                of={{ run, ...lane, row: members.row[place] }}
                at={lane.zero_ns + start}
                lasted={end - start}
              />
            </td>
          </tr>
        )
      })}
    </SmallTable>
  )
}
