/** Allocations as a list that the server sorts, filters and cuts: what is alive at the instant, or all of the range. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import { formatBytes } from '../../../base/units'
import { ask } from '../../../data/ask'
import { versionOf } from '../../../data/runs'
import { filters } from '../../../state/filters'
import { adjust, go, place } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import { WindowedTable } from '../../../widgets/table/windowed_table'
import type { WindowWish } from '../../../widgets/table/windowed_table'
import type { Profile } from '../../../wire/profile'
import type { AllocationsParams, MemoryAllocation, MemoryUse } from '../../../wire/wire'
import { MOST_NOTE, saveList } from '../../save_list'
import { allocationColumns } from './columns'
import { life } from '../life'
import { ONLY, readPlace } from '../place'
import { showInTimeline } from '../timeline_links'

const QUESTION = 'view/memory/allocations'
const LEAST_SIZES = [0, 1024, 2 ** 20, 16 * 2 ** 20, 256 * 2 ** 20] as const

interface AllocationsProps {
  readonly use: MemoryUse
  readonly profile: Profile
  /** Only what is alive at the instant, instead of what was allocated in the range. */
  readonly alive: boolean
  readonly children: ComponentChildren
}

export function Allocations({ use, profile, alive, children }: AllocationsProps) {
  const { range, at: instant, only, minBytes, allDevices } = readPlace(place.value)
  const isAll = allDevices && !alive
  const about: AllocationsParams = {
    ...filters.value,
    device: isAll ? undefined : use.device,
    t0_ns: range?.[0],
    t1_ns: range?.[1],
    min_bytes: minBytes,
    ...(alive ? { alive: true, at_ns: instant } : { only }),
  }
  const id = alive ? 'memory_blocks' : 'memory_allocations'
  const params = (wish: WindowWish): AllocationsParams => ({
    ...about,
    q: wish.pattern,
    // Whatever the link says: what there is to sort by, the server knows.
    sort: wish.sort as AllocationsParams['sort'],
    descending: wish.descending,
  })
  return (
    <WindowedTable<MemoryAllocation>
      id={id}
      label={alive ? 'Blocks alive' : 'Allocations'}
      columns={allocationColumns(use)}
      sort={alive ? { column: 'bytes', descending: true } : { column: 'allocated_ns', descending: false }}
      source={JSON.stringify([profile, about, versionOf(profile)])}
      load={(wish) => async (offset, limit, signal) => {
        const { rows, matching } = await ask(QUESTION, profile, { ...params(wish), offset, limit }, { signal })
        return { rows, count: matching.count }
      }}
      keyOf={(row) => String(row.row)}
      details={(row) => <AllocationLinks row={row} end={use.window_end_ns} />}
      exportNote={MOST_NOTE}
      onExport={(ending, wish) => {
        void saveList(QUESTION, profile, params(wish), ending, [
          profile.run,
          profile.worker,
          profile.span,
          use.device.replace(':', ''),
          id,
        ])
      }}
    >
      {children}
      {!alive && (
        <Select
          label="Only"
          value={only}
          options={ONLY}
          onChoose={(next) => go({ 'memory.only': next === 'all' ? undefined : next })}
        />
      )}
      <Select
        label="Least size"
        value={String(minBytes ?? 0)}
        options={leastSizes(minBytes)}
        onChoose={(next) => adjust({ 'memory.min_bytes': next === '0' ? undefined : next })}
      />
      {!alive && use.devices.length > 1 && (
        <Select
          label="Of"
          value={isAll ? 'all' : 'one'}
          options={[
            { id: 'one', label: use.devices.find(({ id: device }) => device === use.device)?.title ?? use.device },
            { id: 'all', label: 'all devices' },
          ]}
          onChoose={(next) => go({ 'memory.devices': next === 'all' ? 'all' : undefined })}
        />
      )}
    </WindowedTable>
  )
}

function leastSizes(now: number | undefined): { id: string; label: string }[] {
  const sizes = [...new Set([...LEAST_SIZES, now ?? 0])].sort((a, b) => a - b)
  return sizes.map((size) => ({ id: String(size), label: size === 0 ? 'any' : formatBytes(size) }))
}

function AllocationLinks({ row, end }: { readonly row: MemoryAllocation; readonly end: number }) {
  const start = row.allocated_ns ?? row.released_ns ?? 0
  const [from, to] = [row.allocated_ns ?? 0, row.released_ns ?? end]
  useEffect(() => {
    life.value = [from, to]
    return () => (life.value = undefined)
  }, [from, to])
  return (
    <>
      <button type="button" class="button" onClick={() => showInTimeline(start, 0, row.row)}>
        Show in timeline
      </button>
      {row.allocated_ns !== null && (
        <button
          type="button"
          class="button"
          onClick={() => showInTimeline(start, (row.released_ns ?? end) - start, row.row)}
        >
          Show its life
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={() => go({ 'memory.at_ns': String(start), 'memory.table': undefined, 'memory.row': undefined })}
      >
        What is alive then
      </button>
    </>
  )
}
