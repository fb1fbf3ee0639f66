// Generated from the Structs and definitions.md of tb_plugin/views/compare by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const PART_CHANGE = {
  part: { title: "Part", kind: "text", definition: define.part },
  a_ns: { title: "A", kind: "ns", sums: true, definition: define.a_ns },
  b_ns: { title: "B", kind: "ns", sums: true, definition: define.b_ns },
  delta_ns: { title: "Δ", kind: "ns", sums: true, definition: define.delta_ns },
  p: { title: "p", kind: "number", absent: "–", definition: define.p },
  verdict: { title: "Verdict", kind: "text", definition: define.verdict },
} as const

export const CHANGE_ROW = {
  name: { title: "Name", kind: "text", definition: define.name },
  a_ns: { title: "A", kind: "ns", definition: define.a_ns },
  b_ns: { title: "B", kind: "ns", definition: define.b_ns },
  delta_ns: { title: "Δ", kind: "ns", definition: define.delta_ns },
  a_calls: { title: "Calls A", kind: "number", absent: "–", definition: define.a_calls },
  b_calls: { title: "Calls B", kind: "number", absent: "–", definition: define.b_calls },
  count_ns: { title: "By count", kind: "ns", absent: "–", definition: define.count_ns },
  duration_ns: { title: "By duration", kind: "ns", absent: "–", definition: define.duration_ns },
  size_ns: { title: "Of it by size", kind: "ns", absent: "–", definition: define.size_ns },
  matched: { title: "Matched by", kind: "text", definition: define.matched },
  p: { title: "p", kind: "number", absent: "–", definition: define.p },
  verdict: { title: "Verdict", kind: "text", definition: define.verdict },
} as const
