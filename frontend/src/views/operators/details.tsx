/** What is behind one row: how its calls spread, who calls them, what they launch, where they come from. */
import { Names } from '../../base/names'
import { exactCount } from '../../base/units'
import { useReply } from '../../data/reply'
import { filters } from '../../state/filters'
import { EventLink } from '../../widgets/links/event_link'
import { Histogram } from '../../widgets/charts/histogram'
import { PlaceLink } from '../../widgets/links/place_link'
import { Section, Sections } from '../../widgets/panel/section'
import { SmallTable, TimeCell } from '../../widgets/panel/small_table'
import type { Profile } from '../../wire/profile'
import type { OperatorDetails, OperatorRow, Operators, RelatedOperator } from '../../wire/wire'
import { kernelsOf } from '../links'
import * as define from './definitions'
import { Stacks } from './stacks'

const NAME_CHARACTERS = 44
const PAIR_CHARACTERS = 34

interface RowDetailsProps {
  readonly profile: Profile
  readonly group: Operators['group_by']
  readonly row: OperatorRow
}

export function RowDetails({ profile, group, row }: RowDetailsProps) {
  const params = {
    ...filters.value,
    group_by: group,
    name: row.name,
    kind: row.kind,
    input_shapes: row.input_shapes ?? undefined,
  }
  const reply = useReply('view/operators/details', profile, params).value
  if (reply.error !== undefined) return <p class="soft">{reply.error}</p>
  if (reply.value === undefined) return <p class="soft">Asking the server…</p>
  return (
    <Sections isPending={reply.pending}>
      <Behind details={reply.value} row={row} />
    </Sections>
  )
}

function Behind({ details, row }: { readonly details: OperatorDetails; readonly row: OperatorRow }) {
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

interface RelatedProps {
  readonly title: string
  readonly definition: string
  readonly rows: readonly RelatedOperator[]
  readonly hasDevice: boolean
}

function Related({ title, definition, rows, hasDevice }: RelatedProps) {
  if (rows.length === 0) return null
  const names = new Names(rows.map((row) => row.name))
  return (
    <Section title={title} definition={definition}>
      <SmallTable first="name" columns={['calls', 'host', hasDevice && 'device']}>
        {rows.map((row) => (
          <tr key={`${row.kind} ${row.name}`}>
            <td class="is-text">
              <RelatedName row={row} names={names} />
            </td>
            <td>{exactCount(row.count)}</td>
            <TimeCell ns={row.host_ns} />
            {hasDevice && <TimeCell ns={row.device_ns} />}
          </tr>
        ))}
      </SmallTable>
    </Section>
  )
}

function RelatedName({ row, names }: { readonly row: RelatedOperator; readonly names: Names }) {
  if (row.kind === 'top') return <span class="soft">nothing around</span>
  if (row.kind === 'python') return <span class="soft">Python functions</span>
  if (row.kind === 'rest') return <span class="soft">{row.name}</span>
  const to = { 'operators.row': row.name, 'operators.group': undefined }
  const name = names.cut(row.name, NAME_CHARACTERS)
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
        <SmallTable key={`${pair.forward} ${pair.backward}`} class="pair" first="" columns={['forward', 'backward']}>
          <tr>
            <td class="is-text">name</td>
            {[pair.forward, pair.backward].map((name) => (
              <td key={name} class="is-name">
                <PlaceLink
                  class="place-link mono"
                  to={{ 'operators.row': name, 'operators.group': undefined }}
                  title={name}
                >
                  {pairName(name, [pair.forward, pair.backward])}
                </PlaceLink>
              </td>
            ))}
          </tr>
          <tr>
            <td class="is-text">host</td>
            <TimeCell ns={pair.forward_host_ns} />
            <TimeCell ns={pair.backward_host_ns} />
          </tr>
          {hasDevice && (
            <tr>
              <td class="is-text">device</td>
              <TimeCell ns={pair.forward_device_ns} />
              <TimeCell ns={pair.backward_device_ns} />
            </tr>
          )}
          <tr>
            <td class="is-text">calls</td>
            <td>{exactCount(pair.forward_count)}</td>
            <td>{exactCount(pair.backward_count)}</td>
          </tr>
        </SmallTable>
      ))}
    </Section>
  )
}

const EVALUATE = 'autograd::engine::evaluate_function: '

function pairName(name: string, both: readonly string[]): string {
  const names = new Names(both.map((each) => each.replace(EVALUATE, '')))
  return names.cut(name.replace(EVALUATE, ''), PAIR_CHARACTERS)
}

function Kernels({ details }: { readonly details: OperatorDetails }) {
  if (details.kernels.length === 0) return null
  const names = new Names(details.kernels.map((kernel) => kernel.name))
  return (
    <Section title="Kernels, copies and sets" definition={define.kernels}>
      <SmallTable first="name" columns={['count', 'self', 'total']}>
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
                  {names.cut(kernel.name, NAME_CHARACTERS)}
                </PlaceLink>
              )}
            </td>
            <td>{exactCount(kernel.count)}</td>
            <TimeCell ns={kernel.self_ns} />
            <TimeCell ns={kernel.total_ns} />
          </tr>
        ))}
      </SmallTable>
    </Section>
  )
}

function Modules({ details, hasDevice }: { readonly details: OperatorDetails; readonly hasDevice: boolean }) {
  if (!details.has_modules) return null
  const names = new Names(details.modules.map((module) => module.path ?? ''))
  return (
    <Section title="Modules" definition={define.modules}>
      <SmallTable first="module" columns={['calls', 'host', hasDevice && 'device']}>
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
                  {names.cut(module.path, NAME_CHARACTERS)}
                </PlaceLink>
              )}
            </td>
            <td>{exactCount(module.count)}</td>
            <TimeCell ns={module.host_ns} />
            {hasDevice && <TimeCell ns={module.device_ns} />}
          </tr>
        ))}
      </SmallTable>
    </Section>
  )
}

function Longest({ details }: { readonly details: OperatorDetails }) {
  if (details.longest.length === 0) return null
  const names = new Names(details.longest.map((call) => call.name))
  const hasDevice = details.longest.some((call) => call.device_ns !== null && call.device_ns > 0)
  return (
    <Section title="Longest calls" definition={define.longest}>
      <SmallTable first="in the timeline" columns={['at', 'duration', hasDevice && 'device']}>
        {details.longest.map((call) => (
          <tr key={call.row}>
            <td class="is-text mono">
              <EventLink event={call} title={call.name}>
                {names.cut(call.name, NAME_CHARACTERS)}
              </EventLink>
            </td>
            <TimeCell ns={call.start_ns} />
            <TimeCell ns={call.duration_ns} />
            {hasDevice && <TimeCell ns={call.device_ns} />}
          </tr>
        ))}
      </SmallTable>
    </Section>
  )
}
