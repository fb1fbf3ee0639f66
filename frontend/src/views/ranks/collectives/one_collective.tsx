/** One collective over all its members, in the order in which they came; each leads to its own profile. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { exactNs } from '../../../base/units'
import { useJointReply } from '../../../data/joint'
import { useReply } from '../../../data/reply'
import { at, go } from '../../../state/place'
import { PlaceLink } from '../../../widgets/links/place_link'
import { SmallTable, TimeCell } from '../../../widgets/panel/small_table'
import { Said } from '../../../widgets/panel/said'
import type { Profile } from '../../../wire/profile'
import type { CollectiveMember, InstanceRow, OneCollective, RankLanes } from '../../../wire/wire'
import { ofShownJob } from '../../of_job'
import { cameLast } from './came_last'
import { EventLink, UNPINNED, placeOfInstance } from '../rank_links'
import { waited } from '../waited'

const MOST_MEMBERS = 64

interface OneCollectivePanelProps {
  readonly run: string
  readonly reply: RankLanes
  readonly place: number
  readonly error: number | null
}

/** A link may name one that has gone with its file, or of another step. */
export function NotAmong({ isHere }: { readonly isHere: boolean }) {
  const [worker, row] = [at('ranks.worker'), at('ranks.row')]
  if (isHere || row === undefined) return null
  return (
    <p class="view-note" role="status">
      The collective asked for, row {row} of {worker ?? 'no worker'}, is not among these: none is chosen.
    </p>
  )
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
    <Told sentence={one.sentence}>
      {lane !== undefined && (
        <IssuedBy rank={lane.rank} profile={{ run, worker: lane.worker, span: lane.span }} row={row} />
      )}
      <Members
        of={one}
        error={error}
        link={(member) => {
          const own = laneOf.get(member.worker)
          const begun = (own?.zero_ns ?? 0) + start + member.arrived_ns - came
          const lasted = member.wait_ns + (member.transfer_ns ?? 0)
          return own !== undefined && <EventLink of={{ run, ...member }} at={begun} lasted={lasted} />
        }}
      />
    </Told>
  )
}

/** Whoever comes by keys is in it at once, and by Escape back in the picture. */
function Told({ sentence, children }: { readonly sentence: string; readonly children: ComponentChildren }) {
  const panel = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    // The link that led here went with what it stood in; whoever is in the picture stays there.
    if (document.activeElement === document.body) panel.current?.focus({ preventScroll: true })
  }, [])
  return (
    <section
      ref={panel}
      tabIndex={-1}
      class="ranks-lanes-one"
      aria-label="One collective"
      onKeyDown={({ code, currentTarget }) => {
        if (code !== 'Escape') return
        currentTarget.closest('.ranks-lanes')?.querySelector('canvas')?.focus({ preventScroll: true })
        go(UNPINNED)
      }}
    >
      <h2>
        <Said text={sentence} />
      </h2>
      {children}
    </section>
  )
}

interface MembersOfProps {
  readonly run: string
  readonly of: InstanceRow
  readonly error: number | null
}

/** Of one that stands in a table; each leads to where it lies beside the others. */
export function MembersOf({ run, of, error }: MembersOfProps) {
  const { worker, row } = of
  const one = useJointReply('view/ranks/collective', { ...ofShownJob(run), worker, row }).value.value?.result
  if (one === undefined) return <p class="soft">Reading.</p>
  return (
    <Members
      of={one}
      error={error}
      link={(member) => (
        <PlaceLink to={{ ...placeOfInstance(of), 'ranks.worker': member.worker, 'ranks.row': String(member.row) }}>
          side by side
        </PlaceLink>
      )}
    />
  )
}

interface MembersProps {
  readonly of: OneCollective
  readonly error: number | null
  readonly link: (member: CollectiveMember) => ComponentChildren
}

function Members({ of: { members, last_ranks: last }, error, link }: MembersProps) {
  if (members.length === 0) return null
  return (
    <SmallTable first="Rank" columns={['Came after the first', 'Wait', 'Transfer', '']}>
      {members.slice(-MOST_MEMBERS).map((member) => (
        <tr key={member.rank}>
          <td class="is-text">
            rank {member.rank}
            {last.includes(member.rank) && <b title={cameLast(last)}> came last{last.length > 1 ? ' together' : ''}</b>}
          </td>
          <td title={exactNs(member.arrived_ns)}>{waited(member.arrived_ns, error)}</td>
          <td title={exactNs(member.wait_ns)}>{waited(member.wait_ns, error)}</td>
          <TimeCell ns={member.transfer_ns} />
          <td>{link(member)}</td>
        </tr>
      ))}
    </SmallTable>
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
