// Generated from the Structs and definitions.md of tb_plugin/views/overview by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const DEVICE_ROW = {
  index: { title: "Device", kind: "number", definition: define.index },
  utilization: { title: "Device busy", kind: "share", definition: define.utilization },
  sm_efficiency: { title: "SM efficiency", kind: "share", definition: define.sm_efficiency },
  occupancy_percent: { title: "Occupancy", kind: "percent", definition: define.occupancy_percent },
  matrix_core_share: { title: "Tensor core use", kind: "share", definition: define.matrix_core_share },
} as const

export const TOP_ROW = {
  name: { title: "Name", kind: "text", definition: define.top_operators_name },
  count: { title: "Calls", kind: "count", definition: define.count },
  time_ns: { title: "Time", kind: "ns", definition: define.time_ns },
  share: { title: "Share", kind: "share", definition: define.share },
} as const

export const TOP_MODULE = {
  name: { title: "Name", kind: "text", definition: define.top_modules_name },
  count: { title: "Calls", kind: "count", definition: define.count },
  time_ns: { title: "Time", kind: "ns", definition: define.time_ns },
  share: { title: "Share", kind: "share", definition: define.share },
} as const
