/** What is behind a row, in the side panel: how its runs spread, what launched them and how, the longest of them. */
import '../../widgets/panel/small_table.css'

import { categoryOf } from '../../base/categories'
import { formatBytes, formatNs, plural } from '../../base/units'
import { useReply } from '../../data/reply'
import { insideName } from '../../state/filters'
import type { Changes } from '../../state/hash'
import { EventLink } from '../../widgets/links/event_link'
import { Histogram } from '../../widgets/charts/histogram'
import { PlaceLink } from '../../widgets/links/place_link'
import { Section, Sections } from '../../widgets/panel/section'
import { columnsOf } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import { messages } from '../../widgets/table/messages'
import type { Profile } from '../../wire/profile'
import type {
  KernelCollective,
  KernelLaunch,
  KernelPart,
  KernelRow,
  Kernels,
  KernelsParams,
  ListedEvent,
} from '../../wire/wire'
import { tablePlace } from '../links'
import * as define from './definitions'
import { KERNEL_COLLECTIVE, KERNEL_PART, LISTED_EVENT } from './row_figures'

interface DetailsProps {
  readonly row: KernelRow
  readonly group: Kernels['group_by']
  readonly profile: Profile
  /** What the row was asked with. */
  readonly params: KernelsParams
}

export function Details({ row, group, profile, params }: DetailsProps) {
  const asked = { ...params, row: row.example }
  const { value, pending, error } = useReply('view/kernels/details', profile, asked).value
  if (error !== undefined) return <p class="soft">{error}</p>
  // Another row's details must not stand under this row's name.
  if (value === undefined || (pending && (value.count !== row.count || value.total_ns !== row.total_ns)))
    return <p class="soft">Asking the server…</p>
  const isSame = group === 'name' || group === 'launch' // all calls have the row's own name
  const color = categoryOf(row.category)?.color ?? 'var(--c-kernel)'
  return (
    <Sections isPending={pending}>
      {value.spread !== null && (
        <Histogram of="Time of a call" definition={define.spread} spread={value.spread} color={color} />
      )}
      {value.collectives.length > 0 && <Collectives collectives={value.collectives} />}
      {!isSame && <Parts title="Kernels" parts={value.names} total={value.total_ns} link={linkToName} />}
      {group !== 'operator' && (
        <Parts
          title="Launched by"
          parts={value.operators}
          total={value.total_ns}
          nobody="not attributed"
          link={linkToOperator}
        />
      )}
      {group !== 'launch' && <Launches launches={value.launches} total={value.total_ns} />}
      {value.modules.length > 0 && group !== 'module' && (
        <Parts title="Modules" parts={value.modules} total={value.total_ns} nobody="in no module" link={linkToModule} />
      )}
      {value.call_sites.length > 0 && (
        <Parts title="Call sites" parts={value.call_sites} total={value.total_ns} nobody="unknown" />
      )}
      {value.streams.length > 1 && <Parts title="Streams" parts={value.streams} total={value.total_ns} />}
      <Section title="Longest calls" definition={define.longest}>
        <FigureTable
          rows={value.longest}
          columns={columnsOf<ListedEvent, typeof LISTED_EVENT>(LISTED_EVENT, {
            name: {
              draw: (call, characters, names) => (
                <EventLink event={call} title={call.name} class="mono">
                  {isSame ? `at ${formatNs(call.start_ns)}` : names.cut(call.name, characters)}
                </EventLink>
              ),
            },
            start_ns: isSame ? false : { isPlace: true },
          })}
        />
      </Section>
    </Sections>
  )
}

function Collectives({ collectives }: { readonly collectives: readonly KernelCollective[] }) {
  return (
    <Section title="Collectives">
      <FigureTable
        rows={collectives}
        columns={columnsOf<KernelCollective, typeof KERNEL_COLLECTIVE>(KERNEL_COLLECTIVE, {
          kind: { draw: (part) => <WhatAndWhere part={part} /> },
          n_collectives: {},
          kernels_ns: {},
          message_bytes: { draw: (part) => messages(part.message_bytes, part.n_unsized) },
          least_bus_bytes_per_s: {},
          process_group: false,
          dimension: false,
          n_ranks: false,
        })}
      />
    </Section>
  )
}

