import type { OperatorRow, Operators } from '../../data/wire'
import type { Column } from '../../widgets/table/column'

const KINDS: Readonly<Record<OperatorRow['kind'], string>> = {
  operator: 'operator',
  annotation: 'annotation',
  launch: 'launch call',
  not_attributed: 'not attributed',
}

/** Columns whose values this profile has: a CPU-only one has no device times to show. */
export function columnsFor({ group_by, has_device, totals }: Operators): readonly Column<OperatorRow>[] {
  const shares = has_device ? totals.device_self_ns : totals.host_self_ns
  const columns: (Column<OperatorRow> | false)[] = [
    {
      id: 'name',
      title: 'Operator',
      kind: 'name',
      value: (row) => row.name,
      definition: 'The name as recorded. “not attributed” is device time whose launch is not in the file.',
    },
    group_by === 'shapes' && {
      id: 'input_shapes',
      title: 'Input shapes',
      kind: 'text',
      width: 260,
      value: (row) => row.input_shapes,
      definition: 'The shapes of the inputs as recorded with record_shapes=True.',
    },
    {
      id: 'kind',
      title: 'Kind',
      kind: 'text',
      width: 112,
      hidden: true,
      value: (row) => KINDS[row.kind],
      definition:
        'An operator of torch, a range somebody named (annotation), or a launch call outside of all operators.',
    },
    {
      id: 'count',
      title: 'Calls',
      kind: 'count',
      sums: true,
      value: (row) => row.count,
      definition: 'How often it was called. For “not attributed”: kernels, copies and sets.',
    },
    {
      id: 'host_self_ns',
      title: 'Host self',
      kind: 'ns',
      sums: true,
      absent: '–',
      value: (row) => row.host_self_ns,
      definition:
        'Host time in the operator itself, without the operators it calls. Self times are disjoint: their sum is all host time.',
    },
    {
      id: 'host_total_ns',
      title: 'Host total',
      kind: 'ns',
      absent: '–',
      value: (row) => row.host_total_ns,
      definition:
        'Host time in the operator with all it calls. Totals of nested operators overlap, so they have no sum.',
    },
    has_device && {
      id: 'device_self_ns',
      title: 'Device self',
      kind: 'ns',
      sums: true,
      value: (row) => row.device_self_ns,
      definition:
        'Summed time of the kernels, copies and sets launched from the operator itself. The sum is all device time.',
    },
    has_device && {
      id: 'device_total_ns',
      title: 'Device total',
      kind: 'ns',
      value: (row) => row.device_total_ns,
      definition: 'Summed time of the kernels, copies and sets launched from the operator and all it calls.',
    },
    {
      id: has_device ? 'device_self_share' : 'host_self_share',
      title: has_device ? 'Of device' : 'Of host',
      kind: 'share',
      sums: true,
      absent: '–',
      value: (row) => share(has_device ? row.device_self_ns : row.host_self_ns, shares),
      definition: has_device ? 'Device self over all device time.' : 'Host self over all host time in operators.',
    },
    {
      id: 'host_self_mean_ns',
      title: 'Host self / call',
      kind: 'ns',
      hidden: true,
      absent: '–',
      value: (row) => (row.host_self_ns === null || row.count === 0 ? null : row.host_self_ns / row.count),
      definition: 'Host self over calls.',
    },
    has_device && {
      id: 'device_self_mean_ns',
      title: 'Device self / call',
      kind: 'ns',
      width: 128,
      hidden: true,
      absent: '–',
      value: (row) => (row.count === 0 ? null : row.device_self_ns / row.count),
      definition: 'Device self over calls.',
    },
  ]
  return columns.filter((column) => column !== false)
}

function share(part: number | null, whole: number): number | null {
  return part === null || whole === 0 ? null : part / whole
}
