import { categoryOf } from '../../base/categories'
import type { KernelRow, Kernels } from '../../data/wire'
import type { Column } from '../../widgets/table/column'
import { categoryCell, matrixWord } from './cells'
import * as define from './definitions'

const KIND_TITLES: Readonly<Record<Kernels['kind'], string>> = {
  kernel: 'Kernel',
  copy: 'Copy',
  set: 'Set',
  all: 'Name',
}
const GROUP_TITLES: Readonly<Partial<Record<Kernels['group_by'], string>>> = {
  operator: 'Operator',
  module: 'Module',
  stream: 'Stream',
  category: 'Category',
}
const NOBODY: Readonly<Partial<Record<Kernels['group_by'], string>>> = {
  operator: 'not attributed',
  module: 'in no module',
}

export function nameOf(row: KernelRow, group: Kernels['group_by']): string {
  return row.name === '' ? (NOBODY[group] ?? 'no name') : row.name
}

/** Columns that fit what is asked: launches have shapes, copies have bytes, groups have several kernels. */
export function columnsFor({ group_by: group, kind, rows, has_launches: hasLaunches }: Kernels) {
  const isLaunch = group === 'launch'
  const isOne = isLaunch || group === 'name'
  const hasKernels = kind === 'kernel' || kind === 'all'
  const hasCopies = kind !== 'kernel'
  const transfers: (Column<KernelRow> | false)[] = [
    hasCopies && {
      id: 'bytes',
      title: 'Bytes',
      kind: 'bytes',
      sums: true,
      absent: kind === 'all' ? '–' : 'not recorded',
      value: (row) => row.bytes,
      definition: define.bytes,
    },
    hasCopies && {
      id: 'bytes_per_s',
      title: 'Bandwidth',
      kind: 'rate',
      absent: kind === 'all' ? '–' : 'not recorded',
      value: (row) => row.bytes_per_s,
      definition: define.bytes_per_s,
    },
    hasCopies && {
      id: 'copy_kind',
      title: 'Way',
      kind: 'text',
      width: 190,
      absent: '–',
      hidden: kind === 'set',
      value: (row) => row.copy_kind,
      definition: define.copy_kind,
    },
  ]
  const columns: (Column<KernelRow> | false)[] = [
    {
      id: 'name',
      title: GROUP_TITLES[group] ?? KIND_TITLES[kind],
      kind: 'name',
      value: (row) => nameOf(row, group),
      ...(group === 'category' ? { draw: categoryCell } : {}),
      definition: define.name,
    },
    isLaunch && {
      id: 'operator',
      title: 'Operator',
      kind: 'text',
      width: 160,
      absent: 'not attributed',
      value: (row) => row.operator,
      definition: define.operator,
    },
    isLaunch && hasKernels && dimsColumn('grid', 'Grid', 120, define.grid),
    isLaunch && hasKernels && dimsColumn('block', 'Block', 104, define.block),
    group !== 'category' && {
      id: 'category',
      title: 'Category',
      kind: 'text',
      width: 176,
      absent: 'several',
      hidden: !hasKernels,
      value: (row) => categoryOf(row.category)?.title ?? row.category,
      draw: categoryCell,
      definition: define.category,
    },
    {
      id: 'kind',
      title: 'Kind',
      kind: 'text',
      width: 118,
      hidden: true,
      value: (row) => row.kind,
      definition: define.kind,
    },
    !isOne && { id: 'names', title: 'Kernels', kind: 'count', value: (row) => row.names, definition: define.names },
    { id: 'count', title: 'Calls', kind: 'count', sums: true, value: (row) => row.count, definition: define.count },
    {
      id: 'total_ns',
      title: 'Total',
      kind: 'ns',
      sums: true,
      value: (row) => row.total_ns,
      definition: define.total_ns,
    },
    { id: 'share', title: 'Share', kind: 'share', sums: true, value: (row) => row.share, definition: define.share },
    { id: 'mean_ns', title: 'Mean', kind: 'ns', value: (row) => row.mean_ns, definition: define.mean_ns },
    ...(hasKernels ? [] : transfers),
    { id: 'min_ns', title: 'Min', kind: 'ns', value: (row) => row.min_ns, definition: define.min_ns },
    { id: 'max_ns', title: 'Max', kind: 'ns', value: (row) => row.max_ns, definition: define.max_ns },
    hasKernels && {
      id: 'matrix_core',
      title: 'Tensor cores',
      kind: 'text',
      width: 140,
      absent: 'no kernels',
      value: matrixWord,
      definition: define.matrix_core,
    },
    hasKernels && {
      id: 'flop_rate',
      title: 'FLOP/s',
      kind: 'flop_rate',
      absent: 'unknown',
      value: (row) => row.flops_per_s,
      definition: define.flops_per_s,
    },
    hasKernels && {
      id: 'peak_share',
      title: 'Of peak',
      kind: 'share',
      absent: 'unknown',
      value: (row) => row.peak_share,
      definition: define.peak_share,
    },
    hasKernels && {
      id: 'bandwidth_share',
      title: 'Of bandwidth',
      kind: 'share',
      absent: 'unknown',
      value: (row) => row.bandwidth_share,
      definition: define.bandwidth_share,
    },
    hasKernels && {
      id: 'flops_per_byte',
      title: 'FLOP / byte',
      kind: 'number',
      absent: 'unknown',
      hidden: true,
      value: (row) => row.flops_per_byte,
      definition: define.flops_per_byte,
    },
    hasKernels && {
      id: 'flops',
      title: 'FLOPs',
      kind: 'flops',
      absent: 'unknown',
      hidden: true,
      value: (row) => row.flops,
      definition: define.flops,
    },
    hasLaunches && {
      id: 'launch_delay_median_ns',
      title: 'Launch delay',
      kind: 'ns',
      value: (row) => row.launch_delay_median_ns,
      definition: define.launch_delay_median_ns,
    },
    hasLaunches && {
      id: 'launch_delay_max_ns',
      title: 'Max delay',
      kind: 'ns',
      hidden: true,
      value: (row) => row.launch_delay_max_ns,
      definition: define.launch_delay_max_ns,
    },
    hasLaunches && {
      id: 'queue_length',
      title: 'Queue',
      kind: 'number',
      width: 84,
      value: (row) => row.queue_length,
      definition: define.queue_length,
    },
    hasKernels && {
      id: 'blocks_per_sm',
      title: 'Blocks / SM',
      kind: 'number',
      width: 116,
      value: (row) => row.blocks_per_sm,
      definition: define.blocks_per_sm,
    },
    hasKernels && {
      id: 'occupancy_percent',
      title: 'Occupancy',
      kind: 'percent',
      width: 116,
      absent: 'unknown',
      value: (row) => row.occupancy_percent,
      definition: define.occupancy_percent,
    },
    hasKernels && {
      id: 'registers',
      title: 'Registers',
      kind: 'count',
      width: 96,
      absent: 'not one value',
      hidden: !isLaunch,
      value: (row) => row.registers,
      definition: define.registers,
    },
    hasKernels && {
      id: 'shared_bytes',
      title: 'Shared memory',
      kind: 'bytes',
      width: 124,
      absent: 'not one value',
      hidden: !isLaunch,
      value: (row) => row.shared_bytes,
      definition: define.shared_bytes,
    },
    ...(hasKernels ? transfers : []),
  ]
  // A column without a single value says "not recorded" once, in the column choice, not in a thousand cells.
  const present = columns.filter((column) => column !== false)
  return present.map((column) => {
    if (rows.length === 0 || column.id === 'operator' || rows.some((row) => column.value(row) !== null)) return column
    const absent = column.absent === 'unknown' ? 'unknown' : 'not recorded'
    return { ...column, hidden: true, absent, isEmpty: true }
  })
}

function dimsColumn(id: 'grid' | 'block', title: string, width: number, definition: string): Column<KernelRow> {
  const dims = (of: readonly [number, number, number] | null) => of?.join(' × ') ?? null
  return { id, title, kind: 'text', width, value: (row) => dims(row[id]), definition }
}
