import { categoryOf } from '../../base/categories'
import { exactCount } from '../../base/units'
import { titleOf } from '../../widgets/choose/group_choice'
import { columnsOf, type Choice } from '../../widgets/table/column'
import { messages } from '../../widgets/table/messages'
import type { KernelRow, Kernels } from '../../wire/wire'
import { effectColumns } from '../effects'
import { categoryCell, matrixWord } from './cells'
import { KERNEL_ROW } from './row_figures'

type ShownKernels = Choice<KernelRow, typeof KERNEL_ROW>

const multiplies = { isKnown: (row: KernelRow) => row.may_multiply }

/** What else a row has no word for: no collective is in it. */
const ofCollectives = { isKnown: hasCollectives }

const KIND_TITLES: Readonly<Record<Kernels['kind'], string>> = {
  kernel: 'Kernel',
  copy: 'Copy',
  set: 'Set',
  all: 'Name',
}
/** What a row without a name is. */
const NOBODY: Readonly<Record<Kernels['group_by'], string>> = {
  name: 'no name',
  launch: 'no name',
  operator: 'not attributed',
  module: 'in no module',
  stream: 'no name',
  category: 'no name',
}

/** As it stands in the link. */
export function groupOf(text: string | undefined): Kernels['group_by'] {
  return text !== undefined && text in NOBODY ? (text as Kernels['group_by']) : 'name'
}

export function nameOf(row: KernelRow, group: Kernels['group_by']): string {
  return row.name === '' ? NOBODY[group] : row.name
}

function hasCollectives(row: KernelRow): boolean {
  return row.kind === 'communication' || row.message_bytes !== null || row.process_group !== null
}

/** What those of its collectives agree on of which it is recorded. */
function someLack(said: string | null, nWithout: number) {
  return said === null || nWithout === 0 ? undefined : `${said}, ${exactCount(nWithout)} not recorded`
}

/** Columns that fit what is asked: launches have shapes, copies have bytes, groups have several kernels. */
export function columnsFor(kernels: Kernels) {
  const { group_by: group, groupings, kind, rows, has_launches: hasLaunches } = kernels
  const isLaunch = group === 'launch'
  const isOne = isLaunch || group === 'name'
  const hasKernels = kind === 'kernel' || kind === 'all'
  const hasCopies = kind !== 'kernel'
  const noBytes = kind === 'all' ? { absent: '–' } : {}
  const transfers: Pick<ShownKernels, 'bytes' | 'bytes_per_s' | 'copy_kind'> = {
    bytes: hasCopies && noBytes,
    bytes_per_s: hasCopies && noBytes,
    copy_kind: hasCopies && { width: 190, hidden: kind === 'set' },
  }
  const isSent = rows.some(hasCollectives)
  const effects = effectColumns(kernels)
  const columns = columnsOf<KernelRow, typeof KERNEL_ROW>(KERNEL_ROW, {
    name: {
      title: isOne ? KIND_TITLES[kind] : titleOf(groupings, group),
      kind: 'name',
      // Beside collectives the whole head of their bus rate is seen at 1440 px.
      ...(isSent ? { width: 296 } : {}),
      value: (row) => nameOf(row, group),
      ...(group === 'category' ? { draw: categoryCell } : {}),
    },
    operator: isLaunch && { width: 160 },
    grid: isLaunch && hasKernels && {},
    block: isLaunch && hasKernels && { width: 104 },
    category: group !== 'category' && {
      width: 176,
      hidden: !hasKernels,
      value: (row) => categoryOf(row.category)?.title ?? row.category,
      draw: categoryCell,
    },
    kind: { width: 118, hidden: true },
    names: !isOne && {},
    count: {},
    total_ns: {},
    share: {},
    ...effects,
    peak_share: hasKernels && multiplies,
    bandwidth_share: hasKernels && {},
    mean_ns: { width: 92 },
    message_bytes: isSent && {
      width: 104,
      draw: (row) => messages(row.message_bytes, row.n_unsized),
      sums: rows.every((row) => row.n_unsized === 0), // a sum has no room to say that it is the least
      ...ofCollectives,
    },
    least_bus_bytes_per_s: isSent && { width: 150, ...ofCollectives },
    dimension: isSent && {
      draw: (row) => someLack(row.dimension, row.n_without_dimension),
      ...ofCollectives,
    },
    process_group: isSent && {
      hidden: true,
      draw: (row) => someLack(row.process_group, row.n_without_group),
      ...ofCollectives,
    },
    n_without_dimension: isSent && { hidden: true, width: 156, ...ofCollectives },
    n_without_group: isSent && { hidden: true, width: 132, ...ofCollectives },
    ...(hasKernels ? {} : transfers),
    min_ns: {},
    max_ns: {},
    matrix_core: hasKernels && { width: 140, value: matrixWord },
    flops_per_s: hasKernels && multiplies,
    flops_per_byte: hasKernels && { hidden: true, ...multiplies },
    flops: hasKernels && { hidden: true, ...multiplies },
    launch_delay_median_ns: hasLaunches && {},
    launch_delay_max_ns: hasLaunches && { hidden: true },
    queue_length: hasLaunches && { width: 84 },
    blocks_per_sm: hasKernels && { width: 116 },
    occupancy_percent: hasKernels && { width: 116 },
    registers: hasKernels && { width: 96, hidden: !isLaunch },
    shared_bytes: hasKernels && { width: 124, hidden: !isLaunch },
    ...transfers,
  })
  // A column without a single value says "not recorded" once, in the column choice, not in a thousand cells.
  return columns.map((column) => {
    if (
      rows.length === 0 ||
      column.id === 'operator' ||
      column.id in effects ||
      rows.some((row) => column.value(row) !== null)
    )
      return column
    const absent = column.absent === 'unknown' ? 'unknown' : 'not recorded'
    return { ...column, hidden: true, absent, isEmpty: true }
  })
}
