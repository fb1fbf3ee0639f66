/** The table twin of several ranks side by side. */
import { useMemo } from 'preact/hooks'

import { exactNs, formatNs } from '../../base/units'
import { SmallTable, TimeCell } from '../../widgets/panel/small_table'
import type { RankLanes } from '../../wire/wire'
import { EventLink } from './rank_links'

const MOST_ROWS = 200

/** Start, arrival of the last, end. */
export function timesOf({ members }: RankLanes, place: number): readonly [number, number, number] {
  return [members.start_ns[place] ?? 0, members.arrived_ns[place] ?? 0, members.end_ns[place] ?? 0]
}

export function kindOf({ kinds, dimensions, members }: RankLanes, place: number): string {
  return `${kinds[members.kind[place] ?? 0]} (${dimensions[members.dimension[place] ?? 0]})`
}

/** The same values: those that wait longest first. */
export function LanesTable({ reply, run }: { readonly reply: RankLanes; readonly run: string }) {
  const { members, lanes } = reply
  const order = useMemo(() => {
    const wait = (place: number): number => {
      const [start, arrived] = timesOf(reply, place)
      return arrived - start
    }
    return members.lane.map((_, place) => place).sort((a, b) => wait(b) - wait(a))
  }, [reply])
  return (
    <SmallTable first="Collective" columns={['Rank', 'Start', 'Wait', 'Transfer', 'Came last', '']}>
      {order.slice(0, MOST_ROWS).map((place) => {
        const lane = lanes[members.lane[place] ?? 0]
        const [start, arrived, end] = timesOf(reply, place)
        const isKnown = members.is_known[place] === true
        if (lane === undefined) return null
        return (
          <tr key={place}>
            <td class="is-text">{kindOf(reply, place)}</td>
            <td>{lane.rank}</td>
            <td title={exactNs(start)}>{formatNs(start)}</td>
            <TimeCell ns={isKnown ? arrived - start : null} />
            <TimeCell ns={isKnown ? end - arrived : null} />
            <td>{members.is_last[place] === true ? 'yes' : ''}</td>
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
