// Generated from the Structs and definitions.md of tb_plugin/views/trends by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const TREND_POINT = {
  run: { title: "Run", kind: "text", definition: define.run },
  span: { title: "Span", kind: "text", definition: define.span },
  label: { title: "Worker", kind: "text", definition: define.label },
  recorded_ns: { title: "Recorded", kind: "time", definition: define.recorded_ns },
  quality: { title: "Quality", kind: "text", definition: define.quality },
  note: { title: "Note", kind: "text", absent: "–", definition: define.note },
  changed: { title: "Changed", kind: "text", absent: "–", definition: define.changed },
  last_step: { title: "Last step", kind: "count", definition: define.last_step },
  n_steps: { title: "Steps", kind: "count", definition: define.n_steps },
  step_ns: { title: "Step time", kind: "ns", definition: define.step_ns },
  before_share: { title: "To the one before", kind: "share", absent: "–", definition: define.before_share },
  busy_share: { title: "Busy", kind: "share", definition: define.busy_share },
  waiting_for_host_ns: { title: "Waiting for host", kind: "ns", definition: define.waiting_for_host_ns },
  exposed_communication_ns: { title: "Exposed communication", kind: "ns", definition: define.exposed_communication_ns },
  data_loader_ns: { title: "Data loader", kind: "ns", definition: define.data_loader_ns },
  peak_bytes: { title: "Peak memory", kind: "bytes", definition: define.peak_bytes },
  reserved_bytes: { title: "Reserved", kind: "bytes", definition: define.reserved_bytes },
  kernels: { title: "Kernels a step", kind: "number", definition: define.kernels },
  launches: { title: "Launch calls a step", kind: "number", definition: define.launches },
  mfu: { title: "MFU", kind: "share", absent: "unknown", definition: define.mfu },
} as const
