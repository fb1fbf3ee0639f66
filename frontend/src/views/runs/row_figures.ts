// Generated from the Structs and definitions.md of tb_plugin/views/runs by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const RUN_ROW = {
  run: { title: "Run", kind: "text", definition: define.run },
  worker: { title: "Worker", kind: "text", definition: define.worker },
  span: { title: "Span", kind: "text", definition: define.span },
  recorded_ns: { title: "Recorded", kind: "time", definition: define.recorded_ns },
  file: { title: "File", kind: "text", definition: define.file },
  size_bytes: { title: "Size", kind: "bytes", definition: define.size_bytes },
  state: { title: "State", kind: "text", definition: define.state },
  n_ranks: { title: "Rank files", kind: "count", definition: define.n_ranks },
  n_recordings: { title: "Recordings", kind: "count", definition: define.n_recordings },
  device: { title: "Device", kind: "text", path: ["summary", "device"], definition: define.device },
  n_devices: { title: "Devices", kind: "count", path: ["summary", "n_devices"], definition: define.n_devices },
  rank: { title: "Rank", kind: "count", path: ["summary", "rank"], definition: define.rank },
  world_size: { title: "Job size", kind: "count", path: ["summary", "world_size"], definition: define.world_size },
  n_steps: { title: "Steps", kind: "count", path: ["summary", "n_steps"], definition: define.n_steps },
  step_ns: { title: "Step time", kind: "ns", path: ["summary", "step_ns"], definition: define.step_ns },
  busy_share: { title: "Busy", kind: "share", path: ["summary", "busy_share"], definition: define.busy_share },
  peak_bytes: { title: "Peak memory", kind: "bytes", path: ["summary", "peak_bytes"], definition: define.peak_bytes },
  capacity_bytes: { title: "Capacity", kind: "bytes", path: ["summary", "capacity_bytes"], definition: define.capacity_bytes },
  finding: { title: "First finding", kind: "text", absent: "nothing found", path: ["summary", "finding"], definition: define.finding },
  gain_share: { title: "Gain", kind: "share", absent: "unknown", path: ["summary", "gain_share"], definition: define.gain_share },
  n_findings: { title: "Findings", kind: "count", path: ["summary", "n_findings"], definition: define.n_findings },
} as const

export const SPAN_SUMMARY = {
  device: { title: "Device", kind: "text", definition: define.device },
  n_devices: { title: "Devices", kind: "count", definition: define.n_devices },
  rank: { title: "Rank", kind: "count", definition: define.rank },
  world_size: { title: "Job size", kind: "count", definition: define.world_size },
  n_steps: { title: "Steps", kind: "count", definition: define.n_steps },
  step_ns: { title: "Step time", kind: "ns", definition: define.step_ns },
  busy_share: { title: "Busy", kind: "share", definition: define.busy_share },
  peak_bytes: { title: "Peak memory", kind: "bytes", definition: define.peak_bytes },
  capacity_bytes: { title: "Capacity", kind: "bytes", definition: define.capacity_bytes },
  finding: { title: "First finding", kind: "text", absent: "nothing found", definition: define.finding },
  gain_share: { title: "Gain", kind: "share", absent: "unknown", definition: define.gain_share },
  n_findings: { title: "Findings", kind: "count", definition: define.n_findings },
} as const
