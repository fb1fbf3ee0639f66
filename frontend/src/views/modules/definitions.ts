// Generated from tb_plugin/views/modules/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const effect_ns =
  "What the mean step gains if the module, forward and backward and with all below it, took 10 % less time: a replay of the recording with it, minus one without (“What if”); in ns, and as a part of the step. Looked for on the rows that last longest."
export const effect_share = effect_ns
export const no_effect =
  "why there is no effect: the replay is refused, or cannot be made"
export const group_by =
  "`class`: one row for each class, and below it its paths. `instance`: one row for each path. `class_path`: siblings of one class are one row. Not said: `class` where a class has several instances, else `instance`"
export const has_device =
  "whether there is device work, a backward operator that belongs to a module, a recorded call, a name as in the model, an allocation on the host or on a device"
export const has_backward = has_device
export const has_calls = has_device
export const has_qualified = has_device
export const has_host_memory = has_device
export const has_device_memory = has_device
export const rows =
  "one per path of modules, parents before children, by first call; by class the largest own time first; then \"not in a module\" and \"not attributed\""
export const id =
  "place in `rows`, that of the module around it, number of modules around it"
export const parent = id
export const depth = id
export const kind =
  "`module`, `outside` (not in a module), `not_attributed`"
export const name =
  "Class and number, as torch counts the instances of a class by their first call in a profile; TorchScript and Lightning give the attribute's name. \"not in a module\": everything else those threads did. \"not attributed\": device work whose launch is not in the file."
export const class_name =
  "The class of the module."
export const qualified =
  "The name in the model, as in `named_modules()`. Known with `tensorboard_trace_handler(dir, model=model)`, from Lightning's profiler and from TorchScript; else not recorded."
export const path =
  "The names of the modules around it and its own, from the outermost: `ResNet_0/Sequential_1/Conv2d_5`."
export const instances =
  "How many modules this row stands for. By class: names in the model that differ, else numbers that torch gave. A module called at two places is one instance and two rows."
export const calls =
  "How often the module was called at this place in the forward pass: its `nn.Module` frames or Lightning's ranges outside of ranges of autograd. TorchScript calls are not recorded."
export const recomputed =
  "Calls inside the backward pass, to compute again what checkpointing did not keep. Their time is backward time."
export const operators_self =
  "Operators that the module itself called, forward and backward, without those that other operators of the module called."
export const operators_total =
  "Operators that the module and the modules inside it called, forward and backward, without those that other operators of the same module called."
export const host =
  "the six times below, on the host's threads and of device work"
export const device = host
export const forward_self_ns =
  "Host: time in the module's calls outside of modules and ranges of autograd inside them. Device: summed time of the kernels, copies and sets launched there."
export const backward_self_ns =
  "The same of the operators of autograd, with all they call, whose forward operators ran in the module. Gradient accumulation has no forward operator."
export const self_ns =
  "Time by the module itself, not by modules inside it: forward self plus backward self. The sum over all rows is all time."
export const forward_total_ns =
  "Forward self time of the module and of all modules inside it."
export const backward_total_ns =
  "Backward self time of the module and of all modules inside it."
export const total_ns =
  "Self time of the module and of all modules inside it, forward and backward. A class counts a module inside another of its class once."
export const device_self_share =
  "Own time of the row over the time of all rows: of classes they sum to 100 %."
export const host_self_share = device_self_share
export const device_share =
  "Total time of the row over the time of all rows: for the device all device time, for the host the time in which anything was open on the threads that run modules."
export const host_share = device_share
export const device_mean_ns =
  "Forward total time over the number of calls."
export const host_mean_ns = device_mean_ns
export const kernels_self =
  "Kernels launched by the module itself, not by modules inside it, forward and backward."
export const kernels_total =
  "Kernels launched by the module and the modules inside it, forward and backward."
export const host_memory =
  "the four sizes below, of allocations on the host, and on all devices together"
export const device_memory = host_memory
export const allocated_self_bytes =
  "Bytes allocated while the module itself ran, forward and backward, whatever was released meanwhile."
export const allocated_total_bytes =
  "Bytes allocated while the module or a module inside it ran, forward and backward, whatever was released meanwhile."
export const net_self_bytes =
  "Bytes allocated minus bytes released while the module itself ran: negative where it released more."
export const net_total_bytes =
  "Bytes allocated minus bytes released while the module or a module inside it ran: negative where they released more."
export const first_start_ns =
  "When it was first called, from the start of the profile. Sort by it to read the modules in the order of the model."
export const first_end_ns = first_start_ns
export const longest_start_ns =
  "When its longest call was, from the start of the profile."
export const longest_end_ns = longest_start_ns
export const calls_pattern =
  "a regular expression that finds its calls by their names in the timeline; empty where there are none"
export const totals =
  "what self values add up to: host, time in which anything was open on the threads that have scopes; device, all device work; `kernels`; not attributed, device work whose launch is not in the file"
export const flame_graph =
  "A block is a module; below it (above in a flame graph) are those it calls, in the order of first calls. The width is the figure chosen, with all inside; the stronger the colour, the more of it is the module's own. Click a block to zoom to it and select its row, one around it to zoom out."
