// Generated from the Structs and definitions.md of tb_plugin/views/memory by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const MEMORY_CURVE = /* @__PURE__ */ rowOf('memory', {
  time_ns: { title: "Time", definition: define.curve_time_ns },
  allocated_bytes: { title: "Allocated", definition: define.curve_allocated_bytes },
  reserved_bytes: { title: "Reserved", definition: define.curve_reserved_bytes },
  fragmentation_bytes: { title: "Fragmentation", definition: define.curve_fragmentation_bytes },
})

export const MEMORY_GROUP = /* @__PURE__ */ rowOf('memory', {
  name: { title: "Name", absent: "not attributed" },
  via: { title: "Via", absent: "–" },
  allocations: { title: "Allocations", kind: "count", sums: true, definition: define.groups_allocations },
  allocated_bytes: { title: "Allocated", sums: true, definition: define.groups_allocated_bytes },
  largest_bytes: { title: "Largest", absent: "–" },
  releases: { title: "Releases", kind: "count", sums: true, definition: define.groups_releases },
  released_bytes: { title: "Released", sums: true },
  increase_bytes: { title: "Increase", sums: true },
  never_released: { title: "Blocks never freed", kind: "count", sums: true, definition: define.groups_never_released },
  never_released_bytes: { title: "Never freed", sums: true },
  alive: { title: "Blocks alive", kind: "count", sums: true },
  alive_bytes: { title: "Alive", sums: true },
  share: { title: "Of allocated", kind: "share", sums: true },
})

export const MEMORY_SEGMENT = /* @__PURE__ */ rowOf('memory', {
  address: { title: "Segment" },
  stream: { title: "Stream", kind: "number" },
  kind: { title: "Kind" },
  total_bytes: { title: "Size", sums: true },
  allocated_bytes: { title: "Allocated", sums: true, definition: define.segments_allocated_bytes },
  requested_bytes: { title: "Requested", sums: true },
  awaiting_bytes: { title: "Awaiting", sums: true },
  free_bytes: { title: "Free", sums: true },
  free_blocks: { title: "Free pieces", kind: "count", sums: true },
  largest_free_bytes: { title: "Largest free piece" },
  blocks: { title: "Blocks", kind: "count", sums: true },
})

export const MEMORY_ALLOCATION = /* @__PURE__ */ rowOf('memory', {
  allocated_ns: { title: "Allocated at", definition: define.allocations_allocated_ns },
  released_ns: { title: "Freed at", definition: define.allocations_released_ns },
  lifetime_ns: { title: "Life time", absent: "not known", definition: define.allocations_lifetime_ns },
  bytes: { title: "Size", kind: "bytes", definition: define.allocations_bytes },
  device: { title: "Device", definition: define.allocations_device },
  name: { title: "Allocated in", absent: "not attributed", definition: define.allocations_name },
  via: { title: "Via", absent: "–" },
  module: { title: "Module", absent: "not in a module", definition: define.allocations_module },
  call_site: { title: "Call site", definition: define.allocations_call_site },
  category: { title: "Category", definition: define.allocations_category },
  address: { title: "Address", definition: define.allocations_address },
})
