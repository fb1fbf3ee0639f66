import type { MemoryBlock, MemoryOperator } from '../../data/wire'
import type { Column } from '../../widgets/table/column'

export interface CurvePoint {
  readonly time_ns: number
  readonly allocated_bytes: number
  readonly reserved_bytes: number | null
}

const NOT_ATTRIBUTED = 'not attributed'

const NAME =
  'The innermost operator or named range (no step) that was open on the thread. Where that is aten::empty or another operator that only allocates, the one around it. “not attributed”: nothing was open, as when Python drops a tensor.'
const VIA = 'The allocating call inside the operator: aten::empty and its like.'

export const OPERATORS: readonly Column<MemoryOperator>[] = [
  { id: 'name', title: 'Operator', kind: 'name', value: (row) => row.name ?? NOT_ATTRIBUTED, definition: NAME },
  { id: 'via', title: 'Via', kind: 'text', width: 150, absent: '–', value: (row) => row.via, definition: VIA },
  {
    id: 'alive_bytes',
    title: 'Alive',
    kind: 'bytes',
    sums: true,
    value: (row) => row.alive_bytes,
    definition:
      'Bytes that it allocated in the recording and that are alive at the instant shown (the peak, unless another was chosen), also from before the range.',
  },
  {
    id: 'alive',
    title: 'Blocks alive',
    kind: 'count',
    sums: true,
    value: (row) => row.alive,
    definition: 'How many allocations these bytes are.',
  },
  {
    id: 'allocations',
    title: 'Allocations',
    kind: 'count',
    sums: true,
    value: (row) => row.allocations,
    definition: 'Allocations inside it, in the range.',
  },
  {
    id: 'allocated_bytes',
    title: 'Allocated',
    kind: 'bytes',
    sums: true,
    value: (row) => row.allocated_bytes,
    definition: 'Bytes of these allocations together. May be many times the peak: memory is used again.',
  },
  {
    id: 'releases',
    title: 'Releases',
    kind: 'count',
    sums: true,
    value: (row) => row.releases,
    definition:
      'Releases inside it, in the range. A release counts where it happens, not where the block was allocated.',
  },
  {
    id: 'released_bytes',
    title: 'Released',
    kind: 'bytes',
    sums: true,
    value: (row) => row.released_bytes,
    definition: 'Bytes of these releases together.',
  },
  {
    id: 'increase_bytes',
    title: 'Increase',
    kind: 'bytes',
    sums: true,
    value: (row) => row.increase_bytes,
    definition: 'Allocated minus released: by how much memory grew while it ran. Below 0 where it released more.',
  },
]

export const BLOCKS: readonly Column<MemoryBlock>[] = [
  { id: 'name', title: 'Allocated by', kind: 'name', value: (row) => row.name ?? NOT_ATTRIBUTED, definition: NAME },
  { id: 'via', title: 'Via', kind: 'text', width: 150, absent: '–', value: (row) => row.via, definition: VIA },
  {
    id: 'bytes',
    title: 'Size',
    kind: 'bytes',
    sums: true,
    value: (row) => row.bytes,
    definition: 'Bytes of the block.',
  },
  {
    id: 'allocated_ns',
    title: 'Allocated at',
    kind: 'ns',
    value: (row) => row.allocated_ns,
    definition: 'When, since the recording began.',
  },
  {
    id: 'released_ns',
    title: 'Released at',
    kind: 'ns',
    absent: 'not released',
    value: (row) => row.released_ns,
    definition: '“not released”: it was still there when the recording ended.',
  },
  {
    id: 'lifetime_ns',
    title: 'Lifetime',
    kind: 'ns',
    absent: 'not released',
    value: (row) => row.lifetime_ns,
    definition: 'From its allocation to its release.',
  },
]

export const POINTS: readonly Column<CurvePoint>[] = [
  {
    id: 'time_ns',
    title: 'Time',
    kind: 'ns',
    value: (row) => row.time_ns,
    definition: 'Since the recording began. Values hold from here until the next row.',
  },
  {
    id: 'allocated_bytes',
    title: 'Allocated',
    kind: 'bytes',
    value: (row) => row.allocated_bytes,
    definition: 'Bytes that tensors hold.',
  },
  {
    id: 'reserved_bytes',
    title: 'Reserved',
    kind: 'bytes',
    value: (row) => row.reserved_bytes,
    definition: 'Bytes that the allocator holds of the device.',
  },
]