/** Room is for figures: the group is one line of words below the kind. */
function WhatAndWhere({
  part: { kind, process_group: group, dimension, n_ranks: n },
}: {
  readonly part: KernelCollective
}) {
  const where = [dimension, group, n === null ? null : plural(n, 'rank')].filter((each) => each !== null)
  return (
    <>
      <span class="mono">{kind}</span>
      <br />
      <span class="soft">{where.length > 0 ? where.join(', ') : 'group not recorded'}</span>
    </>
  )
}

interface PartsProps {
  readonly title: string
  readonly parts: readonly KernelPart[]
  readonly total: number
  readonly nobody?: string
  readonly link?: (name: string) => Changes
}

function Parts({ title, parts, total, nobody = 'none', link }: PartsProps) {
  return (
    <Section title={title}>
      <FigureTable
        rows={parts}
        columns={columnsOf<KernelPart, typeof KERNEL_PART>(KERNEL_PART, {
          name: {
            draw: (part, characters, names) => (
              <PartName part={part} shown={names.cut(part.name ?? '', characters)} nobody={nobody} link={link} />
            ),
          },
          count: {},
          total_ns: {},
          share: { value: (part) => part.total_ns / Math.max(total, 1) },
        })}
      />
    </Section>
  )
}

interface PartNameProps {
  readonly part: KernelPart
  /** Its name, as much as has room. */
  readonly shown: string
  readonly nobody: string
  readonly link: PartsProps['link'] | undefined
}

function PartName({ part, shown, nobody, link }: PartNameProps) {
  if (part.is_rest) return <span class="soft">all others</span>
  if (part.name === null) return <span class="soft">{nobody}</span>
  if (link === undefined) {
    return (
      <span class="mono" title={part.name}>
        {shown}
      </span>
    )
  }
  return (
    <PlaceLink class="place-link mono" title={part.name} to={link(part.name)}>
      {shown}
    </PlaceLink>
  )
}

function Launches({ launches, total }: { readonly launches: readonly KernelLaunch[]; readonly total: number }) {
  if (launches.every((launch) => launch.grid === null && launch.registers === null)) return null
  return (
    <Section title="Launch shapes">
      <FigureTable
        rows={launches.map((launch) => ({ ...launch, name: shape(launch) }))}
        columns={columnsOf<KernelLaunch & { readonly name: string }, typeof KERNEL_PART>(KERNEL_PART, {
          name: {
            title: 'Shape',
            draw: (launch) => (
              <span class={launch.is_rest ? 'soft' : 'mono'} title={shapeWords(launch)}>
                {launch.is_rest ? 'all others' : launch.name}
              </span>
            ),
          },
          count: {},
          total_ns: {},
          share: { value: (launch) => launch.total_ns / Math.max(total, 1) },
        })}
      />
    </Section>
  )
}

function shape({ grid, block }: KernelLaunch): string {
  return grid === null ? 'not recorded' : `grid ${grid.join('×')} block ${block?.join('×') ?? 'unknown'}`
}

function shapeWords(launch: KernelLaunch): string {
  const { registers, shared_bytes: shared, blocks_per_sm: blocks, occupancy_percent: occupancy } = launch
  return [
    registers === null ? undefined : `${registers} registers`,
    shared === null ? undefined : `${formatBytes(shared)} shared memory`,
    blocks === null ? undefined : `${blocks.toFixed(2)} blocks per SM`,
    occupancy === null ? undefined : `occupancy ${occupancy.toFixed(0)} %`,
  ]
    .filter((part) => part !== undefined)
    .join(', ')
}

function linkToOperator(name: string): Changes {
  return tablePlace('operators', { row: name })
}

function linkToModule(path: string): Changes {
  return { module: path }
}

function linkToName(name: string): Changes {
  return { inside: insideName(name) }
}
