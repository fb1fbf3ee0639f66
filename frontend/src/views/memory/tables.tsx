/** The table below the curve: one of three. */
import { useMemo } from 'preact/hooks'

import type { MemoryBlock, MemoryOperator, MemoryUse } from '../../data/wire'
import { go } from '../../state/place'
import type { Profile } from '../../views/props'
import { Select } from '../../widgets/select'
import { DataTable } from '../../widgets/table/data_table'
import { BLOCKS, OPERATORS, POINTS } from './columns'
import { TABLES } from './place'
import type { TableId } from './place'

const MARGIN = 0.1 // of a window in the timeline, left and right of what is shown
const LEAST_NS = 10_000
const AS_GIVEN = { column: '', descending: false } // by time, without a bar behind it

// Said once, in the column choice, not in every cell.
const WITHOUT_ALIVE = OPERATORS.map((column) =>
  column.id.startsWith('alive')
    ? { ...column, hidden: true, title: `${column.title} (not recorded)`, sums: false }
    : column,
)

interface TablesProps {
  readonly use: MemoryUse
  readonly table: TableId
  readonly profile: Profile
}

export function Tables({ use, table, profile: { run, worker, span } }: TablesProps) {
  const device = use.device.replace(':', '')
  const fileParts = [run, worker, span, device]
  const choice = (
    <Select
      label="Show"
      value={table}
      options={TABLES}
      onChoose={(id) => go({ 'memory.table': id === 'operators' ? undefined : id, 'memory_blocks.row': undefined })}
    />
  )
  const points = useMemo(() => pointsOf(use), [use])
  if (table === 'blocks') {
    const { known, blocks } = use.held
    const hidden = (known?.count ?? 0) - blocks.length
    return (
      <DataTable
        id="memory_blocks"
        label="Blocks alive"
        rows={blocks}
        columns={BLOCKS}
        sort={{ column: 'bytes', descending: true }}
        keyOf={(row) => String(row.row)}
        fileParts={fileParts}
        details={(row) => <BlockLinks block={row} end={use.window_end_ns} />}
      >
        {choice}
        {hidden > 0 && <span class="soft">the largest; {hidden} smaller ones are in the totals above</span>}
      </DataTable>
    )
  }
  if (table === 'curve') {
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
  return (
    <DataTable
      id="memory"
      label="Memory by operator"
      rows={use.operators}
      columns={use.held.known === null ? WITHOUT_ALIVE : OPERATORS}
      sort={{ column: use.held.known === null ? 'allocated_bytes' : 'alive_bytes', descending: true }}
      keyOf={keyOf}
      fileParts={fileParts}
      details={(row) =>
        row.name !== null && (
          <button type="button" class="button" onClick={() => go({ view: 'timeline', 'timeline.q': row.name ?? '' })}>
            Find in timeline
          </button>
        )
      }
    >
      {choice}
    </DataTable>
  )
}

function BlockLinks({ block, end }: { readonly block: MemoryBlock; readonly end: number }) {
  const life = (block.released_ns ?? end) - block.allocated_ns
  return (
    <>
      <button type="button" class="button" onClick={() => showInTimeline(block.allocated_ns, LEAST_NS, block.row)}>
        Show allocation in timeline
      </button>
      <button type="button" class="button" onClick={() => showInTimeline(block.allocated_ns, life, block.row)}>
        Show its life
      </button>
    </>
  )
}

/** Opens the timeline on a stretch of time with something around it, and on an event. */
export function showInTimeline(start: number, length: number, row: number | undefined): void {
  const margin = Math.max(length, LEAST_NS) * MARGIN
  go({
    view: 'timeline',
    'timeline.t0_ns': String(Math.max(0, Math.floor(start - margin))),
    'timeline.t1_ns': String(Math.ceil(start + Math.max(length, LEAST_NS) + margin)),
    'timeline.row': row === undefined ? undefined : String(row),
  })
}

function keyOf(row: MemoryOperator): string {
  return [row.name ?? 'not attributed', row.via].filter((part) => part !== null).join(' ')
}

function pointsOf({ curve }: MemoryUse) {
  return curve.time_ns.map((time_ns, index) => ({
    time_ns,
    allocated_bytes: curve.allocated_bytes[index] ?? 0,
    reserved_bytes: curve.reserved_bytes?.[index] ?? null,
  }))
}
