// Generated from the Structs and definitions.md of tb_plugin/views/overview by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const DEVICE_ROW = /* @__PURE__ */ rowOf('overview', {
  index: { title: "Device", kind: "number" },
  utilization: { title: "Device busy", kind: "share" },
  sm_efficiency: { title: "SM efficiency", kind: "share" },
  occupancy_percent: { title: "Occupancy", kind: "percent" },
  matrix_core_share: { title: "Tensor core use" },
})

export const COMMUNICATION_PART = /* @__PURE__ */ rowOf('overview', {
  name: { title: "Of", definition: define.dimensions_name },
  exposed_ns: { title: "Exposed", sums: true },
  hidden_ns: { title: "Hidden", sums: true },
  count: { title: "Collectives", kind: "count", sums: true, definition: define.dimensions_count },
  bytes: { title: "Messages", kind: "bytes" },
})

export const TOP_ROW = /* @__PURE__ */ rowOf('overview', {
  name: { title: "Name", definition: define.top_operators_name },
  count: { title: "Calls", kind: "count" },
  time_ns: { title: "Time" },
  share: { title: "Share", kind: "share" },
})

export const TOP_MODULE = /* @__PURE__ */ rowOf('overview', {
  name: { title: "Name", definition: define.top_modules_name },
  count: { title: "Calls", kind: "count" },
  time_ns: { title: "Time" },
  share: { title: "Share", kind: "share" },
})
