/** The table below the curve: one of those in `place.ts`. */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'

import { exactBytes, formatBytes, formatShare, plural } from '../../../base/units'
import { insideName } from '../../../state/filters'
import { go, place } from '../../../state/place'
import { Definition } from '../../../widgets/panel/popup'
import { GroupChoice } from '../../../widgets/choose/group_choice'
import { Select } from '../../../widgets/choose/select'
import { DataTable } from '../../../widgets/table/data_table'
import type { Profile } from '../../../wire/profile'
import type { MemoryGroup, MemorySegments, MemoryUse } from '../../../wire/wire'
import { soughtInTimeline } from '../../links'
import { Allocations } from './allocations'
import { POINTS, SEGMENTS, groupColumns } from './columns'
import * as define from '../definitions'
import { TABLES, groupingChanges, readPlace, tableChanges } from '../place'
import type { TableId } from '../place'
import { rowKey } from '../treemap/tiles'
import { Treemap } from '../treemap/treemap'

const AS_GIVEN = { column: '', descending: false } // by time, without a bar behind it

interface TablesProps {
  readonly use: MemoryUse
  readonly table: TableId
  readonly profile: Profile
}

export function Tables({ use, table, profile }: TablesProps) {
  const fileParts = [profile.run, profile.worker, profile.span, use.device.replace(':', '')]
  const points = useMemo(() => pointsOf(use), [use])
  const shown = use.segments === null && table === 'segments' ? 'groups' : table
  const choice = (
    <Select
      label="Show"
      value={shown}
      options={TABLES.filter(({ id }) => id !== 'segments' || use.segments !== null)}
      onChoose={(id) => go(tableChanges(id))}
    />
  )
  if (shown === 'blocks' || shown === 'allocations') {
    return (
      <Allocations key={shown} use={use} profile={profile} alive={shown === 'blocks'}>
        {choice}
      </Allocations>
    )
  }
  if (shown === 'segments' && use.segments !== null) {
    return <Segments segments={use.segments} fileParts={fileParts} choice={choice} />
  }
  if (shown === 'curve') {
    return (
      <DataTable
        id="memory_curve"
        label="Points of the curve"
        rows={points}
        columns={POINTS}
        sort={AS_GIVEN}
        keyOf={(row) => String(row.time_ns)}
        fileParts={fileParts}
      >
        {choice}
      </DataTable>
    )
  }
  return <Groups use={use} fileParts={fileParts} choice={choice} />
}

interface PartProps {
  readonly fileParts: readonly string[]
  readonly choice: ComponentChildren
}

function Groups({ use, fileParts, choice }: PartProps & { readonly use: MemoryUse }) {
  const { hasTreemap } = readPlace(place.value)
  const columns = useMemo(() => groupColumns(use), [use])
  const isKnown = use.held.known !== null
  const hidden = use.n_groups - use.groups.length
  return (
    <>
      {hasTreemap && isKnown && <Treemap use={use} />}
      <DataTable
        key={use.group_by}
        id="memory"
        label={`Memory by ${use.group_by.replace('_', ' ')}`}
        rows={use.groups}
        columns={columns}
        sort={{ column: isKnown ? 'alive_bytes' : 'allocated_bytes', descending: true }}
        keyOf={rowKey}
        fileParts={fileParts}
        details={(row) => <GroupDetails row={row} by={use.group_by} />}
      >
        {choice}
        <GroupChoice
          label="By"
          value={use.group_by}
          groupings={use.groupings}
          onChoose={(id) => go(groupingChanges(id))}
        />
        {isKnown && (
          <button
            type="button"
            class="button"
            aria-pressed={hasTreemap}
            onClick={() => go({ 'memory.treemap': hasTreemap ? '0' : undefined })}
          >
            Treemap
          </button>
        )}
        {hidden > 0 && (
          <span class="soft">
            {plural(hidden, 'smaller group')} not listed: {formatBytes(use.others?.alive_bytes ?? 0)} alive
          </span>
        )}
      </DataTable>
    </>
  )
}

function GroupDetails({ row, by }: { readonly row: MemoryGroup; readonly by: string }) {
  const { name } = row
  return (
    <>
      {!IS_REPORT && by === 'operator' && name !== null && (
        <>
          <button type="button" class="button" onClick={() => go(soughtInTimeline(name))}>
            Find in timeline
          </button>
          <button type="button" class="button" onClick={() => go({ inside: insideName(name) })}>
            Filter by it
          </button>
        </>
      )}
      {!IS_REPORT && by === 'module' && name !== null && (
        <button type="button" class="button" onClick={() => go({ module: name })}>
          Filter by it
        </button>
      )}
      {!IS_REPORT && (by === 'operator' || by === 'module' || by === 'call_site') && name !== null && (
        <button
          type="button"
          class="button"
          onClick={() =>
            go({
              ...tableChanges('allocations'),
              'memory_allocations.q': insideName(name),
              'memory_allocations.row': undefined,
            })
          }
        >
          Its allocations
        </button>
      )}
      {row.frames.length > 0 && (
        <ol class="memory-frames mono">
          {row.frames.map((frame, index) => (
            <li key={index}>{frame}</li>
          ))}
        </ol>
      )}
    </>
  )
}

function Segments({ segments, fileParts, choice }: PartProps & { readonly segments: MemorySegments }) {
  const rounding = segments.allocated_bytes - segments.requested_bytes
  const facts = [
    [
      `${formatBytes(segments.total_bytes)} in ${plural(segments.segments, 'segment')}`,
      exactBytes(segments.total_bytes),
    ],
    [`${formatBytes(segments.allocated_bytes)} allocated`, exactBytes(segments.allocated_bytes)],
    [`${formatBytes(rounding)} of it rounding`, exactBytes(rounding)],
    [`${formatBytes(segments.awaiting_bytes)} awaiting another stream`, exactBytes(segments.awaiting_bytes)],
    [
      `${formatBytes(segments.free_bytes)} free (${formatShare(segments.free_bytes / Math.max(1, segments.total_bytes))}), the largest piece ${formatBytes(segments.largest_free_bytes)}`,
      exactBytes(segments.free_bytes),
    ],
    [
      `${formatBytes(segments.unused_bytes)} in ${plural(segments.unused_segments, 'empty segment')}`,
      exactBytes(segments.unused_bytes),
    ],
  ] as const
  return (
    <>
      <p class="memory-segments">
        When the snapshot was taken <Definition of="Segments" text={define.segments} />:{' '}
        {facts.map(([text, exact], index) => (
          <span key={text} title={exact}>
            {index > 0 && ' · '}
            {text}
          </span>
        ))}
      </p>
      <DataTable
        id="memory_segments"
        label="Segments"
        rows={segments.listed}
        columns={SEGMENTS}
        sort={{ column: 'free_bytes', descending: true }}
        keyOf={(row) => String(row.address)}
        fileParts={fileParts}
      >
        {choice}
        {segments.listed.length < segments.segments && (
          <span class="soft">those with the most free of {plural(segments.segments, 'segment')}</span>
        )}
      </DataTable>
    </>
  )
}

function pointsOf({ curve }: MemoryUse) {
  return curve.time_ns.map((time_ns, index) => ({
    time_ns,
    allocated_bytes: curve.allocated_bytes[index] ?? 0,
    reserved_bytes: curve.reserved_bytes?.[index] ?? null,
  }))
}
