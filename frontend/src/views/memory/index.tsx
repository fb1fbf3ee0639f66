import './memory.css'

import { exactNs, formatBytes, formatNs } from '../../base/units'
import { useReply } from '../../data/reply'
import { filters } from '../../state/filters'
import { go, place } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import type { Profile } from '../../wire/profile'
import type { MemoryDevice, MemoryParams, MemoryUse } from '../../wire/wire'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { Curve } from './curve/curve'
import { Figures } from './figures'
import { instantWords } from './curve/instant'
import { deviceChanges, instantChanges, rangeChanges, readPlace } from './place'
import { Tables } from './tables/tables'
import { showInTimeline } from './timeline_links'

export function MemoryView({ profile }: ViewProps) {
  const { device, range, at: instant, by } = readPlace(place.value)
  const params = {
    ...filters.value,
    device,
    t0_ns: range?.[0],
    t1_ns: range?.[1],
    at_ns: instant,
    // Whatever the link says: what there is to group by, the server knows.
    group_by: by as MemoryParams['group_by'],
  }
  const reply = useReply('view/memory', profile, params)
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(use) => <Memory use={use} profile={profile} />}
    </ViewFrame>
  )
}

function Memory({ use, profile }: { readonly use: MemoryUse; readonly profile: Profile }) {
  const { table } = readPlace(place.value)
  const device = use.devices.find((each) => each.id === use.device)
  if (device === undefined) return null
  return (
    <div class="memory">
      <Bar use={use} />
      {use.notes.map((note) => (
        <p key={note} class="memory-note">
          {note}
        </p>
      ))}
      <Figures use={use} device={device} />
      <Curve use={use} />
      <Tables use={use} table={table} profile={profile} />
    </div>
  )
}

/** Device, range and instant: what everything below is about. */
function Bar({ use }: { readonly use: MemoryUse }) {
  const { held, start_ns: t0, end_ns: t1 } = use
  const isRange = t0 > use.window_start_ns || t1 < use.window_end_ns
  const isDragged = isRange && readPlace(place.value).range !== undefined // else the range is that of the steps filtered for
  return (
    <div class="memory-bar">
      <Select
        label="Device"
        value={use.device}
        options={use.devices.map((each) => ({ id: each.id, label: deviceText(each) }))}
        onChoose={(id) => go(deviceChanges(id))}
      />
      {isDragged && (
        <button
          type="button"
          class="chip"
          title={`${exactNs(t0)} to ${exactNs(t1)}. Show the whole recording.`}
          onClick={() => go(rangeChanges(undefined))}
        >
          {formatNs(t1 - t0)} from {instantWords(t0, [t0, t1])} <span aria-hidden="true">×</span>
        </button>
      )}
      {!held.is_peak && (
        <button
          type="button"
          class="chip"
          title={`${exactNs(held.time_ns)}. Back to the peak.`}
          onClick={() => go(instantChanges(undefined))}
        >
          at {instantWords(held.time_ns, [t0, t1])} <span aria-hidden="true">×</span>
        </button>
      )}
      <button
        type="button"
        class="button is-small"
        aria-pressed={held.is_peak}
        title={`The most allocated at one time in ${isRange ? 'the range' : 'the recording'}`}
        onClick={() => go(instantChanges(undefined))}
      >
        Peak
      </button>
      <span class="grow" />
      {isRange && (
        <button type="button" class="button is-small" onClick={() => showInTimeline(t0, t1 - t0, undefined)}>
          Show range in timeline
        </button>
      )}
      <button
        type="button"
        class="button is-small"
        onClick={() => showInTimeline(held.time_ns, 0, held.row ?? undefined)}
      >
        Show {held.is_peak ? 'peak' : 'instant'} in timeline
      </button>
    </div>
  )
}

function deviceText({ title, peak_allocated_bytes: peak }: MemoryDevice): string {
  return `${title}, peak ${formatBytes(peak)}`
}
