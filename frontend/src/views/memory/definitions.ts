// Generated from tb_plugin/views/memory/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const device =
  "The device shown (`cuda:0`, `cpu`; without a wish the accelerator with the highest peak, else the CPU), and all that have events. Devices are never summed."
export const devices = device
export const id =
  "Of a device: c10's device type and index, and its events in the whole recording. Of a grouping: its name."
export const title = id
export const n_events = id
export const start_ns =
  "The range `[start_ns, end_ns)`: the one asked for, else from the start of the first chosen step to the end of the last one's host range, else all. Events outside count nowhere but in what is alive."
export const end_ns = start_ns
export const window_start_ns =
  "The whole recording."
export const window_end_ns = window_start_ns
export const totals =
  "`recorded`: the file's own \"Total Allocated\"; `summed`: the file has none, and the curve is the running sum of `bytes`, raised by what keeps it from going below 0."
export const curve =
  "time, allocated, reserved: values that hold from each time on; of each of `points` equal stretches of the range the first, lowest, highest and last."
export const curve_time_ns =
  "Since the recording began. Values hold from here until the next row."
export const curve_allocated_bytes =
  "What tensors hold, in bytes."
export const curve_reserved_bytes =
  "What the allocator holds of the device, in bytes, in use or not."
export const curve_fragmentation_bytes =
  "Reserved minus allocated, in bytes."
export const time_ns =
  "When."
export const peak_allocated_bytes =
  "The most that tensors held at one time in the range, as torch counted it (\"Total Allocated\"). The CPU's count begins with the recording; a device's holds what was allocated before, but not the context and other libraries."
export const peak_ns =
  "When the highest value of the range (the one it starts with included) was first reached."
export const peak_reserved_ns = peak_ns
export const peak_fragmentation_ns = peak_ns
export const peak_reserved_bytes =
  "The most that the caching allocator held of the device in the range, in use or not (\"Total Reserved\"). This is what other programs see as taken."
export const peak_fragmentation_bytes =
  "The largest `reserved - allocated` of the range."
export const capacity_bytes =
  "The device's memory, from `deviceProperties`."
export const no_reserved =
  "Why a device has no reserve, no size, no blocks."
export const no_capacity = no_reserved
export const no_addresses = no_reserved
export const capacity_share =
  "Peak allocated over the memory of the device, and below it the same of peak reserved."
export const held =
  "What is alive after the event at time: the peak (`is_peak`), or the last event by the instant asked for; `row` is that event."
export const is_peak =
  "Whether the instant is the peak; the event in the trace."
export const row = is_peak
export const fragmentation_bytes =
  "Reserved minus allocated at the instant shown (the peak, unless another was chosen). What is free inside the allocator may still be of no use for a large block."
export const known =
  "What was allocated in the recording and not released until then: the next event with the same address ends a block. Below it what was there before: blocks released later, and the rest of the total. Nothing tells who allocated those; record from before the model is built to see."
export const from_before =
  "Of `known`, blocks that a memory snapshot holds at its end and whose allocation came before its first event."
export const earlier =
  "Releases after the instant whose address was not allocated in the recording: those blocks were there before."
export const rest_bytes =
  "`allocated - known - earlier`: allocated before the recording and not released in it; null without totals or addresses."
export const count =
  "How many, and the sum of their bytes without sign."
export const bytes = count
export const events =
  "Allocations and releases in the range. Never released: allocations of the range that were there when the recording ended: no leak by itself, it may have ended before they were due."
export const allocations =
  "Events in the range with positive and with negative bytes."
export const releases = allocations
export const releases_of_earlier =
  "Of `releases`, those of blocks from before the recording."
export const never_released =
  "Allocations in the range without a release in the recording. The recording may have ended before they were due."
export const group_by =
  "By what rows are made (`operator`, `module`, `call_site`, `stack`, `category`), what the file has of these (`missing` says why not), the rows by what is alive, then by bytes allocated, and those that are not listed as one row. Rows add up to `allocations`, `releases` and `known`."
