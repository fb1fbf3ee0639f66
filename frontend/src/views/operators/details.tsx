/** What is behind one row: how its calls spread, who calls them, what they launch, where they come from. */
import type { ComponentChildren } from 'preact'

import { cutMiddle } from '../../base/cut'
import { exactCount, exactNs, formatNs } from '../../base/units'
import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { OperatorDetails, OperatorRow, RelatedOperator } from '../../data/wire'
import { filters } from '../../state/filters'
import { kernelsOf } from '../../state/table_place'
import { EventLink } from '../../widgets/event_link'
import { Histogram } from '../../widgets/histogram'
import { PlaceLink } from '../../widgets/place_link'
import { Definition } from '../../widgets/popup'
import type { Profile } from '../props'
import * as define from './definitions'
import type { GroupId } from './groups'
import { Stacks } from './stacks'

const NAME_CHARACTERS = 44
const PAIR_CHARACTERS = 34

interface RowDetailsProps {
  readonly profile: Profile
  readonly group: GroupId
  readonly row: OperatorRow
}

export function RowDetails({ profile, group, row }: RowDetailsProps) {
  const question = {
    ...profile,
    ...filters.value,
    group_by: group,
    name: row.name,
    kind: row.kind,
    input_shapes: row.input_shapes ?? undefined,
  }
  const reply = useReply<OperatorDetails>('view/operators/details', question, versionOf(profile)).value
  if (reply.error !== undefined) return <p class="soft">{reply.error}</p>
  if (reply.value === undefined) return <p class="soft">Asking the server…</p>
  return (
    <div class={`row-details${reply.pending ? ' is-pending' : ''}`}>
      <Sections details={reply.value} row={row} />
    </div>
  )
}

