import { titleOf } from '../../widgets/choose/group_choice'
import { columnsOf, type Column } from '../../widgets/table/column'
import type { OperatorRow, Operators } from '../../wire/wire'
import { effectColumns } from '../effects'
import * as define from './definitions'
import { OPERATOR_ROW } from './row_figures'

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

/** As it stands in the link. */
export function groupOf(text: string | undefined): Operators['group_by'] {
  return text !== undefined && text in NAMES ? (text as Operators['group_by']) : 'name'
}

/** Columns whose values this profile has: a CPU-only one has no device times to show, one without shapes no FLOPs. */
export function columnsFor(operators: Operators): readonly Column<OperatorRow>[] {
  const { group_by, groupings, has_device, has_shapes, totals } = operators
  const all = has_device ? totals.device_self_ns : totals.host_self_ns
  const isNames = group_by === 'name' || group_by === 'shapes'
  return columnsOf(OPERATOR_ROW, {
    // Narrower than kernels' names need: up to Tensor cores all is whole at 1440 px.
    name: {
      kind: 'name',
      width: 264,
      definition: NAMES[group_by],
      ...(isNames ? {} : { title: titleOf(groupings, group_by) }),
    },
    input_shapes: group_by === 'shapes' && { width: 260 },
    kind: { width: 112, hidden: true, value: (row) => KINDS[row.kind] },
    count: {},
    host_self_ns: {},
    host_total_ns: {},
    device_self_ns: has_device && {},
    device_total_ns: has_device && {},
    device_self_share: has_device && { value: (row) => share(row.device_self_ns, all) },
    host_self_share: !has_device && { value: (row) => share(row.host_self_ns, all) },
    ...effectColumns(operators),
    matrix_core_share: has_device && {},
    matrix_core_unknown_share: has_device && { hidden: true },
    matrix_core_eligible: has_device && { width: 96 },
    flops: has_shapes && {},
    flops_per_s: has_shapes && {},
    input_bytes: has_shapes && {},
    input_bytes_per_s: has_shapes && { hidden: true },
    rates_over: has_shapes && {
      width: 96,
      hidden: true,
      value: (row) => (row.rates_over === null ? null : `${row.rates_over} total`),
    },
    host_self_mean_ns: isNames && {
      hidden: true,
      value: (row) => (row.host_self_ns === null || row.count === 0 ? null : row.host_self_ns / row.count),
    },
    device_self_mean_ns: isNames &&
      has_device && {
        width: 128,
        hidden: true,
        value: (row) => (row.count === 0 ? null : row.device_self_ns / row.count),
      },
  })
}

function share(part: number | null, whole: number): number | null {
  return part === null || whole === 0 ? null : part / whole
}
