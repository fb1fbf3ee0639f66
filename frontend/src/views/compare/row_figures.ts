// Generated from the Structs and definitions.md of tb_plugin/views/compare by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const PART_CHANGE = /* @__PURE__ */ rowOf('compare', {
  part: { title: "Part", definition: define.part },
  a_ns: { title: "A", sums: true },
  b_ns: { title: "B", sums: true },
  delta_ns: { title: "Δ", sums: true },
  p: { title: "p", kind: "number", absent: "–" },
  verdict: { title: "Verdict" },
})

export const CHANGE_ROW = /* @__PURE__ */ rowOf('compare', {
  name: { title: "Name" },
  a_ns: { title: "A" },
  b_ns: { title: "B" },
  delta_ns: { title: "Δ" },
  a_calls: { title: "Calls A", kind: "number", absent: "–" },
  b_calls: { title: "Calls B", kind: "number", absent: "–" },
  count_ns: { title: "By count", absent: "–" },
  duration_ns: { title: "By duration", absent: "–" },
  size_ns: { title: "Of it by size", absent: "–" },
  matched: { title: "Matched by" },
  p: { title: "p", kind: "number", absent: "–" },
  verdict: { title: "Verdict" },
})
