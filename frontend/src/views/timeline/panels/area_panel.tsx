/** What is in the area: its events summed by name. Each row leads to its longest event. */
import { exactNs, formatNs, plural } from '../../../base/units'
import { useReply } from '../../../data/reply'
import type { Column } from '../../../widgets/table/column'
import { DataTable } from '../../../widgets/table/data_table'
import type { AreaName } from '../../../wire/wire'
import * as define from '../definitions'
import type { Area } from '../store/place'
import type { TimelineStore } from '../store/store'

export function AreaPanel({ store, area }: { readonly store: TimelineStore; readonly area: Area }) {
  const { profile } = store
  const params = { t0_ns: Math.round(area.t0), t1_ns: Math.round(area.t1), tracks: area.tracks.join(',') }
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
            {plural(value.count, 'event')} of {plural(value.n_names, 'name')}
            {value.rows.length < value.n_names && `, the first ${value.rows.length} listed`}
            {value.devices.map((d) => ` · device ${d.device} busy ${formatNs(d.busy_ns)}, gaps ${formatNs(d.gaps_ns)}`)}
            {value.devices.length === 0 &&
              value.tracks.map((t) => ` · ${t.name} idle ${formatNs(t.idle_ns)}`).slice(0, 3)}
          </span>
        )}
        <span class="grow" />
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
          id="timeline_area"
          label="Events in the area, by name"
          rows={value.rows}
          columns={COLUMNS}
          sort={{ column: 'self_ns', descending: true }}
          keyOf={(row) => `${row.kind} ${row.name}`}
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

const COLUMNS: readonly Column<AreaName>[] = [
  { id: 'name', title: 'Name', kind: 'name', value: (row) => row.name, definition: define.area_name },
  {
    id: 'kind',
    title: 'Kind',
    kind: 'text',
    width: 110,
    value: (row) => row.kind.replaceAll('_', ' '),
    definition: define.kind,
  },
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
