// Generated from tb_plugin/views/overview/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const verdict =
  "What the step is bound by, and what to change first. The largest, of the time that gains are shares of: blocked and unknown from 20 %, exposed communication 20 %, waiting for the host and synchronisation 30 %, loading batches 20 %; else busy from 85 %. Work queued for 20 % and more of that time before the first recorded one is no part of it: what the device did then is not in the file."
export const verdict_bound =
  "Which of them it is, and its part of the time."
export const verdict_share = verdict_bound
export const verdict_sentence =
  "Read one after the other: what the step is bound by; what one rank's profile cannot tell of the others, or where they are known what its job tells; what to change first and then, each with its `lead`, title, what is `told` of its gain and place, and `finding`; what there is to doubt."
export const of_ranks = verdict_sentence
export const changes = verdict_sentence
export const doubts = verdict_sentence
export const steps =
  "One row per `ProfilerStep#N` of the host, by start; none removed."
export const selected =
  "Whether the filter for steps keeps the step. The average, step times, devices, peak memory and short lists count selected steps only; the rows of all steps stay."
export const not_recorded =
  "Categories of the breakdown of whose kind of event the profile holds none: shown as \"not recorded\", not as 0."
export const not_filtered =
  "Parts that count all work although filters for devices, streams, threads, a module or names are set."
export const steps_end =
  "`with_device_work`; `with_host_range` where no device work belongs to a step. The same for all steps of a profile, see \"Steps\" below."
export const step_notes =
  "Sentences to read beside the step time: the device is more than a step behind; a step is less than a fifth of its host range; the steps cover less than a tenth of the recording."
export const name =
  "of the step; start is where its window begins"
export const number = name
export const start_ns = name
export const duration_ns =
  "length of the window: step, average step, or whole recording"
export const host_ns =
  "length of the host's `ProfilerStep#N` range itself"
export const complete =
  "false where the recording ended inside the step"
export const breakdown_ns =
  "The time split by category: each instant counts once, for the first category that was active anywhere. The parts sum to the whole."
export const operators_ns =
  "Where no device works: \"other host\" by what the operators compute, by category. An instant belongs to the innermost open operator whose name tells; of several threads to the first category in the order of the kernels view; without such an operator to \"other\". Sums to `other_host`."
export const device_use_ns =
  "The time split by what the device does, and if it is idle, why. The parts sum to the whole. Of several devices, their mean."
export const step_time =
  "The median over complete selected steps. A step is a `ProfilerStep` range of the host up to the end of the device work that it launched, and begins when the device is done with the step before. Where the device is over a step behind, that is its own period, not the host's."
export const median_ns =
  "of the lengths of complete selected steps (of all, if none is complete); percentiles between two steps are interpolated"
export const p5_ns = median_ns
export const p95_ns = median_ns
export const min_ns = median_ns
export const max_ns = median_ns
export const average =
  "mean over complete selected steps (over all, if none is), per category, rounded so that the parts sum to the rounded mean"
export const whole =
  "From the first to the last event of the file, host and device."
export const model_flops =
  "Model FLOPs utilisation: FLOPs of products, convolutions and attention, forward and backward, over the time of the steps x the peak of their main type of all devices that worked, dense, by the data sheet. Causal attention counts causal; forward calls that run again in backward (checkpointing) do not. Unknown where the work of less than 80 % of the time of products is known, or the device's peaks are not."
export const mfu = model_flops
export const hfu =
  "the same with what ran again; FLOPs by type, those of other types scaled to the main one by their peaks in both figures"
export const mix = hfu
export const reason =
  "why it is not known"
export const note =
  "that the steps that count, or one of them, did more than the peak allows: the peak is too small or of another type"
export const devices =
  "one row per device that worked"
export const index =
  "The device's number in the file."
export const memory_bytes =
  "its `totalGlobalMem` where the file lists it"
export const busy_ns =
  "union of device work, all streams of the device"
export const busy_outside_ns =
  "the same union outside of the steps that count: before, between and after them; 0 without steps"
export const window_ns =
  "the steps that count, all together; without steps the recording. All times of a device are those inside it."
export const utilization =
  "Time in which at least one kernel, copy or set runs on the device, over the time of the selected steps; without steps, over the whole recording. Several devices: over their sums."
export const computation_ns =
  "union of kernels that are not collectives"
export const communication_exposed_ns =
  "Time in which collective kernels run and no other kernel does: what communication adds to the time of the device. Several devices: their sum."
export const communication_overlapped_ns =
  "union of collective kernels intersected with computation"
export const communication_ns =
  "The collective kernels of the window: `exposed`, with no other kernel of the device at the same time, and `overlapped`, hidden behind one. Of several devices, their mean."
export const exposed =
  "parts of communication"
export const overlapped = exposed
export const copy_ns =
  "unions"
export const set_ns = copy_ns
export const streams =
  "streams with device work"
export const sm_efficiency =
  "Estimated share of the multiprocessors that have a block to run: at each instant the sum of `blocks per SM` of the kernels that run, but at most 1; its mean over the same time as “busy”, idle time included."
export const occupancy_percent =
  "Mean of the kernels' `est. achieved occupancy %`, weighted by their time: how many of the warps that a multiprocessor could hold it had. Kernels for which it says 0 although their warps run are left out."
