// Generated from the Structs and definitions.md of tb_plugin/views/kernels by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const KERNEL_ROW = /* @__PURE__ */ rowOf('kernels', {
  name: { title: "Name" },
  kind: { title: "Kind" },
  category: { title: "Category", absent: "several" },
  operator: { title: "Operator", absent: "not attributed" },
  grid: { title: "Grid", kind: "dims" },
  block: { title: "Block", kind: "dims" },
  registers: { title: "Registers", kind: "count", absent: "not one value" },
  shared_bytes: { title: "Shared memory", absent: "not one value" },
  names: { title: "Kernels", kind: "count" },
  count: { title: "Calls", kind: "count", sums: true },
  total_ns: { title: "Total", sums: true },
  mean_ns: { title: "Mean" },
  min_ns: { title: "Min" },
  max_ns: { title: "Max" },
  share: { title: "Share", kind: "share", sums: true },
  blocks_per_sm: { title: "Blocks / SM", kind: "number" },
  occupancy_percent: { title: "Occupancy", kind: "percent", absent: "unknown" },
  matrix_core: { title: "Tensor cores", absent: "no kernels" },
  launch_delay_median_ns: { title: "Launch delay" },
  launch_delay_max_ns: { title: "Max delay" },
  queue_length: { title: "Queue", kind: "number" },
  bytes: { title: "Bytes", kind: "bytes", sums: true },
  bytes_per_s: { title: "Bandwidth", kind: "bytes_per_s" },
  copy_kind: { title: "Way", absent: "–" },
  message_bytes: { title: "Message", sums: true },
  process_group: { title: "Process group" },
  dimension: { title: "Dimension" },
  n_without_group: { title: "Without group", sums: true },
  n_without_dimension: { title: "Without dimension", sums: true },
  least_bus_bytes_per_s: { title: "Bus rate at least", kind: "bytes_per_s" },
  flops: { title: "FLOPs", kind: "flops", absent: "unknown" },
  flops_per_s: { title: "FLOP/s", kind: "flops_per_s", absent: "unknown" },
  peak_share: { title: "Of peak", absent: "unknown" },
  flops_per_byte: { title: "FLOP / byte", kind: "number", absent: "unknown" },
  bandwidth_share: { title: "Of bandwidth", absent: "unknown" },
  effect_ns: { title: "Gain of 10 %", absent: "–" },
  effect_share: { title: "Effect of 10 %", absent: "–" },
})

export const KERNEL_PART = /* @__PURE__ */ rowOf('kernels', {
  name: { title: "Name", definition: define.names_name },
  count: { title: "Calls", kind: "count", definition: define.details_count },
  total_ns: { title: "Total", definition: define.details_total_ns },
  share: { title: "Share", kind: "share", definition: define.details_share },
})

export const KERNEL_COLLECTIVE = /* @__PURE__ */ rowOf('kernels', {
  kind: { title: "Collective", definition: define.collectives_kind },
  process_group: { title: "Process group", definition: define.collectives_process_group },
  dimension: { title: "Dimension", definition: define.collectives_dimension },
  n_ranks: { title: "Ranks", definition: define.collectives_n_ranks },
  n_collectives: { title: "Calls", sums: true, definition: define.collectives_n_collectives },
  kernels_ns: { title: "Total", definition: define.collectives_kernels_ns },
  message_bytes: { title: "Message", sums: true, definition: define.collectives_message_bytes },
  least_bus_bytes_per_s: { title: "Bus rate at least", kind: "bytes_per_s", definition: define.collectives_least_bus_bytes_per_s },
})

export const LISTED_EVENT = /* @__PURE__ */ rowOf('kernels', {
  name: { title: "In the timeline", definition: define.longest_name },
  start_ns: { title: "At", definition: define.details_start_ns },
  duration_ns: { title: "Duration", definition: define.details_duration_ns },
})