function Sections({ details, row }: { readonly details: OperatorDetails; readonly row: OperatorRow }) {
  const hasDevice = row.device_total_ns > 0
  return (
    <>
      {details.host !== null && (
        <Histogram
          of="Host time of a call"
          definition={define.host}
          spread={details.host}
          color="var(--c-other-host)"
        />
      )}
      {details.device !== null && (
        <Histogram
          of={row.kind === 'not_attributed' ? 'Device time of an event' : 'Device time of a call'}
          definition={define.device}
          spread={details.device}
          color="var(--c-kernel)"
        />
      )}
      <Related title="Operators" definition={define.operators} rows={details.operators} hasDevice={hasDevice} />
      <Pairs details={details} />
      <Kernels details={details} />
      <Related title="Called by" definition={define.callers} rows={details.callers} hasDevice={hasDevice} />
      <Related title="Calls" definition={define.callees} rows={details.callees} hasDevice={hasDevice} />
      {row.kind !== 'not_attributed' && <Stacks details={details} hasDevice={hasDevice} />}
      <Modules details={details} hasDevice={hasDevice} />
      <Longest details={details} />
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly definition: string
  readonly children: ComponentChildren
}

export function Section({ title, definition, children }: SectionProps) {
  return (
    <section>
      <h3>
        {title}
        <Definition of={title} text={definition} />
      </h3>
      {children}
    </section>
  )
}

interface RelatedProps {
  readonly title: string
  readonly definition: string
  readonly rows: readonly RelatedOperator[]
  readonly hasDevice: boolean
}

function Related({ title, definition, rows, hasDevice }: RelatedProps) {
  if (rows.length === 0) return null
  return (
    <Section title={title} definition={definition}>
      <table class="small-table">
        <Head first="name" columns={['calls', 'host', hasDevice && 'device']} />
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.name}`}>
              <td class="is-text">
                <RelatedName row={row} />
              </td>
              <td>{exactCount(row.count)}</td>
              <Time ns={row.host_ns} />
              {hasDevice && <Time ns={row.device_ns} />}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function RelatedName({ row }: { readonly row: RelatedOperator }) {
  if (row.kind === 'top') return <span class="soft">nothing around</span>
  if (row.kind === 'python') return <span class="soft">Python functions</span>
  if (row.kind === 'rest') return <span class="soft">{row.name}</span>
  const to = { 'operators.row': row.name, 'operators.group': undefined }
  const name = cutMiddle(row.name, NAME_CHARACTERS)
  // A launch call inside an operator is no row of the table.
  if (row.kind === 'launch') return <span class="mono">{name}</span>
  return (
    <PlaceLink class="place-link mono" to={to} title={row.name}>
      {name}
    </PlaceLink>
  )
}

function Pairs({ details }: { readonly details: OperatorDetails }) {
  if (details.pairs.length === 0) return null
  const hasDevice = details.pairs.some((pair) => pair.forward_device_ns + pair.backward_device_ns > 0)
  return (
    <Section title="Forward and backward" definition={define.pairs}>
      {details.pairs.map((pair) => (
        <table key={`${pair.forward} ${pair.backward}`} class="small-table pair">
          <Head first="" columns={['forward', 'backward']} />
          <tbody>
            <tr>
              <td class="is-text">name</td>
              {[pair.forward, pair.backward].map((name) => (
                <td key={name} class="is-name">
                  <PlaceLink
                    class="place-link mono"
                    to={{ 'operators.row': name, 'operators.group': undefined }}
                    title={name}
                  >
                    {cutMiddle(name.replace('autograd::engine::evaluate_function: ', ''), PAIR_CHARACTERS)}
                  </PlaceLink>
                </td>
              ))}
            </tr>
            <tr>
              <td class="is-text">host</td>
              <Time ns={pair.forward_host_ns} />
              <Time ns={pair.backward_host_ns} />
            </tr>
            {hasDevice && (
              <tr>
                <td class="is-text">device</td>
                <Time ns={pair.forward_device_ns} />
                <Time ns={pair.backward_device_ns} />
              </tr>
            )}
            <tr>
              <td class="is-text">calls</td>
              <td>{exactCount(pair.forward_count)}</td>
              <td>{exactCount(pair.backward_count)}</td>
            </tr>
          </tbody>
        </table>
      ))}
    </Section>
  )
}

function Kernels({ details }: { readonly details: OperatorDetails }) {
  if (details.kernels.length === 0) return null
  return (
    <Section title="Kernels, copies and sets" definition={define.kernels}>
      <table class="small-table">
        <Head first="name" columns={['count', 'self', 'total']} />
        <tbody>
          {details.kernels.map((kernel) => (
            <tr key={`${kernel.kind} ${kernel.name}`}>
              <td class="is-text">
                {kernel.kind === 'rest' ? (
                  <span class="soft">{kernel.name}</span>
                ) : (
                  <PlaceLink
                    class="place-link mono"
                    title={kernel.name}
                    to={kernelsOf(kernel.kind, { row: kernel.name })}
                  >
                    {cutMiddle(kernel.name, NAME_CHARACTERS)}
                  </PlaceLink>
                )}
              </td>
              <td>{exactCount(kernel.count)}</td>
              <Time ns={kernel.self_ns} />
              <Time ns={kernel.total_ns} />
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function Modules({ details, hasDevice }: { readonly details: OperatorDetails; readonly hasDevice: boolean }) {
  if (!details.has_modules) return null
  return (
    <Section title="Modules" definition={define.modules}>
      <table class="small-table">
        <Head first="module" columns={['calls', 'host', hasDevice && 'device']} />
        <tbody>
          {details.modules.map((module) => (
            <tr key={module.path ?? (module.is_rest ? 'rest' : 'none')}>
              <td class="is-text">
                {module.path === null ? (
                  <span class="soft">{module.is_rest ? 'others' : 'in no module'}</span>
                ) : (
                  <PlaceLink
                    class="place-link mono"
                    to={{ module: module.path }}
                    title={`Only what runs in ${module.path}`}
                  >
                    {module.path}
                  </PlaceLink>
                )}
              </td>
              <td>{exactCount(module.count)}</td>
              <Time ns={module.host_ns} />
              {hasDevice && <Time ns={module.device_ns} />}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function Longest({ details }: { readonly details: OperatorDetails }) {
  if (details.longest.length === 0) return null
  const hasDevice = details.longest.some((call) => call.device_ns !== null && call.device_ns > 0)
  return (
    <Section title="Longest calls" definition={define.longest}>
      <table class="small-table">
        <Head first="in the timeline" columns={['at', 'duration', hasDevice && 'device']} />
        <tbody>
          {details.longest.map((call) => (
            <tr key={call.row}>
              <td class="is-text mono">
                <EventLink event={call} title={call.name}>
                  {cutMiddle(call.name, NAME_CHARACTERS)}
                </EventLink>
              </td>
              <Time ns={call.start_ns} />
              <Time ns={call.duration_ns} />
              {hasDevice && <Time ns={call.device_ns} />}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

interface HeadProps {
  readonly first: string
  readonly columns: readonly (string | false)[]
}

export function Head({ first, columns }: HeadProps) {
  return (
    <thead>
      <tr>
        {first === '' ? (
          <td />
        ) : (
          <th scope="col" class="is-text">
            {first}
          </th>
        )}
        {columns.map(
          (title) =>
            title !== false && (
              <th key={title} scope="col">
                {title}
              </th>
            ),
        )}
      </tr>
    </thead>
  )
}

/** A cell; null is "–": the time belongs to the row itself. */
export function Time({ ns }: { readonly ns: number | null }) {
  return ns === null ? <td class="is-absent">–</td> : <td title={exactNs(ns)}>{formatNs(ns)}</td>
}