export const matrix_core_share =
  "Summed time of kernels that use tensor cores (AMD: matrix cores), as their names tell, over the time of all kernels."
export const matrix_core_unknown_share =
  "Summed time of kernels whose names do not tell whether they use tensor cores (Triton, hand-written ones), over the time of all kernels."
export const memory =
  "The most memory that was allocated at one time, as the allocator says (in a file without totals: above the least of the recording), of the device's capacity: in the recording, or from the start of the first selected step to the end of the last one's host range."
export const id =
  "the device as the memory view names it, and when the peak began"
export const title = id
export const peak_ns = id
export const peak_allocated_bytes =
  "highest allocated, and reserved (held by the allocator, allocated or not); each at its own time"
export const peak_reserved_bytes = peak_allocated_bytes
export const capacity_bytes =
  "`totalGlobalMem` of the device where the file lists it"
export const device_time_ns =
  "sum of device work"
export const not_attributed_ns =
  "Device work that belongs to no operator, range or launch call of the file: it was launched before the recording began, or host events were not recorded. Its share is of the summed time of kernels, copies and sets."
export const categories =
  "What the devices are busy with, in the steps that count; without steps in the recording. An instant of several kernels of a device is shared evenly; copies and sets count where no kernel runs. The parts sum to busy of all devices; `share` is of their window, as in the first sentence."
export const category =
  "the category's id and name; see the kernels view for what belongs to which"
export const category_title = category
export const top_operators =
  "The largest rows of the operators view: by the device time of work launched from the operator itself, not from operators inside it; without a device by its own host time."
export const top_operators_by =
  "`device_self` where there is device work, else `host_self`"
export const top_kernels =
  "The largest kernel names by summed time. The share is of all kernel time."
export const top_modules =
  "The largest modules, or where instances repeat classes of modules, by the time of operators that run in the module and in none inside it, forward and backward: device time, without a device host time."
export const instances =
  "how many modules a row is: 1 for a path, more for a class; modules view and filter find both by `name`"
export const top_operators_name =
  "An operator, a kernel, a module, or a class of modules."
export const top_modules_name = top_operators_name
export const count =
  "Calls; of a module its operators."
export const time_ns =
  "The summed time that the list is ordered by."
export const share =
  "Part of all such time, “not attributed” included."
export const host_busy =
  "Share of the window in which an operator, a runtime call, the data loader or a collective runs on the host; the rest is idle, or Python between operators, whether or not stacks were recorded."
export const host_communication =
  "Time of collectives on the host: ranges such as `gloo:*` and `c10d::*` that nothing above in the breakdown covers."
export const finding_gain =
  "What a selected step without it is expected to be shorter by, on average, or the recording where there are no steps (“about”, by replay); where no replay tells, the time of what was seen (“up to”). Several findings may want the same time: gains do not add up."
export const recorded =
  "`what`, whether it is `recorded` (data present, or the file says the option was on), `how` to switch it on or what is lacking `instead`, and the sentence where there is none (`lack`)"
export const issues =
  "`kind`, `count`, `text` and `first` place of what was odd while reading"
export const source =
  "`file`, `format`, `n_events`, base, `rank`, `world_size`, `host`, `backend`, `torch_version`, `cycle` as the profile says"
export const kernel =
  "At least one kernel that is no collective runs on a device."
export const copy =
  "No kernel runs, and memory is copied from, to or on a device."
export const set =
  "Nothing above runs, and device memory is filled."
export const communication =
  "Only collective kernels run: communication that nothing hides. Without device work: host ranges of collectives (`gloo:*`, `nccl:*`, `c10d::*`, ...)."
export const runtime =
  "No device works, and a runtime or driver call is open on the host."
export const data_loader =
  "Nothing above, and an `enumerate(DataLoader)#...` range is open: the host waits for the next batch."
export const other_host =
  "Nothing above, and an operator, one of torch's `Optimizer.*` ranges or a collective's range on the host is open."
export const python =
  "Nothing above, and the main thread runs Python (`with_stack=True`), other than in a call that rests: `sleep`, `acquire` of a lock, `wait`, `poll`, `select`, `recv`. Input is prepared there, or the program is slow between operators."
export const unknown_queue =
  "Nothing above, and a device had work queued for 30 µs or more that is the first of its stream: what that stream ran until then was launched before the recording, and is in no file."
export const idle =
  "None of these. With Python stacks recorded nothing ran on the main thread: it waits, or rests. Without them it may run Python between operators."
export const busy =
  "A kernel, copy or set runs: the device sets the pace."
export const launch_gap =
  "Work was launched (the call has returned) and begins after less than 30 µs of idle time: the gap between queued kernels."
export const blocked =
  "Work was launched and does not begin for 30 µs or more: it waits for another stream, device or rank."
export const unknown =
  "The work that begins next has no launch in the file. Or all work that was launched and does not begin for 30 µs or more is the first of its stream: it may have waited for what no file has, launched before the recording. Of the device alone: also while the host works."
export const synchronisation =
  "A thread that launches work is in a call that waits for the device, or was when the device ran dry: then up to the next work, and no longer than the call lasted, since the host could have launched that much earlier."
export const waiting_for_host =
  "Nothing was launched: the host is busy elsewhere, or launches too slowly."
