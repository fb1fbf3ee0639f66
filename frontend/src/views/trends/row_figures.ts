// Generated from the Structs and definitions.md of tb_plugin/views/trends by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const TREND_POINT = /* @__PURE__ */ rowOf('trends', {
  run: { title: "Run" },
  span: { title: "Span" },
  label: { title: "Worker", definition: define.label },
  recorded_ns: { title: "Recorded", kind: "time" },
  quality: { title: "Quality" },
  note: { title: "Note", absent: "–" },
  changed: { title: "Changed", absent: "–" },
  last_step: { title: "Last step", kind: "count" },
  n_steps: { title: "Steps" },
  step_ns: { title: "Step time" },
  before_share: { title: "To the one before", absent: "–" },
  busy_share: { title: "Busy" },
  waiting_for_host_ns: { title: "Waiting for host" },
  exposed_communication_ns: { title: "Exposed communication" },
  data_loader_ns: { title: "Data loader" },
  peak_bytes: { title: "Peak memory" },
  reserved_bytes: { title: "Reserved" },
  kernels: { title: "Kernels a step", kind: "number" },
  launches: { title: "Launch calls a step", kind: "number" },
  mfu: { title: "MFU", kind: "share", absent: "unknown" },
})
