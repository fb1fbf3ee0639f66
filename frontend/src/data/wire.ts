// Generated from the msgspec Structs by `python -m tb_plugin.doors.wire`. Do not edit.

/** Which profile; what is left out is the first run, its first worker, its newest span. */
export interface ProfileParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
}

/** How long the short lists are. */
export interface OverviewParams {
  readonly top?: number | undefined
}

/** What makes calls one row: the name, or name and input shapes. */
export interface OperatorsParams {
  readonly group_by?: 'name' | 'shapes' | undefined
}

/** Which device rows, and what makes them one row of the table. */
export interface KernelsParams {
  readonly group_by?: 'name' | 'launch' | undefined
  readonly kind?: 'kernel' | 'copy' | 'set' | 'all' | undefined
}

/** Nothing to choose yet. */
export interface ModulesParams {
}

/** Which device, which stretch of time, and the instant to look at. */
export interface MemoryParams {
  readonly device?: string | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly at_ns?: number | undefined
  readonly points?: number | undefined
  readonly top?: number | undefined
}

/** How many events are named per finding. */
export interface AdviceParams {
  readonly rows?: number | undefined
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

/** `average` is over complete steps (all of them when none is complete); None without steps. */
export interface Overview {
  readonly steps: readonly StepRow[]
  readonly steps_end: 'with_device_work' | 'with_host_range'
  readonly average: Window | null
  readonly whole: Window
  readonly not_recorded: readonly string[]
  readonly devices: readonly DeviceRow[]
  readonly device_time_ns: number
  readonly not_attributed_ns: number
  readonly top_operators: readonly TopRow[]
  readonly top_operators_by: 'device_self' | 'host_self'
  readonly top_kernels: readonly TopRow[]
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
  readonly breakdown_ns: Breakdown
}

/** A stretch of time without a name: the average step, or the whole recording. */
export interface Window {
  readonly start_ns: number
  readonly duration_ns: number
  readonly breakdown_ns: Breakdown
}

/** `busy_ns` is the union of kernels, copies and sets over all streams; `window_ns` from the first start to the last end. */
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

/** Rows by device self time, then host self time, largest first. */
export interface Operators {
  readonly group_by: 'name' | 'shapes'
  readonly has_device: boolean
  readonly has_shapes: boolean
  readonly rows: readonly OperatorRow[]
  readonly totals: OperatorTotals
}

/** One operator name, or name and input shapes. Host times are None for the row "not attributed". */
export interface OperatorRow {
  readonly name: string
  readonly kind: 'operator' | 'annotation' | 'launch' | 'not_attributed'
  readonly input_shapes: string | null
  readonly count: number
  readonly host_self_ns: number | null
  readonly host_total_ns: number | null
  readonly device_self_ns: number
  readonly device_total_ns: number
}

/** Sums that the rows add up to: self times are disjoint, so their sum is all host and all device time. */
export interface OperatorTotals {
  readonly count: number
  readonly host_self_ns: number
  readonly device_self_ns: number
  readonly not_attributed_ns: number
}

/** Rows by total time, largest first. `busy_ns` is the union of these events per device, summed over devices. */
export interface Kernels {
  readonly group_by: 'name' | 'launch'
  readonly kind: 'kernel' | 'copy' | 'set' | 'all'
  readonly rows: readonly KernelRow[]
  readonly count: number
  readonly total_ns: number
  readonly busy_ns: number
}

/** One kernel name, or one way it was launched. None is "not recorded". */
export interface KernelRow {
  readonly name: string
  readonly kind: 'kernel' | 'communication' | 'copy' | 'set'
  readonly operator: string | null
  readonly grid: readonly [number, number, number] | null
  readonly block: readonly [number, number, number] | null
  readonly registers: number | null
  readonly shared_bytes: number | null
  readonly count: number
  readonly total_ns: number
  readonly mean_ns: number
  readonly min_ns: number
  readonly max_ns: number
  readonly share: number
  readonly blocks_per_sm: number | null
  readonly occupancy_percent: number | null
  readonly bytes: number | null
}

/** Rows with parents before children, children by first call; rows that are no modules last. */
export interface Modules {
  readonly has_device: boolean
  readonly has_backward: boolean
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
  readonly path: string
  readonly calls: number
  readonly recomputed: number
  readonly kernels_self: number
  readonly kernels_total: number
  readonly host: PhaseTimes | null
  readonly device: PhaseTimes
  readonly first_start_ns: number | null
  readonly first_end_ns: number | null
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
  readonly operators: readonly MemoryOperator[]
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
  readonly earlier: MemoryCount | null
  readonly rest_bytes: number | null
  readonly blocks: readonly MemoryBlock[]
}

/** How many, and their bytes together. */
export interface MemoryCount {
  readonly count: number
  readonly bytes: number
}

/** What one operator did to the device's memory in the range. `name` None is "not attributed". */
export interface MemoryOperator {
  readonly name: string | null
  readonly via: string | null
  readonly allocations: number
  readonly allocated_bytes: number
  readonly releases: number
  readonly released_bytes: number
  readonly increase_bytes: number
  readonly alive: number | null
  readonly alive_bytes: number | null
}

/** One allocation that is alive at the instant. `name` None is "not attributed". */
export interface MemoryBlock {
  readonly row: number
  readonly name: string | null
  readonly via: string | null
  readonly bytes: number
  readonly allocated_ns: number
  readonly released_ns: number | null
  readonly lifetime_ns: number | null
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
  readonly lanes: number
  readonly marks: boolean
  readonly n_events: number
}

/** A `ProfilerStep#N`. Incomplete: cut by the recording's end. */
export interface StepMark {
  readonly name: string
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
