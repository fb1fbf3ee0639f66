// Generated from tb_plugin/views/timeline/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const area_name =
  "Events of one name and kind are one row."
export const area_category =
  "The category of a kernel, else the kind of event: its colour."
export const area_module =
  "The module that an event runs in; of device work that of its launch, of a backward operator that of its forward one."
export const area_class =
  "The class of the module that an event runs in."
export const area_step =
  "The step that an event began in; of device work that of its launch, where there is one."
export const group_by =
  "What makes a row; on the second level what makes the rows of one."
export const then_by = group_by
export const kind =
  "Operator, annotation (a named range), Python frame, runtime or driver call, kernel, copy, set, and so on."
export const count =
  "Events of that name that overlap the area, or lie in it as a mark without length."
export const area_self_ns =
  "Time inside the area, without nested events. Of events that cut across each other the later has it. Named ranges and waits on a device have none."
export const area_mean_ns =
  "Total by events."
export const area_share =
  "Self by the self time of all threads, or of all streams, in the area: all rows are 100 %."
export const area_busy =
  "The time in which a kernel, copy or set ran on any stream of the device in the area, and its gaps: the rest. On threads “idle” is the time in which nothing was open but what is no work: named ranges and waits of a device, the profiler’s own span."
export const on_device =
  "Whether its events are on streams; those of threads are a table of their own: a step on a thread is no longer than the kernels in it."
export const host_self_ns =
  "Self times of all threads, and of all streams, of the area."
export const device_self_ns = host_self_ns
export const call_time_ns =
  "Self times, inside the area, of all calls of that path and of what they call, or of what devices did for them."
export const call_self_ns =
  "Time inside the area without what they call. Inverted it is the whole time of what stands first."
export const call_count =
  "Calls of that path that overlap the area; above device work those that launched some of what lies in it, wherever they began. All steps are calls of one name, `ProfilerStep*`."
export const frames =
  "What makes a path: all frames of a thread, operators and calls of the runtime, or Python; of work on devices what is around its launch, without the launching call. Others are part of those around them, and of no path where there is none, such as the profiler’s own work."
export const call_edit =
  "Focus: all calls of the name stand at the root, what is around them and beside them is left out. Merge: their own time is that of their callers, what they call is called by these. Drop: they are left out with all that they call. What is left is all."
export const by_class =
  "`nn.Module: Block_0`, `Block_1` and so on are calls of one name, `nn.Module: Block_*`."
export const call_found =
  "Time in calls whose name here is what is sought, with what they call, each instant once."
export const side =
  "Time on threads, or of devices below the operators that it was done for; and how much the other one has."
export const other_side_ns = side
export const value_allocated =
  "Bytes that the allocator has given out, as the file says."
export const value_above =
  "Bytes given out above the least of the recording: without totals in the file, what was held all along is not known."
export const value_reserved =
  "Bytes that the allocator holds, in use or not."
export const value_busy =
  "The share of time in which a kernel, copy or set ran on any stream."
export const value_queue =
  "Kernels, copies and sets launched and not begun: at 0 a device waits for the host. Not recorded while a stream runs what was launched before."
export const value_counter =
  "A counter of the file, in its own unit."
export const least =
  "Of a value: the least and the most in each part of the stretch, and of the whole recording, what it counts and its name."
export const most = least
export const lowest = least
export const highest = least
export const unit = least
export const title = least
export const block_count =
  "Events of the block; of several the longest is named."
export const found_ns =
  "Time with a hit, each thread and stream for itself: of hits inside each other, as of a function that calls itself, each instant counts once."
export const hit_duration =
  "From start to end, with nested events."
export const hit_track =
  "Its thread or stream."
export const hit_start =
  "Since the recording began."
export const mark_after =
  "From the start of the mark before to the start of this one."
export const time_ns =
  "Time inside the area, with nested events; of those that lie in one of the same row, as where a function calls itself, each instant once. What nests overlaps, so there is no sum."
export const difference_ns =
  "Self time in the second timeline's area less that in the first one's, where both record such events."
export const longest =
  "The whole length of the event with the longest part inside the area."
export const call_longest =
  "The call with the longest part inside the area; above device work the one for which devices worked longest in it, wherever it began."
export const start_ns =
  "Nanoseconds since the trace's base: of the recording, or of the step's `ProfilerStep#N` range on the host."
export const end_ns = start_ns
export const base_ns =
  "What nanosecond 0 is, in Unix time where the file's clock is."
export const n_events =
  "Events of the file, or of the track."
export const groups =
  "Processes and devices, in the order to show them: devices first."
export const group = groups
export const tracks =
  "Threads and streams, group after group."
export const lanes =
  "Rows the track needs so that no two of its events overlap, and whether it has a row for marks without length."
export const marks = lanes
export const parts =
  "The track's lanes from the top by what is in them, annotations, operators, runtime calls, Python frames, device work: `kind` and how many `lanes`."
export const steps =
  "The recorded `ProfilerStep#N`."
export const complete =
  "No: the recording ended, or began, inside the step."
export const kinds =
  "How many events there are of a kind and of the file's own category."
export const category = kinds
export const paints =
  "What the colours mean. The less of a pixel's time is at work, the paler it is, with a filter as without; what is alone for 8 pixels around is never pale. Grey is what a filter or a search leaves out; of what they keep the lower edge is never pale."
export const n_of_paint =
  "Events of each colour in the file, whatever is filtered."
export const density =
  "Share of each of 512 equal parts of the recording in which a device, or any host operator, was at work: the union over its tracks."
export const busy = density
export const before =
  "The event before and the one after in the same row, of those that filters keep."
export const after = before
export const points =
  "Of events that last 0 ns, which are no time at work, how many lie in each part. The strip has a dot for them where nothing else is."
export const busy_ns =
  "Of an area: see its header."
export const gaps_ns = busy_ns
export const idle_ns = busy_ns
export const n_instances =
  "Names of modules in the call tree, before its edits, that are one of several of their class: what `by_class` makes one."
export const hits =
  "Calls of the tree, which of them a search finds, and which one is around."
export const nodes = hits
export const parent = hits
export const device =
  "Which device, stream, thread, track or step it is."
export const stream = device
export const thread = device
export const name = device
export const id = device
export const number = device
