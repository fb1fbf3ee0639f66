import type { OperatorRow, Operators } from '../../data/wire'
import type { Column } from '../../widgets/table/column'
import * as define from './definitions'
import { GROUPS } from './groups'

const KINDS: Readonly<Record<OperatorRow['kind'], string>> = {
  operator: 'operator',
  annotation: 'annotation',
  launch: 'launch call',
  call_site: 'call site',
  module: 'module',
  category: 'category',
  none: 'outside',
  not_attributed: 'not attributed',
}

const NAMES: Readonly<Record<Operators['group_by'], string>> = {
  name: define.name,
  shapes: define.name,
  call_site: define.call_site,
  module: define.module,
  category: define.category,
}

/** Columns whose values this profile has: a CPU-only one has no device times to show, one without shapes no FLOPs. */
export function columnsFor({ group_by, has_device, has_shapes, totals }: Operators): readonly Column<OperatorRow>[] {
  const all = has_device ? totals.device_self_ns : totals.host_self_ns
  const isNames = group_by === 'name' || group_by === 'shapes'
  const columns: (Column<OperatorRow> | false)[] = [
    {
      id: 'name',
      title: GROUPS.find((group) => group.id === group_by)?.title ?? 'Operator',
      kind: 'name',
      value: (row) => row.name,
      definition: NAMES[group_by],
    },
    group_by === 'shapes' && {
      id: 'input_shapes',
      title: 'Input shapes',
      kind: 'text',
      width: 260,
      value: (row) => row.input_shapes,
      definition: define.input_shapes,
    },
    {
      id: 'kind',
      title: 'Kind',
      kind: 'text',
      width: 112,
      hidden: true,
      value: (row) => KINDS[row.kind],
      definition: define.kind,
    },
    { id: 'count', title: 'Calls', kind: 'count', sums: true, value: (row) => row.count, definition: define.count },
    {
      id: 'host_self_ns',
      title: 'Host self',
      kind: 'ns',
      sums: true,
      absent: '–',
      value: (row) => row.host_self_ns,
      definition: define.host_self_ns,
    },
    {
      id: 'host_total_ns',
      title: 'Host total',
      kind: 'ns',
      absent: '–',
      value: (row) => row.host_total_ns,
      definition: define.host_total_ns,
    },
    has_device && {
      id: 'device_self_ns',
      title: 'Device self',
      kind: 'ns',
      sums: true,
      value: (row) => row.device_self_ns,
      definition: define.device_self_ns,
    },
    has_device && {
      id: 'device_total_ns',
      title: 'Device total',
      kind: 'ns',
      value: (row) => row.device_total_ns,
      definition: define.device_total_ns,
    },
    {
      id: has_device ? 'device_self_share' : 'host_self_share',
      title: has_device ? 'Of device' : 'Of host',
      kind: 'share',
      sums: true,
      absent: '–',
      value: (row) => share(has_device ? row.device_self_ns : row.host_self_ns, all),
      definition: has_device ? define.device_self_share : define.host_self_share,
    },
    has_device && {
      id: 'matrix_core_share',
      title: 'Tensor cores',
      kind: 'share',
      absent: 'no kernel',
      value: (row) => row.matrix_core_share,
      definition: define.matrix_core_share,
    },
    has_device && {
      id: 'matrix_core_unknown_share',
      title: 'Tensor cores unknown',
      kind: 'share',
      hidden: true,
      absent: 'no kernel',
      value: (row) => row.matrix_core_unknown_share,
      definition: define.matrix_core_unknown_share,
    },
    has_device && {
      id: 'matrix_core_eligible',
      title: 'Eligible',
      kind: 'text',
      width: 96,
      absent: '–',
      value: (row) => row.matrix_core_eligible,
      definition: define.matrix_core_eligible,
    },
    has_shapes && {
      id: 'flops',
      title: 'FLOPs',
      kind: 'flops',
      sums: true,
      absent: '–',
      value: (row) => row.flops,
      definition: define.flops,
    },
    has_shapes && {
      id: 'flops_per_s',
      title: 'FLOP/s',
      kind: 'flop_rate',
      absent: '–',
      value: (row) => row.flops_per_s,
      definition: define.flops_per_s,
    },
    has_shapes && {
      id: 'input_bytes',
      title: 'Input bytes',
      kind: 'bytes',
      absent: 'unknown',
      value: (row) => row.input_bytes,
      definition: define.input_bytes,
    },
    has_shapes && {
      id: 'input_bytes_per_s',
      title: 'Input bytes/s',
      kind: 'rate',
      hidden: true,
      absent: 'unknown',
      value: (row) => row.input_bytes_per_s,
      definition: define.input_bytes_per_s,
    },
    has_shapes && {
      id: 'rates_over',
      title: 'Rates over',
      kind: 'text',
      width: 96,
      hidden: true,
      absent: '–',
      value: (row) => (row.rates_over === null ? null : `${row.rates_over} total`),
      definition: define.rates_over,
    },
    isNames && {
      id: 'host_self_mean_ns',
      title: 'Host self / call',
      kind: 'ns',
      hidden: true,
      absent: '–',
      value: (row) => (row.host_self_ns === null || row.count === 0 ? null : row.host_self_ns / row.count),
      definition: define.host_self_mean_ns,
    },
    isNames &&
      has_device && {
        id: 'device_self_mean_ns',
        title: 'Device self / call',
        kind: 'ns',
        width: 128,
        hidden: true,
        absent: '–',
        value: (row) => (row.count === 0 ? null : row.device_self_ns / row.count),
        definition: define.device_self_mean_ns,
      },
  ]
  return columns.filter((column) => column !== false)
}

function share(part: number | null, whole: number): number | null {
  return part === null || whole === 0 ? null : part / whole
}
