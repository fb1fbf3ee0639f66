// Generated from the Structs and definitions.md of tb_plugin/views/memory by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const MEMORY_CURVE = {
  time_ns: { title: "Time", kind: "ns", definition: define.curve_time_ns },
  allocated_bytes: { title: "Allocated", kind: "bytes", definition: define.curve_allocated_bytes },
  reserved_bytes: { title: "Reserved", kind: "bytes", definition: define.curve_reserved_bytes },
  fragmentation_bytes: { title: "Fragmentation", kind: "bytes", definition: define.curve_fragmentation_bytes },
} as const

export const MEMORY_GROUP = {
  name: { title: "Name", kind: "text", absent: "not attributed", definition: define.name },
  via: { title: "Via", kind: "text", absent: "–", definition: define.via },
  allocations: { title: "Allocations", kind: "count", sums: true, definition: define.groups_allocations },
  allocated_bytes: { title: "Allocated", kind: "bytes", sums: true, definition: define.groups_allocated_bytes },
  largest_bytes: { title: "Largest", kind: "bytes", absent: "–", definition: define.largest_bytes },
  releases: { title: "Releases", kind: "count", sums: true, definition: define.groups_releases },
  released_bytes: { title: "Released", kind: "bytes", sums: true, definition: define.released_bytes },
  increase_bytes: { title: "Increase", kind: "bytes", sums: true, definition: define.increase_bytes },
  never_released: { title: "Blocks never freed", kind: "count", sums: true, definition: define.groups_never_released },
  never_released_bytes: { title: "Never freed", kind: "bytes", sums: true, definition: define.never_released_bytes },
  alive: { title: "Blocks alive", kind: "count", sums: true, definition: define.alive },
  alive_bytes: { title: "Alive", kind: "bytes", sums: true, definition: define.alive_bytes },
  share: { title: "Of allocated", kind: "share", sums: true, definition: define.share },
} as const

export const MEMORY_SEGMENT = {
  address: { title: "Segment", kind: "text", definition: define.address },
  stream: { title: "Stream", kind: "number", definition: define.stream },
  kind: { title: "Kind", kind: "text", definition: define.kind },
  total_bytes: { title: "Size", kind: "bytes", sums: true, definition: define.total_bytes },
  allocated_bytes: { title: "Allocated", kind: "bytes", sums: true, definition: define.segments_allocated_bytes },
  requested_bytes: { title: "Requested", kind: "bytes", sums: true, definition: define.requested_bytes },
  awaiting_bytes: { title: "Awaiting", kind: "bytes", sums: true, definition: define.awaiting_bytes },
  free_bytes: { title: "Free", kind: "bytes", sums: true, definition: define.free_bytes },
  free_blocks: { title: "Free pieces", kind: "count", sums: true, definition: define.free_blocks },
  largest_free_bytes: { title: "Largest free piece", kind: "bytes", definition: define.largest_free_bytes },
  blocks: { title: "Blocks", kind: "count", sums: true, definition: define.blocks },
} as const

export const MEMORY_ALLOCATION = {
  allocated_ns: { title: "Allocated at", kind: "ns", definition: define.allocations_allocated_ns },
  released_ns: { title: "Freed at", kind: "ns", definition: define.allocations_released_ns },
  lifetime_ns: { title: "Life time", kind: "ns", absent: "not known", definition: define.allocations_lifetime_ns },
  bytes: { title: "Size", kind: "bytes", definition: define.allocations_bytes },
  device: { title: "Device", kind: "text", definition: define.allocations_device },
  name: { title: "Allocated in", kind: "text", absent: "not attributed", definition: define.allocations_name },
  via: { title: "Via", kind: "text", absent: "–", definition: define.via },
  module: { title: "Module", kind: "text", absent: "not in a module", definition: define.allocations_module },
  call_site: { title: "Call site", kind: "text", definition: define.allocations_call_site },
  category: { title: "Category", kind: "text", definition: define.allocations_category },
  address: { title: "Address", kind: "text", definition: define.allocations_address },
} as const
