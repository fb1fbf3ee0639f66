// Generated from tb_plugin/views/operators/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const effect_ns =
  "What the mean step gains if the calls of the row, with all that they call and launch, took 10 % less time: a replay of the recording with it, minus one without (“What if”); in ns, and as a part of the step. Looked for on the rows that last longest."
export const effect_share = effect_ns
export const no_effect =
  "why there is no effect: the replay is refused, or cannot be made"
export const group_by =
  "What makes calls one row: `name`; `shapes`: name and input shapes; `call_site`: the innermost Python frame of your own code; `module`: the innermost module; `category`: the kind of work, by name."
export const has_device =
  "whether there is device work, and any input shapes, or why there are none"
export const has_shapes = has_device
export const no_shapes = has_device
export const groupings =
  "By what rows can be made, and why not where that was not recorded, with the option that records it."
export const id = groupings
export const title = groupings
export const missing = groupings
export const rows =
  "by device self time, then host self time"
export const name =
  "What the calls have in common. “not attributed” is device time whose launch is not in the file. By name, all steps are `ProfilerStep*`."
export const call_site =
  "The innermost Python frame around the call that is not torch's own: file, line where the function begins, function. A backward operator has that of its forward operator. Needs `with_stack=True`."
export const module =
  "The innermost `nn.Module` around the call, as a path from the outermost. A backward operator has that of its forward operator. Needs `with_stack=True`."
export const category =
  "The kind of work that an operator's name says. “Named ranges” are `record_function` ranges, “Launch calls” launches outside of all operators, “Other” no rule knows."
export const kind =
  "An operator of torch, a range somebody named (annotation), a launch call outside of all operators, or the group of the grouping: call site, module, category."
export const input_shapes =
  "The shapes of the inputs as recorded with `record_shapes=True` (`Input Dims`)."
export const count =
  "How often it was called. For “not attributed”: kernels, copies and sets."
export const host_self_ns =
  "Host time in the operator itself: its own time minus its direct children on the thread (torch's `self_cpu_time_total`), at least 0 a call. Self times are disjoint: their sum is all host time of operators."
export const host_total_ns =
  "Host time in the operator with all it calls (torch's `cpu_time_total`). Totals of nested operators overlap, so they have no sum. Grouped by call site, module or category, a call inside one of the same group is part of it."
export const device_self_ns =
  "Summed time of the kernels, copies and sets launched from the operator itself, with no operator or range in between. The sum is all device time; streams that run at once count twice."
export const device_total_ns =
  "Summed time of the kernels, copies and sets launched from the operator and all it calls."
export const device_self_share =
  "Device self over all device time under the filters."
export const host_self_share =
  "Host self over all host time in operators under the filters."
export const host_self_mean_ns =
  "Host self over calls."
export const device_self_mean_ns =
  "Device self over calls."
export const flops =
  "Floating point operations from shapes, by torch's own formulas (`with_flops`): 2·M·K·N for a matrix multiply, 2 per multiplication of `aten::conv2d`, one per element for `aten::add` and `aten::mul`. Other operators have none."
export const flops_per_s =
  "FLOPs over device total; over host total where the operator has no device work. In a group of several names the time is that of all of them, the FLOPs those of the operators that have a formula."
export const input_bytes =
  "What the tensor inputs hold: elements times size of the type, each input once and whole, summed over calls. Outputs are in no file. Calls with a list of tensors are not counted, as the file does not tell its type."
export const input_bytes_per_s =
  "Input bytes over device total, or over host total where there is no device work. Only where the inputs of all calls are known."
export const rates_over =
  "Whose time the rates are over: `device` or `host`, total."
export const matrix_core_share =
  "Tensor cores (AMD: matrix cores): of the time of the kernels that the operator launches itself, the share of kernels that use them, as their names tell."
export const matrix_core_unknown_share =
  "Of the time of the kernels that the operator launches itself, the share of kernels whose names do not tell whether they use tensor cores (Triton, hand-written ones)."
export const matrix_core_eligible =
  "Whether the calls with device work could use tensor cores (AMD: matrix cores): they multiply matrices, in a type that this device's cores take (32-bit floats count as TF32). `some`: some of them. `unknown`: input types were not recorded (`record_shapes=True`), or the device is not known."
export const totals =
  "`count`, host self, device self, `flops` over all rows, and not attributed of it"
export const host =
  "Host time of each call, with all it calls. The bins are logarithmic; their counts add up to the calls."
export const device =
  "Device time of each call that has some, with all it calls. For “not attributed”: of each kernel, copy and set."
export const operators =
  "The operators and ranges of the row by name, with self times: they add up to the self times of the row."
export const callers =
  "The operators and ranges directly around the calls; times are those of the calls and add up to the totals of the row."
export const callees =
  "What the calls call directly. Host time with all they call; of launch calls and Python functions their own. With the self times of the row they add up to its totals."
export const kernels =
  "Kernels, copies and sets of the calls: those launched from the calls themselves (self), and with those of all they call (total)."
export const stacks =
  "Where the calls come from: whole Python stacks, innermost frame first. A backward operator has the stack of its forward operator. Times add up to the totals of the row."
export const modules =
  "The innermost module around the calls. Times add up to the totals of the row."
export const pairs =
  "Forward calls beside the backward calls that autograd made for them, linked by sequence number and thread. Of nested backward ranges the outermost counts. Totals on both sides."
export const longest =
  "The ten longest calls, by device time where there is some, else by host time."
export const details_name =
  "What the line's calls have in common."
export const details_path = details_name
export const details_count =
  "Calls, or kernels, copies and sets."
export const details_host_ns =
  "Host time of these calls with all they call; of the row's own operators, launch calls and Python functions their own."
export const details_device_ns =
  "Device time of the kernels, copies and sets that they launched."
export const details_self_ns =
  "Launched from the row's own calls."
export const details_total_ns =
  "Launched from the row's own calls and from all that they call."
export const details_start_ns =
  "When it began, from the start of the profile."
export const details_duration_ns =
  "How long it took."
export const frames =
  "of one line of these lists"
export const is_rest = frames
export const forward = frames
export const backward = frames
export const forward_count = frames
export const backward_count = frames
export const row = frames
export const forward_host_ns = frames
export const forward_device_ns = frames
export const backward_host_ns = frames
export const backward_device_ns = frames
export const bins =
  "of a spread: durations of events and their histogram"
export const start_ns = bins
export const end_ns = bins
export const total_ns = bins
export const mean_ns = bins
export const min_ns = bins
export const median_ns = bins
export const p95_ns = bins
export const max_ns = bins