export const groupings = group_by
export const groups = group_by
export const others = group_by
export const n_groups = group_by
export const missing =
  "Why a profile cannot be grouped so, and how to record it."
export const name =
  "Where it happened. Operator: the innermost operator or named range (no step) open on the thread; where that is `aten::empty` or another that only allocates, the one around it. Module: the path of the call; of backward operators that of their forward operator. Call site: the innermost frame of your code. Category: what it is for, by torch's memory profiler. \"not attributed\": nothing was open, as when Python drops a tensor."
export const via =
  "The allocating call inside the operator: `aten::empty*`, `aten::new_empty*` or `aten::resize_*`."
export const frames =
  "The whole Python stack, innermost first."
export const alive_bytes =
  "Bytes allocated here that are alive at the instant shown (the peak, unless another was chosen), also from before the range."
export const alive =
  "How many blocks these bytes are."
export const groups_allocations =
  "Allocations here, in the range."
export const groups_allocated_bytes =
  "Bytes of these allocations together. May be many times the peak: memory is used again."
export const largest_bytes =
  "The largest of these allocations."
export const groups_releases =
  "Releases here, in the range. A release counts where it happens, not where the block was allocated."
export const released_bytes =
  "Bytes of these releases together."
export const increase_bytes =
  "Allocated minus released: by how much memory grew here. Below 0 where more was released."
export const groups_never_released =
  "Of these allocations, those without a release in the recording. It may have ended before they were due."
export const never_released_bytes =
  "Bytes of the allocations without a release in the recording."
export const share =
  "Of what is allocated at the instant."
export const allocated_bytes =
  "At an instant, or of a list: as the column says."
export const reserved_bytes = allocated_bytes
export const segments =
  "What the allocator had of the device when the memory snapshot was taken: pieces of total, with blocks in them. Only memory snapshots say so."
export const listed =
  "The segments with the most free."
export const address =
  "Of a segment: where it begins, the stream whose tensors use it, `small` or `large`, `expandable`."
export const stream = address
export const kind = address
export const total_bytes =
  "Bytes of the segment, all of them reserved on the device."
export const segments_allocated_bytes =
  "Blocks that tensors hold, as the allocator rounded them up."
export const requested_bytes =
  "What was asked for of the allocated blocks; the rest is rounding."
export const awaiting_bytes =
  "Released by the program, but another stream still uses it."
export const free_bytes =
  "In no block: free for the next allocation that fits, of the same stream and pool."
export const free_blocks =
  "Free pieces, and blocks that tensors hold."
export const blocks = free_blocks
export const largest_free_bytes =
  "The largest free piece: a larger allocation needs a new segment, however much is free in all."
export const unused_segments =
  "Segments without any block: `torch.cuda.empty_cache()` would give them back."
export const unused_bytes = unused_segments
export const allocations_allocated_ns =
  "When it was allocated, since the recording began."
export const allocations_released_ns =
  "When it was released. \"still held\": it was there when the recording ended."
export const allocations_lifetime_ns =
  "From its allocation to its release."
export const allocations_bytes =
  "Bytes of the block."
export const allocations_name =
  "The operator or named range it was allocated in (of a block from before the recording: was released in), as in the table by operator."
export const allocations_module =
  "The path of the module it was allocated in."
export const allocations_call_site =
  "The innermost frame of your own code around it."
export const allocations_category =
  "What it is for, by the rules of torch's memory profiler: parameters, gradients, optimizer state, activations, inputs, temporaries, autograd's own. Needs our trace handler."
export const allocations_device =
  "The device it is on."
export const allocations_address =
  "Where it lies on the device. Addresses are used again."
export const out_of_memory =
  "`[OutOfMemory]` events, all devices."
export const notes =
  "Sentences about what this file cannot tell."
