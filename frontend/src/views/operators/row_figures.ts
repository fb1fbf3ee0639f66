// Generated from the Structs and definitions.md of tb_plugin/views/operators by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const OPERATOR_ROW = {
  name: { title: "Operator", kind: "text", definition: define.name },
  kind: { title: "Kind", kind: "text", definition: define.kind },
  input_shapes: { title: "Input shapes", kind: "text", definition: define.input_shapes },
  count: { title: "Calls", kind: "count", sums: true, definition: define.count },
  host_self_ns: { title: "Host self", kind: "ns", sums: true, absent: "–", definition: define.host_self_ns },
  host_total_ns: { title: "Host total", kind: "ns", absent: "–", definition: define.host_total_ns },
  device_self_ns: { title: "Device self", kind: "ns", sums: true, definition: define.device_self_ns },
  device_total_ns: { title: "Device total", kind: "ns", definition: define.device_total_ns },
  flops: { title: "FLOPs", kind: "flops", sums: true, absent: "–", definition: define.flops },
  flops_per_s: { title: "FLOP/s", kind: "flops_per_s", absent: "–", definition: define.flops_per_s },
  input_bytes: { title: "Input bytes", kind: "bytes", absent: "unknown", definition: define.input_bytes },
  input_bytes_per_s: { title: "Input bytes/s", kind: "bytes_per_s", absent: "unknown", definition: define.input_bytes_per_s },
  rates_over: { title: "Rates over", kind: "text", absent: "–", definition: define.rates_over },
  matrix_core_share: { title: "Tensor cores", kind: "share", absent: "no kernel", definition: define.matrix_core_share },
  matrix_core_unknown_share: { title: "Tensor cores unknown", kind: "share", absent: "no kernel", definition: define.matrix_core_unknown_share },
  matrix_core_eligible: { title: "Eligible", kind: "text", absent: "–", definition: define.matrix_core_eligible },
  effect_ns: { title: "Gain of 10 %", kind: "ns", absent: "–", definition: define.effect_ns },
  effect_share: { title: "Effect of 10 %", kind: "share", absent: "–", definition: define.effect_share },
  device_self_share: { title: "Of device", kind: "share", sums: true, absent: "–", definition: define.device_self_share },
  host_self_share: { title: "Of host", kind: "share", sums: true, absent: "–", definition: define.host_self_share },
  host_self_mean_ns: { title: "Host self / call", kind: "ns", absent: "–", definition: define.host_self_mean_ns },
  device_self_mean_ns: { title: "Device self / call", kind: "ns", absent: "–", definition: define.device_self_mean_ns },
} as const

export const RELATED_OPERATOR = {
  name: { title: "Name", kind: "text", definition: define.operators_name },
  count: { title: "Calls", kind: "count", definition: define.details_count },
  host_ns: { title: "Host", kind: "ns", definition: define.details_host_ns },
  device_ns: { title: "Device", kind: "ns", absent: "–", definition: define.details_device_ns },
} as const

export const OPERATOR_KERNEL = {
  name: { title: "Name", kind: "text", definition: define.kernels_name },
  count: { title: "Count", kind: "count", definition: define.details_count },
  self_ns: { title: "Self", kind: "ns", definition: define.details_self_ns },
  total_ns: { title: "Total", kind: "ns", definition: define.details_total_ns },
} as const

export const OPERATOR_MODULE = {
  path: { title: "Module", kind: "text", definition: define.modules_path },
  count: { title: "Calls", kind: "count", definition: define.details_count },
  host_ns: { title: "Host", kind: "ns", definition: define.details_host_ns },
  device_ns: { title: "Device", kind: "ns", definition: define.details_device_ns },
} as const

export const OPERATOR_CALL = {
  name: { title: "In the timeline", kind: "text", definition: define.longest_name },
  start_ns: { title: "At", kind: "ns", definition: define.details_start_ns },
  duration_ns: { title: "Duration", kind: "ns", definition: define.details_duration_ns },
  device_ns: { title: "Device", kind: "ns", absent: "–", definition: define.details_device_ns },
} as const
