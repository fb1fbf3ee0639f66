/** What is in the area: its events summed by name, category, module or step. Each row leads to its longest event. */
import './area.css'

import { formatNs, formatShare, plural } from '../../../base/units'
import { useReply } from '../../../data/reply'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import type { Column } from '../../../widgets/table/column'
import { DataTable } from '../../../widgets/table/data_table'
import type { AreaName, TimelineArea } from '../../../wire/wire'
import * as define from '../definitions'
import type { Area } from '../store/place'
import type { TimelineStore } from '../store/store'
import { Calls } from './calls_panel'
import { paintWords } from './legend'

/** What the area is shown as: rows that add up, or who called whom. */
const VIEWS = [
  { id: 'table', label: 'Table' },
  { id: 'flame', label: 'Flame graph' },
  { id: 'callees', label: 'Flame graph, inverted' },
] as const

const SIDES = [
  { id: 'device', label: 'Devices' },
  { id: 'host', label: 'Threads' },
] as const

const FRAMES = [
  { id: 'all', label: 'All' },
  { id: 'operators', label: 'Operators' },
  { id: 'python', label: 'Python' },
] as const

export function AreaPanel({ store, area }: { readonly store: TimelineStore; readonly area: Area }) {
  const { profile } = store
  const group = chosen(GROUPS, 'timeline.group')
  const view = chosen(VIEWS, 'timeline.as')
  const frames = chosen(FRAMES, 'timeline.frames')
  const stretch = { t0_ns: Math.round(area.t0), t1_ns: Math.round(area.t1), tracks: area.tracks.join(',') }
  const { value, error } = useReply('view/timeline/area', profile, { ...stretch, group_by: group }).value
  const sides = SIDES.filter(({ id }) => value?.rows.some((row) => row.on_device === (id === 'device')) ?? false)
  const side = sides.find(({ id }) => id === at('timeline.side'))?.id ?? sides[0]?.id ?? 'host'
  const rows = value?.rows.filter((row) => row.on_device === (side === 'device')) ?? []
  return (
    <section class="tl-area" aria-label="Area">
      <header>
        <h2>
          {formatNs(area.t1 - area.t0)} on {plural(area.tracks.length, 'track')}
        </h2>
        {value !== undefined && (
          <span class="soft tl-area-words">
            {plural(value.count, 'event')}
            {value.rows.length < value.n_names && `, the first ${value.rows.length} of ${value.n_names} rows listed`}
            {busyWords(value)}
          </span>
        )}
        <span class="grow" />
        <Select label="As" value={view} options={VIEWS} onChoose={(id) => choose('timeline.as', id, 'table')} />
        {sides.length > 1 && (
          <Select label="Of" value={side} options={sides} onChoose={(id) => choose('timeline.side', id, 'device')} />
        )}
        {view === 'table' ? (
          <Select
            label="Group by"
            value={group}
            options={GROUPS}
            onChoose={(id) => choose('timeline.group', id, 'name')}
          />
        ) : (
          <Select
            label="Frames"
            value={frames}
            options={FRAMES}
            onChoose={(id) => choose('timeline.frames', id, 'all')}
          />
        )}
        <button type="button" class="button is-small" onClick={() => store.window.show(area.t0, area.t1)}>
          Zoom to it
        </button>
        <button
          type="button"
          class="button is-plain is-small"
          aria-label="Close the area"
          title="Close (Esc)"
          onClick={() => store.chooseArea(undefined)}
        >
          ✕
        </button>
      </header>
      {error !== undefined && <p class="is-bad">{error}</p>}
      {view !== 'table' ? (
        value !== undefined && (
          <Calls store={store} params={{ ...stretch, side, frames, inverted: view === 'callees' }} />
        )
      ) : value === undefined ? null : (
        <DataTable
          key={`${value.group_by} ${side}`}
          id={`timeline_area_${value.group_by}`}
          label={`Events in the area, by ${value.group_by}`}
          rows={rows}
          columns={COLUMNS[value.group_by]}
          sort={{ column: 'self_ns', descending: true }}
          keyOf={(row) => `${row.kind ?? ''} ${row.name ?? ''}`}
          fileParts={[profile.run, profile.worker, profile.span, 'area']}
          details={(row) => (
            <button type="button" class="button" onClick={() => store.visit(row.longest)}>
              Show the longest
            </button>
          )}
        />
      )}
    </section>
  )
}

type Options<T extends string> = readonly [{ readonly id: T }, ...(readonly { readonly id: T }[])]

function chosen<T extends string>(options: Options<T>, key: string): T {
  return (options.find(({ id }) => id === at(key)) ?? options[0]).id
}

/** Another tree has other nodes: what was zoomed to is not there. */
function choose(key: string, id: string, usual: string): void {
  go({ [key]: id === usual ? undefined : id, 'timeline.call': undefined })
}

type Group = TimelineArea['group_by']

const GROUPS = [
  { id: 'name', label: 'Name' },
  { id: 'category', label: 'Category' },
  { id: 'module', label: 'Module' },
  { id: 'step', label: 'Step' },
] as const

/** How busy each device is, else how idle the first threads are. */
function busyWords({ t0_ns, t1_ns, devices, tracks }: TimelineArea): string {
  const share = (ns: number): string => `${formatNs(ns)} (${formatShare(ns / (t1_ns - t0_ns))})`
  const words =
    devices.length > 0
      ? devices.map((d) => `device ${d.device} busy ${share(d.busy_ns)}, gaps ${share(d.gaps_ns)}`)
      : tracks.slice(0, 3).map((t) => `${t.name} idle ${share(t.idle_ns)}`)
  return words.map((each) => ` · ${each}`).join('')
}

const FIRST: Readonly<Record<Group, Column<AreaName>>> = {
  name: { id: 'name', title: 'Name', kind: 'name', value: (row) => row.name, definition: define.area_name },
  category: {
    id: 'name',
    title: 'Category',
    kind: 'name',
    value: (row) => paintWords(row.name ?? ''),
    definition: define.area_category,
  },
  module: {
    id: 'name',
    title: 'Module',
    kind: 'name',
    absent: 'in no module',
    value: (row) => row.name,
    definition: define.area_module,
  },
  step: {
    id: 'name',
    title: 'Step',
    kind: 'name',
    absent: 'outside of steps',
    value: (row) => row.name,
    definition: define.area_step,
  },
}

const KIND: Column<AreaName> = {
  id: 'kind',
  title: 'Kind',
  kind: 'text',
  width: 110,
  value: (row) => row.kind?.replaceAll('_', ' ') ?? '',
  definition: define.kind,
}

const FIGURES: readonly Column<AreaName>[] = [
  { id: 'count', title: 'Events', kind: 'count', sums: true, value: (row) => row.count, definition: define.count },
  {
    id: 'self_ns',
    title: 'Self',
    kind: 'ns',
    sums: true,
    value: (row) => row.self_ns,
    definition: define.area_self_ns,
  },
  { id: 'time_ns', title: 'Total', kind: 'ns', value: (row) => row.time_ns, definition: define.time_ns },
  {
    id: 'longest_ns',
    title: 'Longest',
    kind: 'ns',
    value: (row) => row.longest.duration_ns,
    definition: define.longest,
  },
]

const COLUMNS: Readonly<Record<Group, readonly Column<AreaName>[]>> = {
  name: [FIRST.name, KIND, ...FIGURES],
  category: [FIRST.category, ...FIGURES],
  module: [FIRST.module, ...FIGURES],
  step: [FIRST.step, ...FIGURES],
}
