// Generated from the Structs and definitions.md of tb_plugin/views/roofline by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const ROOFLINE_ROW = {
  name: { title: "Operator or kernel", kind: "text", definition: define.name },
  shapes: { title: "Shapes", kind: "text", absent: "–", definition: define.shapes },
  types: { title: "Types", kind: "text", absent: "–", definition: define.types },
  category: { title: "Category", kind: "text", absent: "several", definition: define.category },
  count: { title: "Kernels", kind: "count", sums: true, definition: define.count },
  total_ns: { title: "Device time", kind: "ns", sums: true, definition: define.total_ns },
  share: { title: "Share", kind: "share", sums: true, definition: define.share },
  lost_ns: { title: "Lost", kind: "ns", sums: true, absent: "unknown", definition: define.lost_ns },
  roof_share: { title: "Of roof", kind: "share", absent: "unknown", definition: define.roof_share },
  bound: { title: "Bound by", kind: "text", absent: "unknown", definition: define.bound },
  flops: { title: "FLOPs", kind: "flops", sums: true, absent: "unknown", definition: define.flops },
  bytes: { title: "Bytes", kind: "bytes", sums: true, absent: "unknown", definition: define.bytes },
  flops_per_s: { title: "FLOP/s", kind: "flops_per_s", absent: "unknown", definition: define.flops_per_s },
  bytes_per_s: { title: "Bandwidth", kind: "bytes_per_s", absent: "unknown", definition: define.bytes_per_s },
  flops_per_byte: { title: "FLOP / byte", kind: "number", absent: "unknown", definition: define.flops_per_byte },
  rate_type: { title: "Roof", kind: "text", absent: "–", definition: define.rate_type },
} as const
