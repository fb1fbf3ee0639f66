/** What is behind one row: how its calls spread, who calls them, what they launch, where they come from. */
import '../../widgets/panel/small_table.css'

import { useReply } from '../../data/reply'
import { filters } from '../../state/filters'
import { EventLink } from '../../widgets/links/event_link'
import { Histogram } from '../../widgets/charts/histogram'
import { PlaceLink } from '../../widgets/links/place_link'
import { Section, Sections } from '../../widgets/panel/section'
import { columnsOf } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import type { Profile } from '../../wire/profile'
import type {
  OperatorCall,
  OperatorDetails,
  OperatorKernel,
  OperatorModule,
  OperatorRow,
  Operators,
  RelatedOperator,
} from '../../wire/wire'
import { kernelsOf } from '../links'
import * as define from './definitions'
import { OPERATOR_CALL, OPERATOR_KERNEL, OPERATOR_MODULE, RELATED_OPERATOR } from './row_figures'
import { Stacks } from './stacks'

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
  return (
    <Section title={title} definition={definition}>
      <FigureTable
        rows={rows}
        columns={columnsOf<RelatedOperator, typeof RELATED_OPERATOR>(RELATED_OPERATOR, {
          name: {
            draw: (row, characters, names) => <RelatedName row={row} shown={names.cut(row.name, characters)} />,
          },
          count: {},
          host_ns: {},
          device_ns: hasDevice && {},
        })}
      />
    </Section>
  )
}

function RelatedName({ row, shown }: { readonly row: RelatedOperator; readonly shown: string }) {
  if (row.kind === 'top') return <span class="soft">nothing around</span>
  if (row.kind === 'python') return <span class="soft">Python functions</span>
  if (row.kind === 'rest') return <span class="soft">{row.name}</span>
  // A launch call inside an operator is no row of the table.
  if (row.kind === 'launch') return <span class="mono">{shown}</span>
  return <RowLink name={row.name} shown={shown} />
}

function RowLink({ name, shown }: { readonly name: string; readonly shown: string }) {
  return (
    <PlaceLink class="place-link mono" to={{ 'operators.row': name, 'operators.group': undefined }} title={name}>
      {shown}
    </PlaceLink>
  )
}

/** Two rows a pair. */
function Pairs({ details }: { readonly details: OperatorDetails }) {
  if (details.pairs.length === 0) return null
  const rows = details.pairs.flatMap((pair): RelatedOperator[] => [
    {
      name: pair.forward,
      kind: 'operator',
      count: pair.forward_count,
      host_ns: pair.forward_host_ns,
      device_ns: pair.forward_device_ns,
    },
    {
      name: pair.backward,
      kind: 'operator',
      count: pair.backward_count,
      host_ns: pair.backward_host_ns,
      device_ns: pair.backward_device_ns,
    },
  ])
  return (
    <Section title="Forward and backward" definition={define.pairs}>
      <FigureTable
        class="small-table pairs"
        rows={rows}
        columns={columnsOf<RelatedOperator, typeof RELATED_OPERATOR>(RELATED_OPERATOR, {
          name: {
            value: ({ name }) => name.replace(EVALUATE, ''),
            draw: ({ name }, characters, names) => (
              <RowLink name={name} shown={names.cut(name.replace(EVALUATE, ''), characters)} />
            ),
          },
          count: {},
          host_ns: {},
          device_ns: rows.some((row) => row.device_ns !== 0) && {},
        })}
      />
    </Section>
  )
}

const EVALUATE = 'autograd::engine::evaluate_function: '

function Kernels({ details }: { readonly details: OperatorDetails }) {
  if (details.kernels.length === 0) return null
  return (
    <Section title="Kernels, copies and sets" definition={define.kernels}>
      <FigureTable
        rows={details.kernels}
        columns={columnsOf<OperatorKernel, typeof OPERATOR_KERNEL>(OPERATOR_KERNEL, {
          name: {
            draw: ({ kind, name }, characters, names) =>
              kind === 'rest' ? (
                <span class="soft">{name}</span>
              ) : (
                <PlaceLink class="place-link mono" title={name} to={kernelsOf(kind, { row: name })}>
                  {names.cut(name, characters)}
                </PlaceLink>
              ),
          },
        })}
      />
    </Section>
  )
}

function Modules({ details, hasDevice }: { readonly details: OperatorDetails; readonly hasDevice: boolean }) {
  if (!details.has_modules) return null
  return (
    <Section title="Modules" definition={define.modules}>
      <FigureTable
        rows={details.modules}
        columns={columnsOf<OperatorModule, typeof OPERATOR_MODULE>(OPERATOR_MODULE, {
          path: {
            draw: ({ path, is_rest: isRest }, characters, names) =>
              path === null ? (
                <span class="soft">{isRest ? 'others' : 'in no module'}</span>
              ) : (
                <PlaceLink class="place-link mono" to={{ module: path }} title={`Only what runs in ${path}`}>
                  {names.cut(path, characters)}
                </PlaceLink>
              ),
          },
          count: {},
          host_ns: {},
          device_ns: hasDevice && {},
        })}
      />
    </Section>
  )
}

function Longest({ details: { longest } }: { readonly details: OperatorDetails }) {
  if (longest.length === 0) return null
  const hasDevice = longest.some((call) => call.device_ns !== null && call.device_ns > 0)
  return (
    <Section title="Longest calls" definition={define.longest}>
      <FigureTable
        rows={longest}
        columns={columnsOf<OperatorCall, typeof OPERATOR_CALL>(OPERATOR_CALL, {
          name: {
            draw: (call, characters, names) => (
              <EventLink event={call} title={call.name} class="mono">
                {names.cut(call.name, characters)}
              </EventLink>
            ),
          },
          start_ns: { isPlace: true },
          duration_ns: {},
          device_ns: hasDevice && {},
        })}
      />
    </Section>
  )
}
