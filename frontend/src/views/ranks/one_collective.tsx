/** One collective over all its members, in the order in which they came; each leads to its own profile. */
import { exactNs, withMicroseconds } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { useReply } from '../../data/reply'
import { SmallTable, TimeCell } from '../../widgets/panel/small_table'
import type { Profile } from '../../wire/profile'
import type { RankLanes } from '../../wire/wire'
import { cameLast } from './came_last'
import { EventLink } from './rank_links'
import { waited } from './waited'

const MOST_MEMBERS = 64

interface OneCollectivePanelProps {
  readonly run: string
  readonly reply: RankLanes
  readonly place: number
  readonly error: number | null
}

export function OneCollectivePanel({ run, reply, place, error }: OneCollectivePanelProps) {
  const lane = reply.lanes[reply.members.lane[place] ?? 0]
  const row = reply.members.row[place] ?? 0
  const found = useJointReply('view/ranks/collective', {
    run,
    worker: lane?.worker ?? '',
    span: lane?.span,
    row,
  })
  const one = found.value.value?.result
  if (one === undefined || one.sentence === null) return null
  const laneOf = new Map(reply.lanes.map((each) => [each.worker, each]))
  const start = reply.members.start_ns[place] ?? 0
  const came = one.members.find(({ worker }) => worker === lane?.worker)?.arrived_ns ?? 0
  return (
    <section class="ranks-lanes-one" aria-label="One collective">
      <h2>{withMicroseconds(one.sentence)}</h2>
      {lane !== undefined && (
        <IssuedBy rank={lane.rank} profile={{ run, worker: lane.worker, span: lane.span }} row={row} />
      )}
      {one.members.length > 0 && (
        <SmallTable first="Rank" columns={['Came after the first', 'Wait', 'Transfer', '']}>
          {one.members.slice(-MOST_MEMBERS).map((member) => {
            const own = laneOf.get(member.worker)
            const at = (own?.zero_ns ?? 0) + start + member.arrived_ns - came
            return (
              <tr key={member.rank}>
                <td class="is-text">
                  rank {member.rank}
                  {one.last_ranks.includes(member.rank) && (
                    <b title={cameLast(one.last_ranks)}> came last{one.last_ranks.length > 1 ? ' together' : ''}</b>
                  )}
                </td>
                <td title={exactNs(member.arrived_ns)}>{waited(member.arrived_ns, error)}</td>
                <td title={exactNs(member.wait_ns)}>{waited(member.wait_ns, error)}</td>
                <TimeCell ns={member.transfer_ns} />
                <td>
                  {own !== undefined && (
                    <EventLink of={{ run, ...member }} at={at} lasted={member.wait_ns + (member.transfer_ns ?? 0)} />
                  )}
                </td>
              </tr>
            )
          })}
        </SmallTable>
      )}
    </section>
  )
}

interface IssuedByProps {
  readonly rank: number
  readonly profile: Profile
  readonly row: number
}

/** As the rank's own profile tells it; the others issue the same. */
export function IssuedBy({ rank, profile, row }: IssuedByProps) {
  const event = useReply('view/timeline/event', profile, { row }).value.value
  if (event === undefined || event.row !== row) return null
  const operator = event.owner ?? event.parents.find(({ kind }) => kind === 'operator')
  const parts = [
    ['operator', operator?.name],
    ['module', event.module],
    ['called at', event.call_site],
  ].filter(([, name]) => name != null)
  return (
    <p>
      <span class="soft">Issued on rank {rank} by: </span>
      {parts.length === 0 && 'not recorded'}
      {parts.map(([what, name]) => (
        <span key={what} class="ranks-links">
          <span class="soft">{what}</span> <span class="mono">{name}</span>{' '}
        </span>
      ))}
    </p>
  )
}
