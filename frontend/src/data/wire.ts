// Generated from the msgspec Structs by `python -m tb_plugin.doors.wire`. Do not edit.

/** Which profile; what is left out is the first run, its first worker, its newest span. */
export interface ProfileParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
}

/** What counts, and how long the short lists are. */
export interface OverviewParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly top?: number | undefined
}

/** What makes calls one row: the name, the name and input shapes, where in Python they come from, the module, the category. */
export interface OperatorsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly group_by?: 'name' | 'shapes' | 'call_site' | 'module' | 'category' | undefined
}

/**
 * Which device rows, and what makes them one row of the table.
 *
 * `launch`: name, operator, grid, block, registers, shared memory. `category`: an id; empty is all of them.
 */
export interface KernelsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly group_by?: 'name' | 'launch' | 'operator' | 'module' | 'stream' | 'category' | undefined
  readonly kind?: 'kernel' | 'copy' | 'set' | 'all' | undefined
  readonly category?: string | undefined
}

/** Whether each module is a row, or all modules of a class under the same parent together. */
export interface ModulesParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly group_by?: 'instance' | 'class' | undefined
}

/** What is alive then is grouped by one of these. */
export interface MemoryParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly device?: string | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly at_ns?: number | undefined
  readonly group_by?: 'operator' | 'module' | 'call_site' | 'stack' | 'category' | undefined
  readonly points?: number | undefined
  readonly top?: number | undefined
}

/** How many events are named per finding. */
export interface AdviceParams {
  readonly rows?: number | undefined
}

/** The row that holds this event, under the same filters and grouping. */
export interface KernelDetailsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly group_by?: 'name' | 'launch' | 'operator' | 'module' | 'stream' | 'category' | undefined
  readonly kind?: 'kernel' | 'copy' | 'set' | 'all' | undefined
  readonly category?: string | undefined
  readonly row: number
}

/**
 * A window of the list: rows `offset` to `offset + limit` in this order. `device` None: all devices, unless `alive`.
 *
 * Without `alive` what was allocated in the range (of blocks from before: what was released in it), with it what is alive at
 * the instant.
 */
export interface AllocationsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly device?: string | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly at_ns?: number | undefined
  readonly alive?: boolean | undefined
  readonly only?: 'all' | 'held' | 'earlier' | undefined
  readonly q?: string | undefined
  readonly min_bytes?: number | undefined
  readonly sort?: 'allocated_ns' | 'released_ns' | 'lifetime_ns' | 'bytes' | 'device' | 'name' | 'via' | 'module' | 'call_site' | 'category' | 'address' | undefined
  readonly descending?: boolean | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

/**
 * A window of the list: rows `offset` to `offset + limit` in this order. `device` None: all devices, unless `alive`.
 *
 * Without `alive` what was allocated in the range (of blocks from before: what was released in it), with it what is alive at
 * the instant.
 */
export interface AllocationsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly device?: string | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly at_ns?: number | undefined
  readonly alive?: boolean | undefined
  readonly only?: 'all' | 'held' | 'earlier' | undefined
  readonly q?: string | undefined
  readonly min_bytes?: number | undefined
  readonly sort?: 'allocated_ns' | 'released_ns' | 'lifetime_ns' | 'bytes' | 'device' | 'name' | 'via' | 'module' | 'call_site' | 'category' | 'address' | undefined
  readonly descending?: boolean | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

/** The row: its `name`, `kind` and `input_shapes` as `view/operators` gives them under the same filters and grouping. */
export interface OperatorDetailsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly group_by?: 'name' | 'shapes' | 'call_site' | 'module' | 'category' | undefined
  readonly name: string
  readonly kind?: 'operator' | 'annotation' | 'launch' | 'call_site' | 'module' | 'category' | 'none' | 'not_attributed' | undefined
  readonly input_shapes?: string | undefined
}

