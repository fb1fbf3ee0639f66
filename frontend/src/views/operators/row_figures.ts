// Generated from the Structs and definitions.md of tb_plugin/views/operators by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const OPERATOR_ROW = /* @__PURE__ */ rowOf('operators', {
  name: { title: "Operator" },
  kind: { title: "Kind" },
  input_shapes: { title: "Input shapes" },
  count: { title: "Calls", kind: "count", sums: true },
  host_self_ns: { title: "Host self", sums: true, absent: "–" },
  host_total_ns: { title: "Host total", absent: "–" },
  device_self_ns: { title: "Device self", sums: true },
  device_total_ns: { title: "Device total" },
  flops: { title: "FLOPs", kind: "flops", sums: true, absent: "–" },
  flops_per_s: { title: "FLOP/s", kind: "flops_per_s", absent: "–" },
  input_bytes: { title: "Input bytes", absent: "unknown" },
  input_bytes_per_s: { title: "Input bytes/s", kind: "bytes_per_s", absent: "unknown" },
  rates_over: { title: "Rates over", absent: "–" },
  matrix_core_share: { title: "Tensor cores", absent: "no kernel" },
  matrix_core_unknown_share: { title: "Tensor cores unknown", absent: "no kernel" },
  matrix_core_eligible: { title: "Eligible", absent: "–" },
  effect_ns: { title: "Gain of 10 %", absent: "–" },
  effect_share: { title: "Effect of 10 %", absent: "–" },
  device_self_share: { title: "Of device", sums: true, absent: "–" },
  host_self_share: { title: "Of host", sums: true, absent: "–" },
  host_self_mean_ns: { title: "Host self / call", absent: "–" },
  device_self_mean_ns: { title: "Device self / call", absent: "–" },
})

export const RELATED_OPERATOR = /* @__PURE__ */ rowOf('operators', {
  name: { title: "Name", definition: define.operators_name },
  count: { title: "Calls", kind: "count", definition: define.details_count },
  host_ns: { title: "Host", definition: define.details_host_ns },
  device_ns: { title: "Device", absent: "–", definition: define.details_device_ns },
})

export const OPERATOR_KERNEL = /* @__PURE__ */ rowOf('operators', {
  name: { title: "Name", definition: define.kernels_name },
  count: { title: "Count", kind: "count", definition: define.details_count },
  self_ns: { title: "Self", definition: define.details_self_ns },
  total_ns: { title: "Total", definition: define.details_total_ns },
})

export const OPERATOR_MODULE = /* @__PURE__ */ rowOf('operators', {
  path: { title: "Module", definition: define.modules_path },
  count: { title: "Calls", kind: "count", definition: define.details_count },
  host_ns: { title: "Host", definition: define.details_host_ns },
  device_ns: { title: "Device", definition: define.details_device_ns },
})

export const OPERATOR_CALL = /* @__PURE__ */ rowOf('operators', {
  name: { title: "In the timeline", definition: define.longest_name },
  start_ns: { title: "At", definition: define.details_start_ns },
  duration_ns: { title: "Duration", definition: define.details_duration_ns },
  device_ns: { title: "Device", absent: "–", definition: define.details_device_ns },
})
