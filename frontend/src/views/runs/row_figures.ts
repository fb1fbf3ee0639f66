// Generated from the Structs and definitions.md of tb_plugin/views/runs by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const RUN_ROW = /* @__PURE__ */ rowOf('runs', {
  run: { title: "Run" },
  worker: { title: "Worker" },
  span: { title: "Span" },
  recorded_ns: { title: "Recorded", kind: "time" },
  file: { title: "File" },
  size_bytes: { title: "Size" },
  state: { title: "State" },
  n_ranks: { title: "Rank files" },
  n_recordings: { title: "Recordings" },
  device: { title: "Device", path: ["summary", "device"] },
  n_devices: { title: "Devices", path: ["summary", "n_devices"] },
  rank: { title: "Rank", kind: "count", path: ["summary", "rank"] },
  world_size: { title: "Job size", kind: "count", path: ["summary", "world_size"] },
  n_steps: { title: "Steps", path: ["summary", "n_steps"] },
  step_ns: { title: "Step time", path: ["summary", "step_ns"] },
  busy_share: { title: "Busy", path: ["summary", "busy_share"] },
  peak_bytes: { title: "Peak memory", path: ["summary", "peak_bytes"], definition: define.peak_bytes },
  capacity_bytes: { title: "Capacity", path: ["summary", "capacity_bytes"] },
  finding: { title: "First finding", absent: "nothing found", path: ["summary", "finding"] },
  gain_share: { title: "Gain", absent: "unknown", path: ["summary", "gain_share"] },
  n_findings: { title: "Findings", path: ["summary", "n_findings"] },
})

export const SPAN_SUMMARY = /* @__PURE__ */ rowOf('runs', {
  device: { title: "Device" },
  n_devices: { title: "Devices" },
  rank: { title: "Rank", kind: "count" },
  world_size: { title: "Job size", kind: "count" },
  n_steps: { title: "Steps" },
  step_ns: { title: "Step time" },
  busy_share: { title: "Busy" },
  peak_bytes: { title: "Peak memory", definition: define.peak_bytes },
  capacity_bytes: { title: "Capacity" },
  finding: { title: "First finding", absent: "nothing found" },
  gain_share: { title: "Gain", absent: "unknown" },
  n_findings: { title: "Findings" },
})
