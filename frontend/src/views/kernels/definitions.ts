// Generated from tb_plugin/views/kernels/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const name =
  "What the row is about: the kernel's name as recorded (cut in the middle where it is long; whole when pointed at and in copies), or the operator, module, stream or category."
export const operator =
  "The operator, range or call that launched it: by correlation, else External id. “not attributed”: the launch is not in the file."
export const grid =
  "Blocks of the launch in x, y and z, as recorded. Where `hipExtModuleLaunchKernel` launched the kernel, AMD's recorder writes threads instead."
export const block =
  "Threads of a block in x, y and z."
export const registers =
  "Registers per thread, where all calls of the row have the same."
export const shared_bytes =
  "Shared memory per block, static and dynamic, where all calls of the row have the same."
export const kind =
  "Kernel, communication (a collective's kernel, by its name), copy, set, or several."
export const category =
  "What kind of work it is, by its name, or its operator's where that tells nothing; “several” where a row has more than one. A convolution that runs as a matrix multiply counts as that, softmax as normalisation."
export const categories =
  "Device time of each category under the filters: sum of durations; all together are the time of the work shown. Click to keep one."
export const names =
  "How many different kernels, copies and sets, by name."
export const count =
  "How often it ran."
export const total_ns =
  "Summed time of all runs. Runs on several streams may overlap; see “busy”."
export const share =
  "total over that of all rows."
export const mean_ns =
  "`total_ns / count`."
export const min_ns =
  "The shortest run."
export const max_ns =
  "The longest run."
export const busy_ns =
  "The time in which at least one of these runs: the union per device, summed over devices. Less than the sum of the totals where streams overlap."
export const blocks_per_sm =
  "Blocks of the grid over multiprocessors, mean weighted by time over the calls that have it. Under 1, part of the device has no work. AMD does not record it."
export const occupancy_percent =
  "Estimated share of the warps that a multiprocessor can hold, mean weighted by time. The recorder's estimate from the launch, not measured; unknown where it says 0 of warps that do run."
export const matrix_core =
  "Whether the kernel uses tensor cores (AMD: matrix cores), by its name: s16816, tensorop, gmma, nvjet; AMD's MI16x16, xdl, gtcx; products of eight and four bits, fused attention. “unknown”: the name does not tell."
export const may_multiply =
  "Not shown: whether anything in the row may multiply matrices. Where nothing does (a collective, a copy, a sum) FLOPs are left out, not unknown."
export const matrix_ns =
  "Time of kernels that use tensor cores, over the time of all kernels shown. Kernels whose use is unknown are not in it; their share is beside it."
export const matrix_unknown_ns =
  "Time of kernels whose name does not tell whether they use tensor cores."
export const launch_delay_median_ns =
  "From the start of the launching call to the start of the work, median. Long where the device is behind, short where the host is. Of a call that starts many kernels (a graph) only the first counts."
export const launch_delay_max_ns =
  "The longest launch delay."
export const queue_length =
  "Kernels, copies and sets on the same stream that started between its launch and itself, so were ahead of it in the queue: mean. 0: the device was waiting for the host."
export const bytes =
  "Bytes copied or set, all runs together."
export const bytes_per_s =
  "Bytes over the time of the runs that have bytes."
export const copy_kind =
  "From where to where, and the kind of host memory, by the name. Pageable memory is copied through a buffer of the driver: slower, and the host waits."
export const flops =
  "Floating point operations: those of the operator call, by torch's formulas from its input shapes (mm, addmm, bmm, baddbmm, conv2d), given to its longest multiplying kernel if that takes at least 80 % of the time of all such kernels of the call; else unknown."
export const flops_per_s =
  "FLOPs over the time of the kernels they are known of. Winograd and FFT do fewer operations than the formula counts."
export const peak_share =
  "FLOP/s over what the device can do at most with the operator's input type, dense: floats count as TF32 in NVIDIA's tensor cores and as FP32 outside of them. “unknown”: shapes not recorded, or a device without known peaks."
export const flops_per_byte =
  "FLOPs over the bytes that the call moves at least (see “of bandwidth”). The left to right of a roofline: low is bound by memory, high by arithmetic."
export const bandwidth_share =
  "The least time that memory needs to read the call's tensor inputs and write its outputs, over the time taken. With “of peak” the position under the roofline: the larger is the nearer roof. “unknown”: the outputs do not follow from what was recorded. More than 100 %: inputs were expanded or in a cache."
export const spread =
  "How long the runs of the row take: count and time by duration."
export const longest =
  "The ten longest runs, each leading to the timeline."
export const effect_ns =
  "What the mean step gains if the work of the row took 10 % less time: a replay of the recording with it, minus one without (“What if”); in ns, and as a part of the step. Looked for on the rows that last longest."
export const effect_share = effect_ns
export const no_effect =
  "why there is no effect: the replay is refused, or cannot be made"
export const group_by =
  "Not shown as figures: what was asked, the table's rows by total time, an event of the row, the device and source of its peaks, by what rows can be made and why not, and what was recorded."
export const groupings = group_by
export const id = group_by
export const title = group_by
export const missing = group_by
export const rows = group_by
export const example = group_by
export const peak = group_by
export const has_launches = group_by
export const has_shapes = group_by
export const details_name =
  "What the line's work has in common: a kernel, an operator, a launch shape, a module, a call site, a stream."
export const details_count =
  "Kernels, copies and sets."
export const details_total_ns =
  "Their summed time."
export const details_share =
  "Part of the time of the row."
export const details_start_ns =
  "When it began, from the start of the profile."
export const details_duration_ns =
  "How long it took."
export const operators =
  "Of the details: the parts of a row by what they belong to, and events."
export const modules = operators
export const call_sites = operators
export const streams = operators
export const launches = operators
export const is_rest = operators
export const row = operators
