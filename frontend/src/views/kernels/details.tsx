/** What is behind a row, in the side panel: how its runs spread, what launched them and how, the longest of them. */
import type { ComponentChildren } from 'preact'

import { categoryOf } from '../../base/categories'
import { cutMiddle } from '../../base/cut'
import { exactNs, formatBytes, formatNs, formatShare, plural } from '../../base/units'
import { useReply } from '../../data/reply'
import type { Query } from '../../data/request'
import type { KernelDetails, KernelLaunch, KernelPart, KernelRow, Kernels } from '../../data/wire'
import { windowAround } from '../../layout/event_window'
import { insideName } from '../../state/filters'
import type { Changes } from '../../state/hash'
import { tablePlace } from '../../state/table_place'
import { Histogram } from '../../widgets/histogram'
import { PlaceLink } from '../../widgets/place_link'
import { Definition } from '../../widgets/popup'
import * as define from './definitions'

const LEAST_WINDOW_NS = 20_000
const NAME_CHARACTERS = 44

interface DetailsProps {
  readonly row: KernelRow
  readonly group: Kernels['group_by']
  readonly query: Query
  readonly version: string
}

export function Details({ row, group, query, version }: DetailsProps) {
  const asked = { ...query, row: row.example }
  const { value, pending, error } = useReply<KernelDetails>('view/kernels/details', asked, version).value
  if (error !== undefined) return <p class="soft">{error}</p>
  // Another row's details must not stand under this row's name.
  if (value === undefined || (pending && (value.count !== row.count || value.total_ns !== row.total_ns)))
    return <p class="soft">Asking the server…</p>
  const color = categoryOf(row.category)?.color ?? 'var(--c-kernel)'
  return (
    <div class="kernel-details">
      {value.spread !== null && (
        <Histogram of="Time of a call" definition={define.spread} spread={value.spread} color={color} />
      )}
      {group !== 'name' && group !== 'launch' && (
        <Parts title="Kernels" parts={value.names} total={value.total_ns} link={linkToName} />
      )}
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
      <Section title="Longest calls, in the timeline" text={define.longest}>
        <ol class="kernel-list">
          {value.longest.map((call) => {
            const [t0, t1] = windowAround(call.start_ns, call.duration_ns, LEAST_WINDOW_NS)
            return (
              <li key={call.row}>
                <PlaceLink
                  class="kernel-link mono"
                  title={call.name}
                  to={{
                    view: 'timeline',
                    'timeline.t0_ns': String(t0),
                    'timeline.t1_ns': String(t1),
                    'timeline.row': String(call.row),
                  }}
                >
                  {group === 'name' || group === 'launch'
                    ? `at ${formatNs(call.start_ns)}`
                    : cutMiddle(call.name, NAME_CHARACTERS)}
                </PlaceLink>
                <span title={exactNs(call.duration_ns)}>{formatNs(call.duration_ns)}</span>
              </li>
            )
          })}
        </ol>
      </Section>
    </div>
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
      <ol class="kernel-list">
        {parts.map((part) => (
          <li key={part.is_rest ? 'rest' : (part.name ?? '')}>
            <PartName part={part} nobody={nobody} link={link} />
            <Amount ns={part.total_ns} total={total} count={part.count} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

interface PartNameProps {
  readonly part: KernelPart
  readonly nobody: string
  readonly link: PartsProps['link'] | undefined
}

function PartName({ part, nobody, link }: PartNameProps) {
  if (part.is_rest) return <span class="soft">all others</span>
  if (part.name === null) return <span class="soft">{nobody}</span>
  const shown = cutMiddle(part.name, NAME_CHARACTERS)
  if (link === undefined) {
    return (
      <span class="mono" title={part.name}>
        {shown}
      </span>
    )
  }
  return (
    <PlaceLink class="kernel-link mono" title={part.name} to={link(part.name)}>
      {shown}
    </PlaceLink>
  )
}

function Launches({ launches, total }: { readonly launches: readonly KernelLaunch[]; readonly total: number }) {
  if (launches.every((launch) => launch.grid === null && launch.registers === null)) return null
  return (
    <Section title="Launch shapes">
      <ol class="kernel-list">
        {launches.map((launch, index) => (
          <li key={index}>
            <span class={launch.is_rest ? 'soft' : 'mono'} title={shapeWords(launch)}>
              {launch.is_rest ? 'all others' : shape(launch)}
            </span>
            <Amount ns={launch.total_ns} total={total} count={launch.count} />
          </li>
        ))}
      </ol>
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

function Amount({ ns, total, count }: { readonly ns: number; readonly total: number; readonly count: number }) {
  return (
    <span title={`${exactNs(ns)}, ${plural(count, 'call')}`}>
      {formatNs(ns)} <span class="soft">{formatShare(ns / Math.max(total, 1))}</span>{' '}
      <span class="soft">{plural(count, 'call')}</span>
    </span>
  )
}

function Section({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text?: string
  readonly children: ComponentChildren
}) {
  return (
    <section>
      <h3>
        {title} {text !== undefined && <Definition of={title.toLowerCase()} text={text} />}
      </h3>
      {children}
    </section>
  )
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
