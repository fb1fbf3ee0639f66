/** What is in the area: its events summed by name, category, module or step. Each row leads to its longest event. */
import { exactNs, formatNs, formatShare, plural } from '../../../base/units'
import { useReply } from '../../../data/reply'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import type { Column } from '../../../widgets/table/column'
import { DataTable } from '../../../widgets/table/data_table'
import type { AreaName, TimelineArea } from '../../../wire/wire'
import * as define from '../definitions'
import type { Area } from '../store/place'
import type { TimelineStore } from '../store/store'
import { paintWords } from './legend'

export function AreaPanel({ store, area }: { readonly store: TimelineStore; readonly area: Area }) {
  const { profile } = store
  const group = GROUPS.find(({ id }) => id === at('timeline.group'))?.id ?? 'name'
  const params = {
    t0_ns: Math.round(area.t0),
    t1_ns: Math.round(area.t1),
    tracks: area.tracks.join(','),
    group_by: group,
  }
  const reply = useReply('view/timeline/area', profile, params)
  const { value, error } = reply.value
  return (
    <section class="tl-area" aria-label="Area">
      <header>
        <h2>
          {formatNs(area.t1 - area.t0)} on {plural(area.tracks.length, 'track')}
        </h2>
        {value !== undefined && (
          <span class="soft" title={exactNs(value.self_ns)}>
            {plural(value.count, 'event')}
            {value.rows.length < value.n_names && `, the first ${value.rows.length} of ${value.n_names} rows listed`}
            {busyWords(value)}
          </span>
        )}
        <span class="grow" />
        <Select
          label="Group by"
          value={group}
          options={GROUPS}
          onChoose={(id) => go({ 'timeline.group': id === 'name' ? undefined : id })}
        />
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
      {value !== undefined && (
        <DataTable
          key={value.group_by}
          id={`timeline_area_${value.group_by}`}
          label={`Events in the area, by ${value.group_by}`}
          rows={value.rows}
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

type Group = TimelineArea['group_by']

const GROUPS: readonly { readonly id: Group; readonly label: string }[] = [
  { id: 'name', label: 'Name' },
  { id: 'category', label: 'Category' },
  { id: 'module', label: 'Module' },
  { id: 'step', label: 'Step' },
]

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
