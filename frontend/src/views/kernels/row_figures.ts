// Generated from the Structs and definitions.md of tb_plugin/views/kernels by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const KERNEL_ROW = {
  name: { title: "Name", kind: "text", definition: define.name },
  kind: { title: "Kind", kind: "text", definition: define.kind },
  category: { title: "Category", kind: "text", absent: "several", definition: define.category },
  operator: { title: "Operator", kind: "text", absent: "not attributed", definition: define.operator },
  grid: { title: "Grid", kind: "dims", definition: define.grid },
  block: { title: "Block", kind: "dims", definition: define.block },
  registers: { title: "Registers", kind: "count", absent: "not one value", definition: define.registers },
  shared_bytes: { title: "Shared memory", kind: "bytes", absent: "not one value", definition: define.shared_bytes },
  names: { title: "Kernels", kind: "count", definition: define.names },
  count: { title: "Calls", kind: "count", sums: true, definition: define.count },
  total_ns: { title: "Total", kind: "ns", sums: true, definition: define.total_ns },
  mean_ns: { title: "Mean", kind: "ns", definition: define.mean_ns },
  min_ns: { title: "Min", kind: "ns", definition: define.min_ns },
  max_ns: { title: "Max", kind: "ns", definition: define.max_ns },
  share: { title: "Share", kind: "share", sums: true, definition: define.share },
  blocks_per_sm: { title: "Blocks / SM", kind: "number", definition: define.blocks_per_sm },
  occupancy_percent: { title: "Occupancy", kind: "percent", absent: "unknown", definition: define.occupancy_percent },
  matrix_core: { title: "Tensor cores", kind: "text", absent: "no kernels", definition: define.matrix_core },
  launch_delay_median_ns: { title: "Launch delay", kind: "ns", definition: define.launch_delay_median_ns },
  launch_delay_max_ns: { title: "Max delay", kind: "ns", definition: define.launch_delay_max_ns },
  queue_length: { title: "Queue", kind: "number", definition: define.queue_length },
  bytes: { title: "Bytes", kind: "bytes", sums: true, definition: define.bytes },
  bytes_per_s: { title: "Bandwidth", kind: "bytes_per_s", definition: define.bytes_per_s },
  copy_kind: { title: "Way", kind: "text", absent: "–", definition: define.copy_kind },
  flops: { title: "FLOPs", kind: "flops", absent: "unknown", definition: define.flops },
  flops_per_s: { title: "FLOP/s", kind: "flops_per_s", absent: "unknown", definition: define.flops_per_s },
  peak_share: { title: "Of peak", kind: "share", absent: "unknown", definition: define.peak_share },
  flops_per_byte: { title: "FLOP / byte", kind: "number", absent: "unknown", definition: define.flops_per_byte },
  bandwidth_share: { title: "Of bandwidth", kind: "share", absent: "unknown", definition: define.bandwidth_share },
  effect_ns: { title: "Gain of 10 %", kind: "ns", absent: "–", definition: define.effect_ns },
  effect_share: { title: "Effect of 10 %", kind: "share", absent: "–", definition: define.effect_share },
} as const

export const KERNEL_PART = {
  name: { title: "Name", kind: "text", definition: define.names_name },
  count: { title: "Calls", kind: "count", definition: define.details_count },
  total_ns: { title: "Total", kind: "ns", definition: define.details_total_ns },
  share: { title: "Share", kind: "share", definition: define.details_share },
} as const

export const LISTED_EVENT = {
  name: { title: "In the timeline", kind: "text", definition: define.longest_name },
  start_ns: { title: "At", kind: "ns", definition: define.details_start_ns },
  duration_ns: { title: "Duration", kind: "ns", definition: define.details_duration_ns },
} as const
