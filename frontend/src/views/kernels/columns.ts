import type { KernelRow, Kernels } from '../../data/wire'
import type { Column } from '../../widgets/table/column'

const TITLES: Readonly<Record<Kernels['kind'], string>> = { kernel: 'Kernel', copy: 'Copy', set: 'Set', all: 'Name' }

/** Columns that fit what is asked: launches have shapes, copies have bytes. */
export function columnsFor({ group_by, kind, rows }: Kernels): readonly Column<KernelRow>[] {
  const isLaunch = group_by === 'launch'
  const hasKernels = kind === 'kernel' || kind === 'all'
  const columns: (Column<KernelRow> | false)[] = [
    {
      id: 'name',
      title: TITLES[kind],
      kind: 'name',
      value: (row) => row.name,
      definition: 'The name as recorded. Cut in the middle where it is long; whole when pointed at and in copies.',
    },
    isLaunch && {
      id: 'operator',
      title: 'Operator',
      kind: 'text',
      width: 160,
      absent: 'not attributed',
      value: (row) => row.operator,
      definition: 'The operator that launched it. “not attributed”: the launch is not in the file.',
    },
    isLaunch &&
      hasKernels && {
        id: 'grid',
        title: 'Grid',
        kind: 'text',
        width: 120,
        value: (row) => dims(row.grid),
        definition: 'Blocks of the launch in x, y and z.',
      },
    isLaunch &&
      hasKernels && {
        id: 'block',
        title: 'Block',
        kind: 'text',
        width: 104,
        value: (row) => dims(row.block),
        definition: 'Threads of a block in x, y and z.',
      },
    isLaunch &&
      hasKernels && {
        id: 'registers',
        title: 'Registers',
        kind: 'count',
        width: 96,
        value: (row) => row.registers,
        definition: 'Registers per thread.',
      },
    isLaunch &&
      hasKernels && {
        id: 'shared_bytes',
        title: 'Shared memory',
        kind: 'bytes',
        width: 124,
        value: (row) => row.shared_bytes,
        definition: 'Shared memory per block.',
      },
    {
      id: 'kind',
      title: 'Kind',
      kind: 'text',
      width: 118,
      hidden: kind !== 'all',
      value: (row) => row.kind,
      definition: 'Kernel, communication (a collective’s kernel, by its name), copy or set.',
    },
    {
      id: 'count',
      title: 'Calls',
      kind: 'count',
      sums: true,
      value: (row) => row.count,
      definition: 'How often it ran.',
    },
    {
      id: 'total_ns',
      title: 'Total',
      kind: 'ns',
      sums: true,
      value: (row) => row.total_ns,
      definition: 'Summed time of all runs. Runs on several streams may overlap; see “busy”.',
    },
    {
      id: 'share',
      title: 'Share',
      kind: 'share',
      sums: true,
      value: (row) => row.share,
      definition: 'Total over the total of all rows.',
    },
    { id: 'mean_ns', title: 'Mean', kind: 'ns', value: (row) => row.mean_ns, definition: 'Total over calls.' },
    { id: 'min_ns', title: 'Min', kind: 'ns', value: (row) => row.min_ns, definition: 'The shortest run.' },
    { id: 'max_ns', title: 'Max', kind: 'ns', value: (row) => row.max_ns, definition: 'The longest run.' },
    hasKernels && {
      id: 'blocks_per_sm',
      title: 'Blocks / SM',
      kind: 'number',
      width: 116,
      value: (row) => row.blocks_per_sm,
      definition:
        'Blocks of the grid over multiprocessors, mean weighted by time. Under 1, part of the device has no work.',
    },
    hasKernels && {
      id: 'occupancy_percent',
      title: 'Occupancy',
      kind: 'percent',
      width: 116,
      value: (row) => row.occupancy_percent,
      definition:
        'Estimated share of the warps a multiprocessor can hold, mean weighted by time. As the recorder estimates it; not measured.',
    },
    kind !== 'kernel' && {
      id: 'bytes',
      title: 'Bytes',
      kind: 'bytes',
      sums: true,
      absent: kind === 'all' ? '–' : 'not recorded',
      value: (row) => row.bytes,
      definition: 'Bytes copied or set, all runs together.',
    },
    kind !== 'kernel' && {
      id: 'bytes_per_s',
      title: 'Bandwidth',
      kind: 'rate',
      absent: kind === 'all' ? '–' : 'not recorded',
      value: (row) => (row.bytes === null || row.total_ns === 0 ? null : row.bytes / (row.total_ns * 1e-9)),
      definition: 'Bytes over total time.',
    },
  ]
  // A column without a single value says "not recorded" once, in the column choice, not in a thousand cells.
  const present = columns.filter((column) => column !== false)
  return present.map((column) =>
    rows.length > 0 && column.id !== 'operator' && rows.every((row) => column.value(row) === null)
      ? { ...column, hidden: true, title: `${column.title} (not recorded)` }
      : column,
  )
}

function dims(of: readonly [number, number, number] | null): string | null {
  return of === null ? null : of.join(' × ')
}