/** A stretch of time and how finely to show it. */
export interface WindowParams {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly width_px: number
  readonly tracks?: string | undefined
}

/** A row of trace.events. */
export interface EventParams {
  readonly row: number
}

/** A stretch of time on some tracks. */
export interface AreaParams {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly tracks?: string | undefined
  readonly top?: number | undefined
}

/** Part of a name, in any case, or a regular expression; hits `offset` to `offset + limit`. */
export interface SearchParams {
  readonly q: string
  readonly regex?: boolean | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** What was searched and found. `problems` are sentences about directories that could not be read. */
export interface RunsReply {
  readonly logdirs: readonly string[]
  readonly scanning: boolean
  readonly searched: readonly string[]
  readonly problems: readonly string[]
  readonly version: string
  readonly views: readonly ViewInfo[]
  readonly runs: readonly RunState[]
}

/** A question that can be asked of each profile. */
export interface ViewInfo {
  readonly id: string
  readonly title: string
  readonly question: string
}

/** A directory that holds profiles. Workers in natural order. */
export interface RunState {
  readonly name: string
  readonly workers: readonly WorkerState[]
}

/** Spans in numeric order. `rank` is null until a profile of this worker was opened. */
export interface WorkerState {
  readonly name: string
  readonly rank: number | null
  readonly spans: readonly SpanState[]
}

/** One profile and how far its loading is. `found`: nobody asked yet. */
export interface SpanState {
  readonly name: string
  readonly state: 'found' | 'queued' | 'loading' | 'ready' | 'failed'
  readonly progress: number
  readonly stage: string
  readonly error: string | null
  readonly size_bytes: number
  readonly files: readonly string[]
}

/** The profile is not open yet: ask again. */
export interface WaitReply {
  readonly state: 'queued' | 'loading'
  readonly progress: number
  readonly stage: string
}

/** The one shape of every error. */
export interface ErrorReply {
  readonly error: ErrorInfo
}

/** `kind` is a class of base/errors.py, `message` one sentence for a person. */
export interface ErrorInfo {
  readonly kind: string
  readonly message: string
}

/** `missing` says why there is no result and how to record one. */
export interface ViewReply<R> {
  readonly view: string
  readonly missing: string | null
  readonly result: R | null
}

/** `average` is over complete selected steps (all of them when none is complete); None without steps. */
export interface Overview {
  readonly steps: readonly StepRow[]
  readonly steps_end: 'with_device_work' | 'with_host_range'
  readonly step_time: StepTimes | null
  readonly average: Window | null
  readonly whole: Window
  readonly not_recorded: readonly string[]
  readonly not_filtered: readonly string[]
  readonly devices: readonly DeviceRow[]
  readonly memory: readonly MemoryPeak[]
  readonly device_time_ns: number
  readonly not_attributed_ns: number
  readonly categories: readonly CategoryTime[]
  readonly top_operators: readonly TopRow[]
  readonly top_operators_by: 'device_self' | 'host_self'
  readonly top_kernels: readonly TopRow[]
  readonly top_modules: readonly TopRow[]
  readonly recorded: readonly Recorded[]
  readonly issues: readonly IssueRow[]
  readonly source: Source
}

/** One `ProfilerStep#N`. `duration_ns` reaches to the end of the step's device work where `steps_end` says so. */
export interface StepRow {
  readonly name: string
  readonly number: number
  readonly start_ns: number
  readonly duration_ns: number
  readonly host_ns: number
  readonly complete: boolean
  readonly selected: boolean
  readonly breakdown_ns: Breakdown
  readonly device_use_ns: DeviceUse | null
  readonly communication_ns: Communication | null
}

/** How long the selected steps took, and how far apart they are. Complete ones, or all where none is complete. */
export interface StepTimes {
  readonly count: number
  readonly median_ns: number
  readonly p5_ns: number
  readonly p95_ns: number
  readonly min_ns: number
  readonly max_ns: number
}

/** A stretch of time without a name: the average step, or the whole recording. */
export interface Window {
  readonly start_ns: number
  readonly duration_ns: number
  readonly breakdown_ns: Breakdown
  readonly device_use_ns: DeviceUse | null
  readonly communication_ns: Communication | null
}

/**
 * `busy_ns` is the union of kernels, copies and sets over all streams; `window_ns` from the first start to the last end.
 *
 * With a filter for steps, both are of the windows of these steps.
 */
export interface DeviceRow {
  readonly index: number
  readonly name: string | null
  readonly memory_bytes: number | null
  readonly busy_ns: number
  readonly window_ns: number
  readonly utilization: number
  readonly computation_ns: number
  readonly communication_exposed_ns: number
  readonly communication_overlapped_ns: number
  readonly copy_ns: number
  readonly set_ns: number
  readonly streams: number
  readonly sm_efficiency: number | null
  readonly occupancy_percent: number | null
  readonly matrix_core_share: number | null
  readonly matrix_core_unknown_share: number | null
}

/** The most that was taken of one device's memory, in the selected steps or the recording. */
export interface MemoryPeak {
  readonly id: string
  readonly title: string
  readonly peak_allocated_bytes: number
  readonly peak_ns: number
  readonly peak_reserved_bytes: number | null
  readonly capacity_bytes: number | null
}

/** Device work of one category of `trace.taxonomy`. */
export interface CategoryTime {
  readonly category: string
  readonly category_title: string
  readonly time_ns: number
  readonly share: number
}

/** One name of a short list. */
export interface TopRow {
  readonly name: string
  readonly count: number
  readonly time_ns: number
  readonly share: number
}

/** One thing a profile may hold, whether this one does, and the option that switches it on. */
export interface Recorded {
  readonly what: string
  readonly recorded: boolean
  readonly how: string
}

/** Something odd in the file, how often, and where first. */
export interface IssueRow {
  readonly kind: string
  readonly count: number
  readonly text: string
  readonly first: string
}

/** The profile's own description. None is "not recorded". */
export interface Source {
  readonly file: string
  readonly format: string
  readonly n_events: number
  readonly base_ns: number | null
  readonly rank: number | null
  readonly world_size: number | null
  readonly host: string | null
  readonly backend: string | null
  readonly torch_version: string | null
  readonly cycle: number | null
}

/** Where time went, each instant counted once, for the first of these that was active. Sums to the window. */
export interface Breakdown {
  readonly kernel: number
  readonly copy: number
  readonly set: number
  readonly communication: number
  readonly runtime: number
  readonly data_loader: number
  readonly other_host: number
  readonly idle: number
}

/** How a device spent a window: it worked, or why it did not. Several devices: their mean. Sums to the window. */
export interface DeviceUse {
  readonly busy: number
  readonly launch_gap: number
  readonly blocked: number
  readonly unknown: number
  readonly synchronisation: number
  readonly waiting_for_host: number
}

/** Time of collective kernels in a window, ns. Several devices: their mean. */
export interface Communication {
  readonly exposed: number
  readonly overlapped: number
}

/** Rows by device self time, then host self time, largest first. */
export interface Operators {
  readonly group_by: 'name' | 'shapes' | 'call_site' | 'module' | 'category'
  readonly has_device: boolean
  readonly has_shapes: boolean
  readonly not_recorded: string | null
  readonly rows: readonly OperatorRow[]
  readonly totals: OperatorTotals
}

/**
 * The calls of one group. Host times are None for the row "not attributed".
 *
 * Grouped by name and by shapes, an operator inside one of its own name counts twice in the totals, as in torch. In all other
 * groups what is inside a call of the same group is part of it.
 */
export interface OperatorRow {
  readonly name: string
  readonly kind: 'operator' | 'annotation' | 'launch' | 'call_site' | 'module' | 'category' | 'none' | 'not_attributed'
  readonly input_shapes: string | null
  readonly count: number
  readonly host_self_ns: number | null
  readonly host_total_ns: number | null
  readonly device_self_ns: number
  readonly device_total_ns: number
  readonly flops: number | null
  readonly flops_per_s: number | null
  readonly input_bytes: number | null
  readonly input_bytes_per_s: number | null
  readonly rates_over: 'device' | 'host' | null
  readonly matrix_core_share: number | null
  readonly matrix_core_unknown_share: number | null
  readonly matrix_core_eligible: 'yes' | 'some' | 'no' | 'unknown' | null
}

/** Sums that the rows add up to: self times are disjoint, so their sum is all host and all device time. */
export interface OperatorTotals {
  readonly count: number
  readonly host_self_ns: number
  readonly device_self_ns: number
  readonly not_attributed_ns: number
  readonly flops: number | null
}

/** Rows by total time, largest first. `busy_ns` is the union of these events per device, summed over devices. */
export interface Kernels {
  readonly group_by: 'name' | 'launch' | 'operator' | 'module' | 'stream' | 'category'
  readonly kind: 'kernel' | 'copy' | 'set' | 'all'
  readonly rows: readonly KernelRow[]
  readonly count: number
  readonly total_ns: number
  readonly busy_ns: number
  readonly matrix_ns: number
  readonly matrix_unknown_ns: number
  readonly categories: readonly CategoryTotal[]
  readonly has_launches: boolean
  readonly has_shapes: boolean
  readonly has_modules: boolean
  readonly peak: string | null
}

/** The work of one group. None is "not recorded", or, of what calls do not agree on, "several". */
export interface KernelRow {
  readonly name: string
  readonly kind: 'kernel' | 'communication' | 'copy' | 'set' | 'several'
  readonly category: 'matmul' | 'convolution' | 'attention' | 'normalisation' | 'elementwise' | 'reduction' | 'indexing' | 'fused' | 'other' | 'communication' | 'copy' | 'set' | null
  readonly operator: string | null
  readonly grid: readonly [number, number, number] | null
  readonly block: readonly [number, number, number] | null
  readonly registers: number | null
  readonly shared_bytes: number | null
  readonly example: number
  readonly names: number
  readonly count: number
  readonly total_ns: number
  readonly mean_ns: number
  readonly min_ns: number
  readonly max_ns: number
  readonly share: number
  readonly blocks_per_sm: number | null
  readonly occupancy_percent: number | null
  readonly matrix_core: 'yes' | 'no' | 'unknown' | 'several' | null
  readonly matrix_ns: number
  readonly matrix_unknown_ns: number
  readonly launch_delay_median_ns: number | null
  readonly launch_delay_max_ns: number | null
  readonly queue_length: number | null
  readonly bytes: number | null
  readonly bytes_per_s: number | null
  readonly copy_kind: string | null
  readonly flops: number | null
  readonly flops_per_s: number | null
  readonly peak_share: number | null
  readonly flops_per_byte: number | null
  readonly bandwidth_share: number | null
}

/** All work of a category, before the choice of one. */
export interface CategoryTotal {
  readonly category: 'matmul' | 'convolution' | 'attention' | 'normalisation' | 'elementwise' | 'reduction' | 'indexing' | 'fused' | 'other' | 'communication' | 'copy' | 'set'
  readonly count: number
  readonly total_ns: number
}

/** Rows with parents before children, children by first call; rows that are no modules last. */
export interface Modules {
  readonly group_by: 'instance' | 'class'
  readonly has_device: boolean
  readonly has_backward: boolean
  readonly has_calls: boolean
  readonly has_qualified: boolean
  readonly has_host_memory: boolean
  readonly has_device_memory: boolean
  readonly rows: readonly ModuleRow[]
  readonly totals: ModuleTotals
}

/** One path of modules, or what is in none. Totals are the self values of the row and of all rows below it. */
export interface ModuleRow {
  readonly id: number
  readonly parent: number | null
  readonly depth: number
  readonly kind: 'module' | 'outside' | 'not_attributed'
  readonly name: string
  readonly class_name: string
  readonly qualified: string
  readonly path: string
  readonly instances: number
  readonly calls: number | null
  readonly recomputed: number | null
  readonly operators_self: number
  readonly operators_total: number
  readonly kernels_self: number
  readonly kernels_total: number
  readonly host: PhaseTimes | null
  readonly device: PhaseTimes
  readonly host_memory: MemoryBytes | null
  readonly device_memory: MemoryBytes | null
  readonly first_start_ns: number | null
  readonly first_end_ns: number | null
  readonly longest_start_ns: number | null
  readonly longest_end_ns: number | null
  readonly calls_pattern: string
}

/** What the self columns of all rows add up to. */
export interface ModuleTotals {
  readonly host_ns: number
  readonly device_ns: number
  readonly kernels: number
  readonly not_attributed_ns: number
}

/**
 * Times of one row on the host or on the device.
 *
 * What is in no module has no forward pass, and of "not attributed" neither phase is known: None.
 */
export interface PhaseTimes {
  readonly forward_self_ns: number | null
  readonly forward_total_ns: number | null
  readonly backward_self_ns: number | null
  readonly backward_total_ns: number | null
  readonly self_ns: number
  readonly total_ns: number
}

/** Memory of one row, of the host or of all devices. Net is allocated minus released: it may be negative. */
export interface MemoryBytes {
  readonly allocated_self_bytes: number
  readonly allocated_total_bytes: number
  readonly net_self_bytes: number
  readonly net_total_bytes: number
}

/** One device in a range, and a line for each other device. */
export interface MemoryUse {
  readonly device: string
  readonly devices: readonly MemoryDevice[]
  readonly start_ns: number
  readonly end_ns: number
  readonly window_start_ns: number
  readonly window_end_ns: number
  readonly totals: 'recorded' | 'summed'
  readonly curve: MemoryCurve
  readonly held: MemoryHeld
  readonly allocations: MemoryCount
  readonly releases: MemoryCount
  readonly releases_of_earlier: MemoryCount | null
  readonly never_released: MemoryCount | null
  readonly group_by: string
  readonly groupings: readonly MemoryGrouping[]
  readonly groups: readonly MemoryGroup[]
  readonly others: MemoryGroup | null
  readonly n_groups: number
  readonly segments: MemorySegments | null
  readonly out_of_memory: number
  readonly notes: readonly string[]
}

/** One device with memory events. Peaks are of the range. */
export interface MemoryDevice {
  readonly id: string
  readonly title: string
  readonly n_events: number
  readonly peak_allocated_bytes: number
  readonly peak_ns: number
  readonly peak_reserved_bytes: number | null
  readonly peak_reserved_ns: number | null
  readonly peak_fragmentation_bytes: number | null
  readonly peak_fragmentation_ns: number | null
  readonly capacity_bytes: number | null
}

/** Bytes from each time on until the next: the first, lowest, highest and last of each bucket, as recorded. */
export interface MemoryCurve {
  readonly time_ns: readonly number[]
  readonly allocated_bytes: readonly number[]
  readonly reserved_bytes: readonly number[] | null
}

/** What is alive at one instant. Its parts (`known`, `earlier`, `rest_bytes`) add up to `allocated_bytes`. */
export interface MemoryHeld {
  readonly time_ns: number
  readonly is_peak: boolean
  readonly row: number | null
  readonly allocated_bytes: number
  readonly reserved_bytes: number | null
  readonly fragmentation_bytes: number | null
  readonly known: MemoryCount | null
  readonly from_before: MemoryCount | null
  readonly earlier: MemoryCount | null
  readonly rest_bytes: number | null
}

/** How many, and their bytes together. */
export interface MemoryCount {
  readonly count: number
  readonly bytes: number
}

/** By what can be grouped. `missing` says why not, and how to record it. */
export interface MemoryGrouping {
  readonly id: string
  readonly title: string
  readonly missing: string | null
}

/** What was allocated and released in the range by one operator, module, call site or stack. `name` None: not attributed. */
export interface MemoryGroup {
  readonly name: string | null
  readonly via: string | null
  readonly frames: readonly string[]
  readonly allocations: number
  readonly allocated_bytes: number
  readonly largest_bytes: number | null
  readonly releases: number
  readonly released_bytes: number
  readonly increase_bytes: number
  readonly never_released: number | null
  readonly never_released_bytes: number | null
  readonly alive: number | null
  readonly alive_bytes: number | null
}

/** What the allocator had of one device when the snapshot was taken. Only memory snapshots have it. */
export interface MemorySegments {
  readonly segments: number
  readonly total_bytes: number
  readonly allocated_bytes: number
  readonly requested_bytes: number
  readonly awaiting_bytes: number
  readonly free_bytes: number
  readonly free_blocks: number
  readonly blocks: number
  readonly largest_free_bytes: number
  readonly unused_segments: number
  readonly unused_bytes: number
  readonly listed: readonly MemorySegment[]
}

/** A piece of the device's memory that the allocator had at the end. */
export interface MemorySegment {
  readonly address: number
  readonly stream: number
  readonly kind: string
  readonly total_bytes: number
  readonly allocated_bytes: number
  readonly requested_bytes: number
  readonly awaiting_bytes: number
  readonly free_bytes: number
  readonly free_blocks: number
  readonly largest_free_bytes: number
  readonly blocks: number
}

/** Findings by what they could gain, those without a figure last. */
export interface Advice {
  readonly findings: readonly Finding[]
  readonly nothing_found: readonly string[]
  readonly not_checked: readonly NotChecked[]
  readonly window_ns: number
  readonly window: 'steps' | 'recording'
  readonly n_steps: number
}

/** One thing to change. The gains of several findings may be the same time: they do not add up. */
export interface Finding {
  readonly id: string
  readonly title: string
  readonly what: string
  readonly evidence: readonly Evidence[]
  readonly rows: readonly EventLink[]
  readonly n_rows: number
  readonly gain_ns: number | null
  readonly gain_how: string
  readonly gain_share: number | null
  readonly confidence: 'sure' | 'likely' | 'maybe'
  readonly source: string | null
  readonly function: string | null
}

/** What the profile does not hold, the option that records it, and the checks that need it. */
export interface NotChecked {
  readonly what: string
  readonly how: string
  readonly checks: readonly string[]
}

/** One figure that a finding rests on. */
export interface Evidence {
  readonly text: string
  readonly value: number
  readonly unit: 'ns' | 'count' | 'share'
}

/** One event to look at in the timeline. */
export interface EventLink {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
}

/** In numeric order, the main thread first. */
export interface Choices {
  readonly steps: readonly StepChoice[]
  readonly devices: readonly DeviceChoice[]
  readonly threads: readonly ThreadChoice[]
}

/** A `ProfilerStep#N`. Incomplete: cut by the recording's end. */
export interface StepChoice {
  readonly number: number
  readonly complete: boolean
}

/** A device that worked, with its streams that did. */
export interface DeviceChoice {
  readonly index: number
  readonly name: string
  readonly streams: readonly number[]
}

/** A host thread with ranges on it. `id` is the file's thread id; threads of several processes may share one. */
export interface ThreadChoice {
  readonly id: string
  readonly name: string
}

/** Lists by time, largest first; what is beyond the 40th is one entry, the rest, so that every list adds up. */
export interface KernelDetails {
  readonly count: number
  readonly total_ns: number
  readonly spread: Spread | null
  readonly names: readonly KernelPart[]
  readonly operators: readonly KernelPart[]
  readonly modules: readonly KernelPart[]
  readonly call_sites: readonly KernelPart[]
  readonly streams: readonly KernelPart[]
  readonly launches: readonly KernelLaunch[]
  readonly longest: readonly KernelCall[]
}

/** Durations of events. Bins are logarithmic and without gaps; their counts add up to `count`, their totals to `total_ns`. */
export interface Spread {
  readonly count: number
  readonly total_ns: number
  readonly mean_ns: number
  readonly min_ns: number
  readonly median_ns: number
  readonly p95_ns: number
  readonly max_ns: number
  readonly bins: readonly Bin[]
}

/** A part of the group's work. `name` None: of none; `is_rest`: all others together. */
export interface KernelPart {
  readonly name: string | null
  readonly is_rest: boolean
  readonly count: number
  readonly total_ns: number
}

/** Work launched with one shape. All None: not recorded. */
export interface KernelLaunch {
  readonly grid: readonly [number, number, number] | null
  readonly block: readonly [number, number, number] | null
  readonly registers: number | null
  readonly shared_bytes: number | null
  readonly is_rest: boolean
  readonly count: number
  readonly total_ns: number
  readonly blocks_per_sm: number | null
  readonly occupancy_percent: number | null
}

/** One kernel, copy or set to look at in the timeline. */
export interface KernelCall {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
}

/** Durations in [start_ns, end_ns). */
export interface Bin {
  readonly start_ns: number
  readonly end_ns: number
  readonly count: number
  readonly total_ns: number
}

/** A window of the list, and what all of it is. */
export interface MemoryAllocations {
  readonly offset: number
  readonly matching: MemoryCount
  readonly total: MemoryCount
  readonly rows: readonly MemoryAllocation[]
  readonly has_addresses: boolean
}

/** One block. A null time is "before the recording" or "not released in it", as `state` says. */
export interface MemoryAllocation {
  readonly row: number
  readonly state: 'released' | 'held' | 'earlier' | 'held_before' | 'unknown'
  readonly allocated_ns: number | null
  readonly released_ns: number | null
  readonly lifetime_ns: number | null
  readonly bytes: number
  readonly device: string
  readonly name: string | null
  readonly via: string | null
  readonly module: string | null
  readonly call_site: string | null
  readonly category: string | null
  readonly address: string | null
}

/** Lists by time, largest first; what is beyond the 40th is one row, the rest, so that every list adds up. */
export interface OperatorDetails {
  readonly count: number
  readonly host: Spread | null
  readonly device: Spread | null
  readonly operators: readonly RelatedOperator[]
  readonly callers: readonly RelatedOperator[]
  readonly callees: readonly RelatedOperator[]
  readonly kernels: readonly OperatorKernel[]
  readonly stacks: readonly OperatorStack[]
  readonly modules: readonly OperatorModule[]
  readonly pairs: readonly OperatorPair[]
  readonly longest: readonly OperatorCall[]
  readonly has_stacks: boolean
  readonly has_modules: boolean
}

/** Operators, ranges or calls of one name. `top`: nothing around. `python`: all Python functions. `rest`: all others. */
export interface RelatedOperator {
  readonly name: string
  readonly kind: 'operator' | 'annotation' | 'launch' | 'python' | 'top' | 'rest'
  readonly count: number
  readonly host_ns: number
  readonly device_ns: number | null
}

/** Device work of one name. */
export interface OperatorKernel {
  readonly name: string
  readonly kind: 'kernel' | 'copy' | 'set' | 'rest'
  readonly count: number
  readonly self_ns: number
  readonly total_ns: number
}

/** Calls that come from the same place. Frames innermost first; none where no stack is known. */
export interface OperatorStack {
  readonly frames: readonly string[]
  readonly is_rest: boolean
  readonly count: number
  readonly host_ns: number
  readonly device_ns: number
}

/** Calls from one module. `path` None: from no module; `is_rest`: from all others. */
export interface OperatorModule {
  readonly path: string | null
  readonly is_rest: boolean
  readonly count: number
  readonly host_ns: number
  readonly device_ns: number
}

/** Forward operators of one name and the backward operators that autograd made for them. */
export interface OperatorPair {
  readonly forward: string
  readonly backward: string
  readonly forward_count: number
  readonly backward_count: number
  readonly forward_host_ns: number
  readonly forward_device_ns: number
  readonly backward_host_ns: number
  readonly backward_device_ns: number
}

/** One call to look at in the timeline. */
export interface OperatorCall {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
  readonly device_ns: number | null
}

/** Tracks in the order to show them, group after group. */
export interface TimelineTracks {
  readonly start_ns: number
  readonly end_ns: number
  readonly base_ns: number
  readonly n_events: number
  readonly groups: readonly TrackGroup[]
  readonly tracks: readonly TrackRow[]
  readonly steps: readonly StepMark[]
  readonly kinds: readonly KindCount[]
  readonly paints: readonly string[]
  readonly density: readonly Density[]
}

/** A process or a device. */
export interface TrackGroup {
  readonly name: string
  readonly device: number | null
}

/** A thread or stream. Slices are in lanes 0 to `lanes` - 1; marks without length, if any, in one lane below them. */
export interface TrackRow {
  readonly id: number
  readonly group: number
  readonly name: string
  readonly device: number | null
  readonly stream: number | null
  readonly thread: string | null
  readonly lanes: number
  readonly marks: boolean
  readonly n_events: number
}

/** A `ProfilerStep#N`. Incomplete: cut by the recording's end. */
export interface StepMark {
  readonly name: string
  readonly number: number
  readonly start_ns: number
  readonly end_ns: number
  readonly complete: boolean
}

/** How many events the file holds of a kind and category, most first. */
export interface KindCount {
  readonly kind: string
  readonly category: string
  readonly count: number
}

/** How busy something is over the whole window: parts of equal length, each 0 to 1 (union over its tracks). */
export interface Density {
  readonly name: string
  readonly device: number | null
  readonly busy: readonly number[]
}

/** One event with all its arguments. None is "not recorded" or "not attributed". */
export interface TimelineEvent {
  readonly row: number
  readonly name: string
  readonly kind: string
  readonly category: string
  readonly track: number
  readonly track_name: string
  readonly lane: number
  readonly start_ns: number
  readonly duration_ns: number
  readonly self_ns: number | null
  readonly step: string | null
  readonly module: string | null
  readonly call_site: string | null
  readonly args: Readonly<Record<string, unknown>>
  readonly parents: readonly EventRef[]
  readonly launch: EventRef | null
  readonly owner: EventRef | null
  readonly launched: readonly EventRef[]
  readonly n_launched: number
  readonly forward: readonly EventRef[]
  readonly backward: readonly EventRef[]
}

/** Enough of an event to name it, link to it and show it. */
export interface EventRef {
  readonly row: number
  readonly name: string
  readonly kind: string
  readonly track: number
  readonly lane: number
  readonly start_ns: number
  readonly duration_ns: number
}

/** Rows by self time, largest first; the totals are of all names, listed or not. */
export interface TimelineArea {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly n_names: number
  readonly count: number
  readonly self_ns: number
  readonly rows: readonly AreaName[]
}

/** Events of one name and kind in the area. Times are what lies inside it. */
export interface AreaName {
  readonly name: string
  readonly kind: string
  readonly count: number
  readonly time_ns: number
  readonly self_ns: number
  readonly longest: EventRef
}

/** Events whose name contains `q` (any case), or matches it as a regular expression, by start. */
export interface TimelineSearch {
  readonly q: string
  readonly total: number
  readonly total_ns: number
  readonly offset: number
  readonly hits: readonly EventRef[]
  readonly name_ids: readonly number[]
  readonly density: readonly number[]
}
