// Generated from the Structs and definitions.md of tb_plugin/views/roofline by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'

export const ROOFLINE_ROW = /* @__PURE__ */ rowOf('roofline', {
  name: { title: "Operator or kernel" },
  shapes: { title: "Shapes", absent: "–" },
  types: { title: "Types", absent: "–" },
  category: { title: "Category", absent: "several" },
  count: { title: "Kernels", kind: "count", sums: true },
  total_ns: { title: "Device time", sums: true },
  share: { title: "Share", kind: "share", sums: true },
  lost_ns: { title: "Lost", sums: true, absent: "unknown" },
  roof_share: { title: "Of roof", absent: "unknown" },
  bound: { title: "Bound by", absent: "unknown" },
  flops: { title: "FLOPs", kind: "flops", sums: true, absent: "unknown" },
  bytes: { title: "Bytes", kind: "bytes", sums: true, absent: "unknown" },
  flops_per_s: { title: "FLOP/s", kind: "flops_per_s", absent: "unknown" },
  bytes_per_s: { title: "Bandwidth", kind: "bytes_per_s", absent: "unknown" },
  flops_per_byte: { title: "FLOP / byte", kind: "number", absent: "unknown" },
  rate_type: { title: "Roof", absent: "–" },
})
