// Generated from the msgspec Structs by `python -m tb_plugin.doors.wire`. Do not edit.

/** Which profile; what is left out is what the page opens with. `again`: a file that could not be read is read once more. */
export interface ProfileParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly again?: boolean | undefined
}

/** Of a question whose answer is another one where its job is known (`Question.with_job`). */
export interface JobParams {
  readonly in_job?: boolean | undefined
}

/** What is one row. */
export interface RunsParams {
  readonly each?: 'run' | 'worker' | 'span' | undefined
}

/** What counts, and how long the short lists are. */
export interface OverviewParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly top?: number | undefined
  readonly peak?: string | undefined
}

/** What makes calls one row: the name, the name and input shapes, where in Python they come from, the module, the category. */
export interface OperatorsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly group_by?: 'name' | 'shapes' | 'call_site' | 'module' | 'category' | undefined
  readonly effects?: number | undefined
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
  readonly dimension?: string | undefined
  readonly group_by?: 'name' | 'launch' | 'operator' | 'module' | 'stream' | 'category' | undefined
  readonly kind?: 'kernel' | 'copy' | 'set' | 'all' | undefined
  readonly category?: string | undefined
  readonly effects?: number | undefined
  readonly peak?: string | undefined
}

/** Which device work, and the peaks that the device is held against. */
export interface RooflineParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly peak?: string | undefined
}

/**
 * What is a row: a module, all modules of a class, or those of a class under the same parent.
 *
 * None: all modules of a class where instances repeat, else each module.
 */
export interface ModulesParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly group_by?: 'instance' | 'class' | 'class_path' | undefined
  readonly effects?: number | undefined
}

/** What is alive then is grouped by one of these. */
export interface MemoryParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly device?: string | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly at_ns?: number | undefined
  readonly group_by?: 'operator' | 'module' | 'call_site' | 'stack' | 'category' | undefined
  readonly points?: number | undefined
  readonly top?: number | undefined
}

/** Which job, and which of its tables a terminal and CSV show. */
export interface RanksParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly by?: 'rank' | 'step' | 'dimension' | 'collective' | 'link' | 'host' | 'node' | 'stage' | 'path' | undefined
  readonly ranks?: string | undefined
  readonly steps?: string | undefined
}

/** Of which steps, how many events are named per finding, and whether small findings are named too. */
export interface AdviceParams {
  readonly steps?: string | undefined
  readonly rows?: number | undefined
  readonly all?: boolean | undefined
  readonly peak?: string | undefined
}

/** Of which steps, what is changed, and of how many rows the effect of 10 % is looked for. */
export interface WhatIfParams {
  readonly steps?: string | undefined
  readonly edit?: string | undefined
  readonly effects?: number | undefined
  readonly peak?: string | undefined
}

/**
 * `items`: what is compared, the first is the baseline: `run`, `worker` and perhaps `span` with tabs between, one a line;
 * behind a span perhaps steps, `9`, of that item alone and of whatever kind.
 *
 * A line that begins with a tab is one more recording of the item above.
 */
export interface CompareParams {
  readonly items?: string | undefined
  readonly per?: string | undefined
  readonly by?: 'module' | 'operator' | 'category' | 'kernel' | undefined
  readonly steps?: string | undefined
  readonly kind?: number | undefined
  readonly noise?: number | undefined
  readonly fold?: number | undefined
}

/**
 * `line`: the points of one line are the spans of a run's first worker, of each worker, or of all runs of the directory.
 *
 * `auto`: of the directory where no run has more than one span, else of each run.
 */
export interface TrendsParams {
  readonly line?: 'auto' | 'run' | 'worker' | 'directory' | undefined
  readonly only?: string | undefined
  readonly figure?: 'step_time' | 'busy' | 'waiting_for_host' | 'exposed_communication' | 'data_loader' | 'peak_memory' | 'reserved_memory' | 'kernels' | 'launches' | 'mfu' | undefined
  readonly fail_if_slower?: string | undefined
  readonly against?: 'before' | 'baseline' | undefined
}

/** One statement, or none. */
export interface SqlParams {
  readonly statement?: string | undefined
}

/** A stretch of time, by default all of it. */
export interface PerfettoParams {
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
}

/**
 * A stretch of time, by default all of it, how finely to show it, and which events: what filters and a search leave out is
 * not there.
 */
export interface WindowParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly q?: string | undefined
  readonly regex?: boolean | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly width_px?: number | undefined
  readonly tracks?: string | undefined
}

/** A row of trace.events; of what filters keep are the events before and after it. */
export interface EventParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly row: number
  readonly launched_from?: number | undefined
  readonly launched_at_ns?: number | undefined
  readonly launched_to_ns?: number | undefined
}

/**
 * A stretch of time on some tracks, and what makes a row: a name and kind, a colour, a module's path, its class, a step.
 *
 * What filters leave out is in no figure.
 */
export interface AreaParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly t0_ns: number
  readonly t1_ns: number
  readonly tracks?: string | undefined
  readonly group_by?: 'name' | 'category' | 'module' | 'class' | 'step' | undefined
  readonly then_by?: 'name' | 'category' | 'module' | 'class' | 'step' | undefined
  readonly of_row?: number | undefined
  readonly top?: number | undefined
}

/**
 * A stretch of time on some tracks, whose time to tell, and which frames make a path: others are part of those around.
 *
 * What filters leave out has no time.
 */
export interface CallsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly t0_ns: number
  readonly t1_ns: number
  readonly tracks?: string | undefined
  readonly side?: 'host' | 'device' | undefined
  readonly frames?: 'all' | 'operators' | 'python' | undefined
  readonly inverted?: boolean | undefined
  readonly by_class?: boolean | undefined
  readonly edit?: string | undefined
  readonly q?: string | undefined
  readonly regex?: boolean | undefined
  readonly top?: number | undefined
}

/**
 * A stretch of time, by default all of it, and into how many equal parts to cut it. Filters and a search leave out nothing
 * but of `kept`.
 */
export interface ValuesParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly q?: string | undefined
  readonly regex?: boolean | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
  readonly width_px?: number | undefined
}

/**
 * Part of a name, in any case, or a regular expression; hits `offset` to `offset + limit`.
 *
 * Where an event or a window is named, those `limit` hits among which it is, counted from the first hit in steps of `limit`.
 */
export interface SearchParams {
  readonly q: string
  readonly regex?: boolean | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly row?: number | undefined
  readonly t0_ns?: number | undefined
  readonly t1_ns?: number | undefined
}

/** All that a search finds as a list: rows `offset` to `offset + limit` in this order, equal ones in order of time. */
export interface HitsParams {
  readonly q: string
  readonly regex?: boolean | undefined
  readonly among?: string | undefined
  readonly sort?: 'start_ns' | 'duration_ns' | 'name' | 'kind' | 'track' | undefined
  readonly descending?: boolean | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly row?: number | undefined
}

/** The row: its `name`, `kind` and `input_shapes` as `view/operators` gives them under the same filters and grouping. */
export interface OperatorDetailsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly group_by?: 'name' | 'shapes' | 'call_site' | 'module' | 'category' | undefined
  readonly effects?: number | undefined
  readonly name: string
  readonly kind?: 'operator' | 'annotation' | 'launch' | 'call_site' | 'module' | 'category' | 'none' | 'not_attributed' | undefined
  readonly input_shapes?: string | undefined
}

/** The row that holds this event, under the same filters and grouping. */
export interface KernelDetailsParams {
  readonly steps?: string | undefined
  readonly devices?: string | undefined
  readonly streams?: string | undefined
  readonly threads?: string | undefined
  readonly module?: string | undefined
  readonly inside?: string | undefined
  readonly dimension?: string | undefined
  readonly group_by?: 'name' | 'launch' | 'operator' | 'module' | 'stream' | 'category' | undefined
  readonly kind?: 'kernel' | 'copy' | 'set' | 'all' | undefined
  readonly category?: string | undefined
  readonly effects?: number | undefined
  readonly peak?: string | undefined
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
  readonly dimension?: string | undefined
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

/** Which ranks, in which step. */
export interface LanesParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly ranks?: string | undefined
  readonly step?: number | undefined
  readonly whole?: boolean | undefined
}

/** Which event of which profile. */
export interface CollectiveParams {
  readonly run: string
  readonly worker: string
  readonly row: number
  readonly span?: string | undefined
}

/** Which rank of which run. */
export interface OneRankParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly rank: number
}

/** Which profile: of a run, its worker and span. */
export interface InJobParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
}

/** What is measured, and over what. */
export interface MatrixParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly measure?: 'excess' | 'own' | 'step' | 'wait' | 'caused' | 'transfer' | 'untold' | 'computation' | 'copy' | 'idle' | 'loader' | 'bubble' | 'received' | 'memory' | 'rate' | 'link' | undefined
  readonly axes?: 'step' | 'host' | 'place' | 'kind' | 'dimension' | 'link' | undefined
  readonly dimensions?: string | undefined
}

/** Which pipeline, in which step; by default where the bubble is longest. */
export interface MicroBatchesParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly rank?: number | undefined
  readonly step?: number | undefined
}

/** Which of them, by what a row of the table of collectives says; by default all. */
export interface InstancesParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly dimension?: string | undefined
  readonly kind?: string | undefined
  readonly n_ranks?: number | undefined
  readonly bytes?: number | undefined
  readonly ranks?: string | undefined
  readonly steps?: string | undefined
  readonly begun?: string | undefined
}

/** Which two recordings, and whether by dimension or by rank. */
export interface BesideParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly beside: string
  readonly beside_span?: string | undefined
  readonly by?: 'dimension' | 'rank' | undefined
}

/** Of which run, and what is otherwise. */
export interface RanksWhatIfParams {
  readonly run?: string | undefined
  readonly worker?: string | undefined
  readonly span?: string | undefined
  readonly what_if?: string | undefined
}

/** `per`: the name of a range whose occurrences are compared; empty: steps, or without steps the recording. */
export interface SumsParams {
  readonly per?: string | undefined
}

/** What was searched and found. `problems` are sentences about what could not be read. */
export interface RunsReply {
  readonly logdirs: readonly string[]
  readonly scanning: boolean
  readonly searched: readonly string[]
  readonly looked_into: readonly string[]
  readonly problems: readonly string[]
  readonly takes_files: boolean
  readonly how_to_record: string
  readonly version: string
  readonly views: readonly ViewInfo[]
  readonly opens: string | null
  readonly runs: readonly RunState[]
}

/** A question that can be asked of each profile, or `of_many`: of the log directory. */
export interface ViewInfo {
  readonly id: string
  readonly title: string
  readonly question: string
  readonly of_many: boolean
}

/** A directory that holds profiles, mostly. Workers in natural order, those of other tools last. */
export interface RunState {
  readonly name: string
  readonly opens: string
  readonly workers: readonly WorkerState[]
}

/** Spans in the order of their recording. `rank` is null until the name or the content tells; content overrules. */
export interface WorkerState {
  readonly name: string
  readonly label: string
  readonly rank: number | null
  readonly rank_from: 'name' | 'content' | null
  readonly place: Readonly<Record<string, number>>
  readonly note: string | null
  readonly opens: string
  readonly in_ranks: string
  readonly spans: readonly SpanState[]
}

/** One profile and how far its loading is. `found`: nobody asked yet. */
export interface SpanState {
  readonly name: string
  readonly label: string | null
  readonly time_ms: number | null
  readonly foreign: boolean
  readonly no_profile: boolean
  readonly is_dumps: boolean
  readonly was: readonly string[] | null
  readonly state: 'found' | 'queued' | 'loading' | 'ready' | 'failed'
  readonly is_cut_off: boolean
  readonly progress: number
  readonly stage: string
  readonly error: string | null
  readonly size_bytes: number
  readonly files: readonly string[]
}

/** The profile is not open yet: ask again. `so_far` is of the part of the file that is read, and no answer. */
export interface WaitReply {
  readonly state: 'queued' | 'loading'
  readonly progress: number
  readonly stage: string
  readonly seconds_left: number | null
  readonly so_far: SoFar | null
}

/**
 * Counts and sums of the events read. A large file is read from both its ends, so they are no beginning of the recording.
 *
 * Writers put operators of the whole recording before the work of devices: where there is no such work yet, none was read.
 */
export interface SoFar {
  readonly part: number
  readonly n_events: number
  readonly seconds: number
  readonly rank: number | null
  readonly n_tracks: number
  readonly device_names: readonly string[]
  readonly n_steps: number
  readonly mean_step_ns: number | null
  readonly operators: readonly NameSoFar[]
  readonly kernels: readonly NameSoFar[]
  readonly devices: readonly DeviceSoFar[]
  readonly span_ns: number
  readonly lanes: readonly LaneSoFar[]
}

/** Events of one name: how many were read, and their durations together, with what they call. */
export interface NameSoFar {
  readonly name: string
  readonly count: number
  readonly total_ns: number
}

/**
 * Of the work read: the time in which any of it ran, and from first begin to last end of each part of the file that is read.
 *
 * So what lies between two parts, and is not read, is no idle time.
 */
export interface DeviceSoFar {
  readonly name: string
  readonly n_events: number
  readonly busy_ns: number
  readonly span_ns: number
}

/**
 * A device or a thread in equal parts of the time that is read: the share of each in which work, or an operator, ran.
 *
 * None: nothing of it is read of that part. Where the file is read, and nothing ran, it is 0.
 */
export interface LaneSoFar {
  readonly name: string
  readonly is_device: boolean
  readonly shares: readonly (number | null)[]
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

/** One for each folder with dumps, and in a folder for each job of which several ranks left some. */
export interface Hangs {
  readonly hangs: readonly HangReport[]
}

/** Of the ranks of one job. `verdict` is None where every collective is over on all ranks, and each left a dump. */
export interface HangReport {
  readonly place: string
  readonly n_dumps: number
  readonly other_job: string | null
  readonly verdict: string | null
  readonly all_over: string
  readonly rows: readonly HangRow[]
  readonly stacks: readonly HangStack[]
  readonly last: readonly HangLast[]
  readonly broken: readonly HangBroken[]
}

/** The first collective of a group that is not over on all of its ranks. */
export interface HangRow {
  readonly group: string
  readonly sequence: number
  readonly collective: string
  readonly fault: 'missing' | 'mismatch' | 'out_of_order' | 'no_dump' | 'overwritten' | 'not_started' | 'unfinished'
  readonly at_fault: readonly number[]
  readonly done: readonly number[]
  readonly started: readonly number[]
  readonly scheduled: readonly number[]
  readonly missing: readonly number[]
  readonly differs: readonly number[]
  readonly no_dump: readonly number[]
  readonly follows: boolean
  readonly sentence: string
}

/** Ranks that stand at the same place: their last collective, and the program around it, the innermost frame first. */
export interface HangStack {
  readonly ranks: readonly number[]
  readonly is_at_fault: boolean
  readonly last: string
  readonly frames: readonly string[]
}

/**
 * A rank's last calls, the newest first. `waited_ns`: in its first call that is not over, at the least, None where that is
 * no time at all; torch ends it after `timeout_ns`.
 */
export interface HangLast {
  readonly rank: number
  readonly is_at_fault: boolean
  readonly waited_ns: number | null
  readonly timeout_ns: number | null
  readonly calls: readonly HangCall[]
}

/** A dump that cannot be read, or is older than the others. `rank`: of which there is no other. */
export interface HangBroken {
  readonly file: string
  readonly rank: number | null
  readonly reason: string
}

/** `issued_ns`: after the first rank issued what the job hangs in; before it, negative. `size`: of what is sent. */
export interface HangCall {
  readonly collective: string
  readonly group: string
  readonly size: string
  readonly state: 'over' | 'started' | 'scheduled'
  readonly issued_ns: number
}

/** As what a file is shown that was dropped on the page. */
export interface DropReply {
  readonly run: string
  readonly worker: string
  readonly span: string
}

/** Whether there was anything to end. */
export interface CancelReply {
  readonly was_working: boolean
}

/** Answers about a profile that are being worked out, begun first first. */
export interface WorkReply {
  readonly working: readonly Working[]
}

/** An answer that is being worked out: what it is at, and how many parts were begun; 0 before the first one says so. */
export interface Working {
  readonly question: string
  readonly part: string
  readonly n_parts: number
  readonly seconds: number
}

/** `missing` says why there is no result and how to record one; `notes` what the filters or a limit left out of it. */
export interface ViewReply<R> {
  readonly view: string
  readonly missing: string | null
  readonly notes: readonly string[]
  readonly result: R | null
}

/** `result` is of what is there; ask again while there are `n_pending` members that are still to come. */
export interface JointReply<R> {
  readonly n_members: number
  readonly n_pending: number
  readonly n_failed: number
  readonly result: R
}

/** The run with the newest profile first. Of a run with several jobs each has a row. */
export interface RunsTable {
  readonly each: 'run' | 'worker' | 'span'
  readonly rows: readonly RunRow[]
}

/** A profile and its figures. None is "not recorded", or not known yet where the state is not `ready`. */
export interface RunRow {
  readonly run: string
  readonly worker: string
  readonly span: string
  readonly label: string
  readonly recorded_ns: number
  readonly file: string
  readonly size_bytes: number
  readonly state: 'found' | 'queued' | 'loading' | 'ready' | 'failed'
  readonly progress: number
  readonly reason: string | null
  readonly n_ranks: number
  readonly n_recordings: number
  readonly n_others: number
  readonly summary: SpanSummary | null
}

/** One profile in a few figures. None is "not recorded". */
export interface SpanSummary {
  readonly device: string | null
  readonly n_devices: number
  readonly rank: number | null
  readonly world_size: number | null
  readonly n_steps: number
  readonly step_ns: number | null
  readonly busy_share: number | null
  readonly memory: string | null
  readonly peak_bytes: number | null
  readonly capacity_bytes: number | null
  readonly finding: string | null
  readonly gain_share: number | null
  readonly n_findings: number
  readonly began_ns: number | null
  readonly is_cut_off: boolean
}

/** `average` is over complete selected steps (all of them when none is complete); None without steps. */
export interface Overview {
  readonly verdict: Verdict
  readonly steps: readonly StepRow[]
  readonly steps_end: 'with_device_work' | 'with_host_range'
  readonly step_notes: readonly string[]
  readonly step_time: StepTimes | null
  readonly model_flops: ModelFlops
  readonly average: Window | null
  readonly whole: Window
  readonly not_recorded: readonly string[]
  readonly not_filtered: readonly string[]
  readonly devices: readonly DeviceRow[]
  readonly communication_parts: CommunicationParts | null
  readonly communication_parts_lack: string | null
  readonly memory: readonly MemoryPeak[]
  readonly device_time_ns: number
  readonly not_attributed_ns: number
  readonly categories: readonly CategoryTime[]
  readonly top_operators: readonly TopRow[]
  readonly top_operators_by: 'device_self' | 'host_self'
  readonly top_kernels: readonly TopRow[]
  readonly top_modules: readonly TopModule[]
  readonly recorded: readonly Recorded[]
  readonly issues: readonly IssueRow[]
  readonly source: Source
}

/** Read one after the other: `sentence`, `of_job`, `of_ranks`, `changes`, `doubts`. */
export interface Verdict {
  readonly bound: 'recording' | 'communication' | 'device' | 'input' | 'host' | 'mixed' | 'host_only'
  readonly share: number | null
  readonly sentence: string
  readonly of_job: ToldByJob | null
  readonly of_ranks: string | null
  readonly changes: readonly Change[]
  readonly doubts: readonly string[]
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
  readonly operators_ns: Readonly<Record<string, number>>
  readonly device_use_ns: DeviceUse | null
  readonly communication_ns: Communication | null
  readonly mfu: number | null
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

/** Model FLOPs over what the devices could do in the steps that count. `reason`: why it is not known; else None. */
export interface ModelFlops {
  readonly mfu: number | null
  readonly hfu: number | null
  readonly reason: string | null
  readonly note: string | null
  readonly mix: Readonly<Record<string, number>>
}

/** A stretch of time without a name: the average step, or the whole recording. */
export interface Window {
  readonly start_ns: number
  readonly duration_ns: number
  readonly breakdown_ns: Breakdown
  readonly operators_ns: Readonly<Record<string, number>>
  readonly device_use_ns: DeviceUse | null
  readonly communication_ns: Communication | null
}

/** Of the steps that count; without steps of the recording. `busy_ns` is the union of kernels, copies and sets. */
export interface DeviceRow {
  readonly index: number
  readonly name: string | null
  readonly memory_bytes: number | null
  readonly busy_ns: number
  readonly busy_outside_ns: number
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

/** Communication of the steps that count by dimension and module, the largest exposed time first; each sums to both times. */
export interface CommunicationParts {
  readonly exposed_ns: number
  readonly hidden_ns: number
  readonly window_ns: number
  readonly on_host: boolean
  readonly steps: string
  readonly dimensions: readonly CommunicationPart[]
  readonly modules: readonly CommunicationPart[]
  readonly modules_lack: string | null
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

/** What the devices are busy with: of the steps that count, as the sentence says it. Sums to their `busy_ns`. */
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

/** A path of modules, or where instances repeat all modules of a class. `count` is that of its operators. */
export interface TopModule {
  readonly name: string
  readonly count: number
  readonly time_ns: number
  readonly share: number
  readonly instances: number
}

/** One thing a profile may hold, whether this one does, and the option that switches it on. */
export interface Recorded {
  readonly id: string
  readonly what: string
  readonly recorded: boolean
  readonly how: string
  readonly instead: string | null
  readonly lack: string | null
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

/** What all ranks of its job tell of the profile. */
export interface ToldByJob {
  readonly rank: number | null
  readonly sentence: string
}

/** What to change, `lead: title told.` with a small first letter of the title, and the finding that says more. */
export interface Change {
  readonly finding: string
  readonly lead: string
  readonly title: string
  readonly told: string
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
  readonly python: number
  readonly unknown_queue: number
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

/** A dimension of the job or a module, its exposed time and what else is known of its collectives. */
export interface CommunicationPart {
  readonly name: string
  readonly exposed_ns: number
  readonly hidden_ns: number
  readonly count: number
  readonly bytes: number | null
  readonly n_unsized: number
  readonly told: 'described' | 'by_use' | 'module' | 'nothing' | 'others'
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
  readonly n_of_paint: readonly number[]
  readonly density: readonly Density[]
}

/** A process or a device. */
export interface TrackGroup {
  readonly name: string
  readonly device: number | null
}

/** A thread or stream. Slices are in lanes 0 to `lanes` - 1, part after part; marks without length, if any, in one below. */
export interface TrackRow {
  readonly id: number
  readonly group: number
  readonly name: string
  readonly device: number | null
  readonly stream: number | null
  readonly thread: string | null
  readonly lanes: number
  readonly parts: readonly TrackPart[]
  readonly marks: boolean
  readonly n_events: number
}

/** A `ProfilerStep#N`. Incomplete: cut by the recording's end. */
export interface StepMark {
  readonly name: string
  readonly number: number
  readonly start_ns: number
  readonly end_ns: number
  readonly timed_start_ns: number
  readonly timed_end_ns: number
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
  readonly points: readonly number[]
}

/** Neighbouring lanes of a track that hold the same. */
export interface TrackPart {
  readonly kind: string
  readonly lanes: number
}

/** Rows by device self time, then host self time, largest first. */
export interface Operators {
  readonly group_by: 'name' | 'shapes' | 'call_site' | 'module' | 'category'
  readonly has_device: boolean
  readonly has_shapes: boolean
  readonly no_shapes: string | null
  readonly groupings: readonly GroupingChoice[]
  readonly no_effect: string | null
  readonly rows: readonly OperatorRow[]
  readonly totals: OperatorTotals
}

/** By what can be grouped. `missing` says why not, and how to record it. */
export interface GroupingChoice {
  readonly id: string
  readonly title: string
  readonly missing: string | null
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
  readonly effect_ns: number | null
  readonly effect_share: number | null
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
  readonly no_effect: string | null
  readonly rows: readonly KernelRow[]
  readonly count: number
  readonly total_ns: number
  readonly busy_ns: number
  readonly matrix_ns: number
  readonly matrix_unknown_ns: number
  readonly categories: readonly CategoryTotal[]
  readonly has_launches: boolean
  readonly has_shapes: boolean
  readonly groupings: readonly GroupingChoice[]
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
  readonly message_bytes: number | null
  readonly n_unsized: number
  readonly process_group: string | null
  readonly dimension: string | null
  readonly n_without_group: number
  readonly n_without_dimension: number
  readonly least_bus_bytes_per_s: number | null
  readonly may_multiply: boolean
  readonly flops: number | null
  readonly flops_per_s: number | null
  readonly peak_share: number | null
  readonly flops_per_byte: number | null
  readonly bandwidth_share: number | null
  readonly effect_ns: number | null
  readonly effect_share: number | null
}

/** All work of a category, before the choice of one. */
export interface CategoryTotal {
  readonly category: 'matmul' | 'convolution' | 'attention' | 'normalisation' | 'elementwise' | 'reduction' | 'indexing' | 'fused' | 'other' | 'communication' | 'copy' | 'set'
  readonly count: number
  readonly total_ns: number
}

/** Rows by time lost, most first; then those of unknown loss by time. Without collectives, whose roof is the network's. */
export interface Roofline {
  readonly rows: readonly RooflineRow[]
  readonly count: number
  readonly total_ns: number
  readonly known_ns: number
  readonly twin_ns: number
  readonly paged_ns: number
  readonly coverage: number | null
  readonly lost_ns: number | null
  readonly roofs: readonly Roof[]
  readonly bytes_per_s: number | null
  readonly peak: string | null
  readonly is_guess: boolean
  readonly has_shapes: boolean
  readonly covers: 'steps' | 'recording'
}

/** The calls of an operator with the same shapes and types, or the kernels of a name where no such call is known. */
export interface RooflineRow {
  readonly name: string
  readonly shapes: string | null
  readonly types: string | null
  readonly category: 'matmul' | 'convolution' | 'attention' | 'normalisation' | 'elementwise' | 'reduction' | 'indexing' | 'fused' | 'other' | 'communication' | 'copy' | 'set' | null
  readonly is_call: boolean
  readonly example: number
  readonly count: number
  readonly total_ns: number
  readonly share: number
  readonly lost_ns: number | null
  readonly roof_share: number | null
  readonly bound: 'compute' | 'memory' | null
  readonly flops: number | null
  readonly bytes: number | null
  readonly flops_per_s: number | null
  readonly bytes_per_s: number | null
  readonly flops_per_byte: number | null
  readonly rate_type: 'fp4' | 'fp8' | 'fp16' | 'bf16' | 'tf32' | 'fp32' | 'fp64' | null
  readonly is_most: boolean
  readonly wall_ns: number
  readonly twin_ns: number
}

/** FLOP/s of a type that products of the file have. `best_flops_per_s`: of their best row; None: none is known exactly. */
export interface Roof {
  readonly rate_type: 'fp4' | 'fp8' | 'fp16' | 'bf16' | 'tf32' | 'fp32' | 'fp64'
  readonly flops_per_s: number | null
  readonly best_flops_per_s: number | null
}

/** Rows with parents before children, children by first call, classes by self time; rows that are no modules last. */
export interface Modules {
  readonly group_by: 'instance' | 'class' | 'class_path'
  readonly has_device: boolean
  readonly has_backward: boolean
  readonly has_calls: boolean
  readonly has_qualified: boolean
  readonly has_host_memory: boolean
  readonly has_device_memory: boolean
  readonly no_effect: string | null
  readonly rows: readonly ModuleRow[]
  readonly totals: ModuleTotals
}

/** One path or class of modules, or what is in none. Totals are self values with those of all modules inside, each once. */
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
  readonly effect_ns: number | null
  readonly effect_share: number | null
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
  readonly groupings: readonly GroupingChoice[]
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
  readonly no_reserved: string | null
  readonly no_capacity: string | null
  readonly no_addresses: string | null
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

/** The first screen, and the tables behind it. */
export interface RanksTable {
  readonly by: 'rank' | 'step' | 'dimension' | 'collective' | 'link' | 'host' | 'node' | 'stage' | 'path'
  readonly run: string | null
  readonly n_ranks: number
  readonly world_size: number | null
  readonly n_steps: number
  readonly missing_ranks: string | null
  readonly layout: Readonly<Record<string, number>>
  readonly sentences: readonly string[]
  readonly leads: readonly Lead[]
  readonly notes: readonly string[]
  readonly clock_notes: readonly string[]
  readonly doubts: readonly string[]
  readonly other_spans: readonly string[]
  readonly longest_step_ns: number | null
  readonly parts: StepParts | null
  readonly job_step_ns: number | null
  readonly n_matched: number
  readonly n_complete: number
  readonly n_incomplete: number
  readonly n_mismatches: number
  readonly sigma_ns: number | null
  readonly clock_error_ns: number | null
  readonly blamed: readonly Blamed[]
  readonly together: Together | null
  readonly slow_link: string | null
  readonly slow_link_was_ns: number | null
  readonly slow_link_without_ns: number | null
  readonly slow_link_without_least_ns: number | null
  readonly moving: MovingData | null
  readonly ideal_was_ns: number | null
  readonly ideal_ns: number | null
  readonly ideal_least_ns: number | null
  readonly slowdown: number | null
  readonly is_slowdown_least: boolean
  readonly ideal_steps: string | null
  readonly pipeline: PipelineFigures | null
  readonly dimensions: readonly DimensionRow[]
  readonly ranks: readonly RankRow[]
  readonly absent: readonly AbsentRank[]
  readonly steps: readonly JobStepRow[]
  readonly collectives: readonly CollectiveRow[]
  readonly links: readonly LinkRow[]
  readonly hosts: readonly HostRow[]
  readonly stages: readonly StageRow[]
  readonly path: readonly PathRow[]
  readonly path_ahead_ns: number | null
  readonly jobs: readonly JobOfRun[]
  readonly others: readonly RankMember[]
}

/**
 * Where a sentence leads: to whom and to the step that it tells of, and to the table that has its figures.
 *
 * `places`: the step in the profiles of the first few ranks, as far as they have it. `counted`: collectives that it counts.
 */
export interface Lead {
  readonly ranks: readonly number[]
  readonly step: number | null
  readonly table: 'collective' | 'link' | 'stage' | 'path' | null
  readonly places: readonly StepInFile[]
  readonly counted: CountedIn | null
}

/** Mean over ranks and steps; they add up to the mean step. */
export interface StepParts {
  readonly computation_ns: number
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly bubble_wait_ns: number | null
  readonly untold_ns: number
  readonly communication_ns: number
  readonly copy_ns: number
  readonly idle_ns: number
  readonly step_ns: number
}

/** A rank, stage, host or replica that the others wait for, in the steps of one cause. The largest total excess first. */
export interface Blamed {
  readonly level: 'rank' | 'stage' | 'host' | 'replica'
  readonly name: string
  readonly ranks: readonly number[]
  readonly steps: readonly number[]
  readonly is_persistent: boolean
  readonly excess_ns: number
  readonly cause: 'slow_kernels' | 'some_kernels' | 'long_call' | 'more_work' | 'kernels' | 'copies' | 'input' | 'collection' | 'pause' | 'launches' | 'more_launches' | 'idle' | 'checkpoint' | 'compile' | 'allocator' | 'sync'
  readonly cause_ns: number
  readonly confidence: 'sure' | 'likely' | 'maybe'
  readonly factor: number | null
  readonly kernels: readonly string[]
  readonly n_more: number | null
  readonly event: string | null
  readonly also: 'slow_kernels' | 'some_kernels' | 'long_call' | 'more_work' | 'kernels' | 'copies' | 'input' | 'collection' | 'pause' | 'launches' | 'more_launches' | 'idle' | 'checkpoint' | 'compile' | 'allocator' | 'sync' | null
  readonly also_ns: number | null
  readonly sentence: string
  readonly step_was_ns: number | null
  readonly step_without_ns: number | null
  readonly step_without_least_ns: number | null
}

/**
 * Those of the blamed without whom at once a step is shorter than without any of them alone, the first one first.
 *
 * Means over its late steps.
 */
export interface Together {
  readonly names: readonly string[]
  readonly ranks: readonly number[]
  readonly steps: readonly number[]
  readonly step_was_ns: number
  readonly step_without_ns: number
  readonly step_without_least_ns: number
}

/** Where more is lost by moving data than by waiting or idling, and no link is blamed for it. Times are of a rank and step. */
export interface MovingData {
  readonly dimension: string | null
  readonly exposed_ns: number
  readonly of_dimension_ns: number
  readonly hidden_share: number
  readonly bus_bytes_per_s: number | null
  readonly of_usual_share: number | null
  readonly sentence: string
  readonly step_was_ns: number | null
  readonly step_without_ns: number | null
  readonly step_without_least_ns: number | null
}

/** Of the job's pipeline, mean over its ranks and steps. */
export interface PipelineFigures {
  readonly n_stages: number
  readonly n_micro_batches: number | null
  readonly n_chunks: number | null
  readonly schedule: 'GPipe' | '1F1B' | 'interleaved' | null
  readonly window_ns: number
  readonly bubble_ns: number
  readonly bubble_share: number
  readonly ideal_share: number | null
}

/** Collectives by what their group is for. Times are means over ranks and steps; shares of exposed time add up. */
export interface DimensionRow {
  readonly name: string
  readonly short: string | null
  readonly is_inferred: boolean
  readonly n_groups: number
  readonly n_instances: number
  readonly n_incomplete: number
  readonly exposed_wait_ns: number | null
  readonly exposed_transfer_ns: number | null
  readonly exposed_untold_ns: number
  readonly exposed_ns: number
  readonly hidden_transfer_share: number | null
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly untold_ns: number
  readonly inside_bytes_per_s: number | null
  readonly between_bytes_per_s: number | null
  readonly longest_took_ns: number | null
  readonly longest: InstanceRow | null
}

/** One rank. Times are means over its complete steps. */
export interface RankRow {
  readonly rank: number
  readonly worker: string
  readonly span: string
  readonly host: string | null
  readonly stage: number | null
  readonly replica: number | null
  readonly n_steps: number
  readonly step_ns: number | null
  readonly own_ns: number | null
  readonly excess_ns: number | null
  readonly computation_ns: number | null
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly untold_ns: number | null
  readonly copy_ns: number | null
  readonly idle_ns: number | null
  readonly loader_ns: number | null
  readonly bubble_ns: number | null
  readonly received: number | null
  readonly peak_bytes: number | null
  readonly n_last: number | null
  readonly caused_least_ns: number | null
  readonly caused_most_ns: number | null
  readonly all_computation_ns: number | null
  readonly all_communication_ns: number | null
  readonly all_overlap_ns: number | null
  readonly is_cut_off: boolean
}

/** A row of the table of ranks for who has no figures: one rank, or many of one reason. */
export interface AbsentRank {
  readonly ranks: readonly number[]
  readonly reason: string
  readonly n_more: number
}

/** One step over all ranks. `own`, `wait` and `excess` have one value a rank, in the order of `ranks`; None: no such step. */
export interface JobStepRow {
  readonly number: number
  readonly shortest_ns: number | null
  readonly longest_ns: number | null
  readonly path_ns: number | null
  readonly last_rank: number | null
  readonly is_slow: boolean
  readonly late: readonly string[]
  readonly own_ns: readonly (number | null)[]
  readonly wait_ns: readonly (number | null)[]
  readonly excess_ns: readonly (number | null)[]
}

/** Collectives of one dimension, kind, number of ranks and size. */
export interface CollectiveRow {
  readonly dimension: string
  readonly kind: string
  readonly n_ranks: number | null
  readonly bytes: number | null
  readonly n_instances: number
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly untold_ns: number
  readonly exposed_wait_ns: number | null
  readonly exposed_transfer_ns: number | null
  readonly exposed_untold_ns: number
  readonly median_transfer_ns: number | null
  readonly bus_bytes_per_s: number | null
  readonly low_bus_bytes_per_s: number | null
  readonly least_bus_bytes_per_s: number | null
  readonly last_rank: number | null
  readonly last_share: number | null
  readonly n_late: number
  readonly n_mismatches: number
  readonly longest_took_ns: number | null
  readonly longest: InstanceRow | null
}

/** Instances of one dimension and kind between the same hosts. */
export interface LinkRow {
  readonly hosts: string
  readonly dimension: string
  readonly kind: string
  readonly pair: string | null
  readonly steps: string | null
  readonly n_ranks: number
  readonly n_instances: number
  readonly bus_bytes_per_s: number
  readonly rate_is: 'median' | 'at least'
  readonly of_usual_share: number | null
  readonly is_slow: boolean
  readonly longest_took_ns: number | null
  readonly longest: InstanceRow | null
}

/** The clock of a host against the first one of its component: what was taken off its times. */
export interface HostRow {
  readonly host: string
  readonly n_ranks: number
  readonly first_rank: number
  readonly component: number
  readonly offset_ns: number | null
  readonly drift_ppm: number | null
  readonly drift_error_ppm: number | null
  readonly error_ns: number | null
}

/** One stage of the pipeline, mean over its ranks and steps. Busy, warm-up, steady and drain add up to the window. */
export interface StageRow {
  readonly stage: number
  readonly n_ranks: number
  readonly computation_ns: number
  readonly imbalance_share: number
  readonly busy_ns: number
  readonly warm_up_ns: number
  readonly steady_ns: number
  readonly drain_ns: number
  readonly bubble_ns: number
  readonly bubble_share: number
  readonly most_bubble_ns: number
  readonly most_bubble_rank: number
  readonly most_bubble_step: number
  readonly most_bubble_replica: readonly number[]
}

/** What one rank does on the critical path, the longest chain of a step, mean over steps. The rows add up to the step. */
export interface PathRow {
  readonly what: string
  readonly rank: number | null
  readonly path_ns: number
  readonly path_share: number
  readonly longest_piece_ns: number | null
  readonly piece_at_ns: number | null
}

/** One of the jobs, or recordings of one, that the run's profiles are of; `worker` and `span` name its first profile. */
export interface JobOfRun {
  readonly worker: string
  readonly span: string
  readonly title: string
  readonly is_shown: boolean
}

/** A profile of the run that has no place in the figures, and why. */
export interface RankMember {
  readonly worker: string
  readonly span: string
  readonly label: string
  readonly state: 'found' | 'queued' | 'loading' | 'ready' | 'failed'
  readonly reason: string | null
}

/**
 * A step in the profile of a rank, which may number it otherwise, or the gap or call in it that makes it late.
 *
 * `called`: which step, and on a line of its own why the rank is late in it, if it is.
 */
export interface StepInFile {
  readonly rank: number
  readonly step: number
  readonly start_ns: number
  readonly lasts_ns: number
  readonly called: string
}

/** The collectives that a part of a sentence, `text`, counts: the others ask for them one by one (`view/ranks/instances`). */
export interface CountedIn {
  readonly text: string
  readonly dimension: string | null
  readonly kind: string | null
  readonly ranks: string
  readonly steps: string | null
  readonly begun: string | null
}

/**
 * One collective. `at_ns`: when the last came, after the first arrival of the job. `wait_ns`: of who came first.
 *
 * `last_ranks`: who came last, alone or together as far as clocks can tell; of very many the first, `n_last` counts all.
 * `worker`, `row`: the event of who came first, which is as long as all of it; `ranks`: of those in it, few, that one and one
 * of those who came last among them.
 * `begin_ns`, `lasts_ns`: from its first arrival to its last end, in the picture of its step on `ranks`.
 */
export interface InstanceRow {
  readonly at_ns: number
  readonly step: number | null
  readonly dimension: string
  readonly kind: string
  readonly group: string | null
  readonly sequence: number | null
  readonly members: string
  readonly n_ranks: number
  readonly bytes: number | null
  readonly wait_ns: number
  readonly transfer_ns: number | null
  readonly last_ranks: readonly number[]
  readonly n_last: number
  readonly worker: string
  readonly row: number
  readonly ranks: readonly number[]
  readonly begin_ns: number
  readonly lasts_ns: number
}

/** Findings by what is expected of them, else by what they could gain, those without a figure last. */
export interface Advice {
  readonly verdict: Verdict
  readonly findings: readonly Finding[]
  readonly n_small: number
  readonly nothing_found: readonly string[]
  readonly not_checked: readonly NotChecked[]
  readonly window_ns: number
  readonly window: 'steps' | 'recording'
  readonly n_steps: number
}

/** One thing to change. Those that want the same time are told with it (`also`), and gains do not add up. */
export interface Finding {
  readonly id: string
  readonly title: string
  readonly what: string
  readonly evidence: readonly Evidence[]
  readonly rows: readonly EventRef[]
  readonly n_rows: number
  readonly gain_ns: number | null
  readonly gain_per_step_ns: number | null
  readonly gain_how: string
  readonly gain_share: number | null
  readonly estimate_ns: number | null
  readonly estimate_per_step_ns: number | null
  readonly estimate_how: string | null
  readonly confidence: 'sure' | 'likely' | 'maybe'
  readonly source: string | null
  readonly function: string | null
  readonly code: string | null
  readonly unless: string | null
  readonly link: string | null
  readonly view: string | null
  readonly without: readonly string[]
  readonly beside: readonly number[]
  readonly also: readonly SameTime[]
}

/** What the profile does not hold, the option that records it, and the checks that need it. */
export interface NotChecked {
  readonly what: string
  readonly how: string
  readonly instead: string | null
  readonly checks: readonly string[]
}

/** One figure that a finding rests on. */
export interface Evidence {
  readonly text: string
  readonly value: number
  readonly unit: 'ns' | 'count' | 'share'
}

/** One event to look at in the timeline. */
export interface EventRef {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
}

/** A finding that wants the same time as another one. */
export interface SameTime {
  readonly id: string
  readonly title: string
  readonly what: string
  readonly gain_ns: number | null
  readonly gain_per_step_ns: number | null
  readonly estimate_ns: number | null
  readonly estimate_per_step_ns: number | null
  readonly without: readonly string[]
}

/**
 * `refused` says why there is no estimate; then nothing is edited.
 *
 * A change is that from the replay with nothing edited to the replay edited; an edited time is the recorded one and the change,
 * so that figures shown beside each other subtract, and shares are of the recorded step, as those of the findings.
 *
 * `on_ranks`: of one of several ranks what Ranks tells instead. `of_job`: of the edits those that are asked there.
 */
export interface WhatIf {
  readonly refused: string | null
  readonly on_ranks: string | null
  readonly of_job: readonly string[]
  readonly n_steps: number
  readonly recorded_ns: number | null
  readonly trust: Trust | null
  readonly recorded_path: LastPath | null
  readonly edited_ns: number | null
  readonly change_ns: number | null
  readonly at_best: boolean
  readonly low_change_ns: number | null
  readonly high_change_ns: number | null
  readonly edited_path: LastPath | null
  readonly alone: readonly EditAlone[]
  readonly steps: readonly EditedStep[]
  readonly effects: readonly Effect[]
  readonly forms: readonly EditForm[]
  readonly caveats: readonly string[]
}

/** How well the replay with nothing changed gives the recorded steps. Errors are of the recorded time; negative: too short. */
export interface Trust {
  readonly replayed_ns: number
  readonly error_share: number
  readonly worst_error_share: number
  readonly constants_error_share: number
  readonly unexplained_share: number
  readonly not_launched_share: number
  readonly n_anchored: number
  readonly n_lost: number
}

/** What the time goes by on: parts of the chain of things that waited for each other. They sum to 1. */
export interface LastPath {
  readonly host_share: number
  readonly device_share: number
  readonly communication_share: number
  readonly waiting_share: number
}

/** One edit without the others. */
export interface EditAlone {
  readonly edit: string
  readonly step_ns: number
  readonly change_ns: number
}

/** One step that counts. */
export interface EditedStep {
  readonly number: number | null
  readonly recorded_ns: number
  readonly replayed_ns: number
  readonly edited_ns: number | null
}

/** What the step gains if these events take 10 % less time. */
export interface Effect {
  readonly kind: 'operator' | 'kernel' | 'host'
  readonly name: string
  readonly edit: string
  readonly own_ns: number
  readonly gain_ns: number
  readonly effect_share: number
}

/** What can be written. */
export interface EditForm {
  readonly example: string
  readonly says: string
}

/** The baseline, and each other item against it. Items that could not be asked are in `lacking`, with the reason. */
export interface Comparison {
  readonly by: 'module' | 'operator' | 'category' | 'kernel'
  readonly noise: number
  readonly a: Item | null
  readonly pairs: readonly Pair[]
  readonly matrix: Matrix | null
  readonly lacking: readonly Origin[]
}

/** One side: a recording, or several of the same program. `members` have the names of links; empty in the shell. */
export interface Item {
  readonly label: string
  readonly members: readonly Origin[]
  readonly n_recordings: number
  readonly n_steps: number
  readonly steps: readonly StepDot[]
  readonly median_ns: number
  readonly mean_ns: number
  readonly device: string | null
}

/** An item against the baseline. */
export interface Pair {
  readonly b: Item
  readonly headline: string
  readonly ranks: readonly number[] | null
  readonly doubts: readonly string[]
  readonly differences: readonly Difference[]
  readonly alike: readonly string[]
  readonly step: StepChange
  readonly parts: readonly PartChange[]
  readonly others: readonly PartChange[]
  readonly rows: readonly ChangeRow[]
  readonly n_matched: number
  readonly n_added: number
  readonly n_removed: number
}

/** All items side by side; what varies most stands first. */
export interface Matrix {
  readonly rows: readonly MatrixRow[]
  readonly geomeans: readonly number[]
  readonly n_geomean: number
}

/** A profile by the three names that links hold. */
export interface Origin {
  readonly run: string
  readonly worker: string
  readonly span: string
  readonly label: string
  readonly state: 'found' | 'queued' | 'loading' | 'ready' | 'failed'
  readonly reason: string | null
}

/** One step that is compared. `outlier`: longer than the median by more than 5 MAD and 10 %. */
export interface StepDot {
  readonly number: number
  readonly start_ns: number
  readonly lasted_ns: number
  readonly recording: number
  readonly outlier: boolean
}

/** How the recordings differ, beside the program. `spoils`: which figures therefore say nothing about it. */
export interface Difference {
  readonly what: string
  readonly a: string
  readonly b: string
  readonly spoils: 'nothing' | 'host' | 'rows' | 'everything'
}

/** How much longer B's steps take. Of one recording a side it is of these recordings, not of the change. */
export interface StepChange {
  readonly a_median_ns: number
  readonly b_median_ns: number
  readonly a_mean_ns: number
  readonly b_mean_ns: number
  readonly delta_ns: number
  readonly shift_ns: number
  readonly low_ns: number
  readonly high_ns: number
  readonly confidence: number
  readonly p: number | null
  readonly verdict: 'finding' | 'noise' | 'unknown' | 'not_comparable'
}

/** A part of the step, as on the overview. All parts sum to the step's difference. */
export interface PartChange {
  readonly part: string
  readonly a_ns: number
  readonly b_ns: number
  readonly delta_ns: number
  readonly shift_ns: number
  readonly low_ns: number
  readonly high_ns: number
  readonly p: number | null
  readonly p_holm: number | null
  readonly verdict: 'finding' | 'noise' | 'unknown' | 'not_comparable'
}

/** A row of the tree, means per step. Rows below a row sum to it, in every column of times. */
export interface ChangeRow {
  readonly id: number
  readonly parent: number
  readonly depth: number
  readonly kind: 'step' | 'busy' | 'idle' | 'module' | 'operator' | 'shapes' | 'category' | 'kernel' | 'cause' | 'line' | 'not_attributed' | 'other'
  readonly name: string
  readonly a_ns: number
  readonly b_ns: number
  readonly delta_ns: number
  readonly a_calls: number | null
  readonly b_calls: number | null
  readonly count_ns: number | null
  readonly duration_ns: number | null
  readonly size_ns: number | null
  readonly matched: 'module, shapes' | 'module' | 'shapes' | 'operator' | 'kernel' | 'category' | 'line' | 'replaced' | 'compiled' | 'added' | 'removed' | 'sum'
  readonly p: number | null
  readonly verdict: 'finding' | 'noise' | 'unknown' | 'not_comparable'
  readonly n_rows: number
  readonly a_at: LongestAt | null
  readonly b_at: LongestAt | null
}

/** A row of more than two items side by side, means per step. Rows sum to the mean step of each item. */
export interface MatrixRow {
  readonly kind: 'step' | 'busy' | 'idle' | 'module' | 'operator' | 'shapes' | 'category' | 'kernel' | 'cause' | 'line' | 'not_attributed' | 'other'
  readonly name: string
  readonly values_ns: readonly number[]
  readonly verdicts: readonly ('finding' | 'noise' | 'unknown' | 'not_comparable')[]
  readonly spread_ns: number
  readonly n_rows: number
}

/** The longest event of a row: where the timeline shows it. */
export interface LongestAt {
  readonly recording: number
  readonly start_ns: number
  readonly lasted_ns: number
}

/** The line with the newest profile first. */
export interface Trends {
  readonly line: 'auto' | 'run' | 'worker' | 'directory'
  readonly lines: readonly TrendLine[]
  readonly baseline: readonly TrendPoint[]
  readonly is_gated: boolean
  readonly is_cut: boolean
}

/** Points in the order in which they were recorded. */
export interface TrendLine {
  readonly name: string
  readonly points: readonly TrendPoint[]
  readonly changes: readonly LevelChange[]
  readonly gate: TrendGate | null
}

/** A profile in a line. */
export interface TrendPoint {
  readonly run: string
  readonly worker: string
  readonly span: string
  readonly label: string
  readonly recorded_ns: number
  readonly state: 'found' | 'queued' | 'loading' | 'ready' | 'failed'
  readonly quality: 'complete' | 'few' | 'trouble' | 'pending'
  readonly note: string | null
  readonly changed: string | null
  readonly last_step: number | null
  readonly n_steps: number | null
  readonly step_ns: number | null
  readonly before_share: number | null
  readonly p5_ns: number | null
  readonly p95_ns: number | null
  readonly busy_share: number | null
  readonly waiting_for_host_ns: number | null
  readonly exposed_communication_ns: number | null
  readonly data_loader_ns: number | null
  readonly peak_bytes: number | null
  readonly reserved_bytes: number | null
  readonly kernels: number | null
  readonly launches: number | null
  readonly mfu: number | null
}

/**
 * From the point at `at` on a figure has another level. `reset`: something beside the program changed; `why` says what.
 *
 * `new_normal`: somebody says so, and why.
 */
export interface LevelChange {
  readonly kind: 'change' | 'reset' | 'new_normal'
  readonly figure: 'step_time' | 'busy' | 'waiting_for_host' | 'exposed_communication' | 'data_loader' | 'peak_memory' | 'reserved_memory' | 'kernels' | 'launches' | 'mfu' | null
  readonly at: number
  readonly before: number | null
  readonly after: number | null
  readonly share: number | null
  readonly why: string | null
}

/** Is the newest point worse than those before it? `worse`: so are the newest two. `said`: in a sentence. */
export interface TrendGate {
  readonly figure: 'step_time' | 'busy' | 'waiting_for_host' | 'exposed_communication' | 'data_loader' | 'peak_memory' | 'reserved_memory' | 'kernels' | 'launches' | 'mfu'
  readonly state: 'within' | 'suspect' | 'worse' | 'too_few' | 'cannot_tell'
  readonly at: number | null
  readonly value: number | null
  readonly median: number | null
  readonly spread: number | null
  readonly n_baseline: number
  readonly said: string
}

/** `columns` are the statement's; a row has a cell for each. `events`: (start, duration) of the event that its `id` names. */
export interface SqlAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (number | number | string | null)[])[]
  readonly is_cut: boolean
  readonly events: readonly (readonly [number, number] | null)[]
  readonly tables: readonly SqlTable[]
}

/** A table that statements may name. */
export interface SqlTable {
  readonly name: string
  readonly says: string
  readonly columns: readonly SqlColumn[]
}

/** A column that statements may name. */
export interface SqlColumn {
  readonly name: string
  readonly says: string
}

/** In numeric order, the main thread first. */
export interface Choices {
  readonly steps: readonly StepChoice[]
  readonly no_steps: string | null
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
  readonly before: TrackEvent | null
  readonly after: TrackEvent | null
  readonly is_collective: boolean
  readonly collectives: readonly EventCollective[]
  readonly args: Readonly<Record<string, unknown>>
  readonly parents: readonly TrackEvent[]
  readonly launch: TrackEvent | null
  readonly owner: TrackEvent | null
  readonly after_launch_ns: number | null
  readonly inputs: readonly string[] | null
  readonly launched: readonly TrackEvent[]
  readonly n_launched: number
  readonly forward: readonly TrackEvent[]
  readonly backward: readonly TrackEvent[]
}

/** One event to look at, and where it is drawn. */
export interface TrackEvent {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
  readonly kind: string
  readonly track: number
  readonly lane: number
}

/** One collective as its rank alone has it. None is "not recorded". */
export interface EventCollective {
  readonly kind: string
  readonly group: string | null
  readonly dimension: string | null
  readonly n_ranks: number | null
  readonly ranks: string | null
  readonly peer: number | null
  readonly in_bytes: number | null
  readonly out_bytes: number | null
  readonly dtype: string | null
  readonly sequence: number | null
  readonly least_bus_bytes_per_s: number | null
  readonly no_rate: string | null
}

/** Rows of the devices, then of threads, each by self time, then those without one; totals are of all rows, listed or not. */
export interface TimelineArea {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly group_by: 'name' | 'category' | 'module' | 'class' | 'step'
  readonly then_by: 'name' | 'category' | 'module' | 'class' | 'step' | null
  readonly n_names: number
  readonly count: number
  readonly host_self_ns: number
  readonly device_self_ns: number
  readonly devices: readonly AreaDevice[]
  readonly tracks: readonly AreaTrack[]
  readonly rows: readonly AreaName[]
}

/** `busy_ns`: in which a kernel, copy or set ran on any of the device's streams, drawn over or not; `gaps_ns`: the rest. */
export interface AreaDevice {
  readonly device: number
  readonly busy_ns: number
  readonly gaps_ns: number | null
  readonly n_streams: number
  readonly area_streams: readonly string[]
  readonly area_busy_ns: number
}

/** A thread or stream of the area. `self_ns` and `idle_ns`, in which nothing is open, are the area's length together. */
export interface AreaTrack {
  readonly id: number
  readonly name: string
  readonly count: number
  readonly self_ns: number
  readonly idle_ns: number | null
}

/** Events of one name and kind, category, module, its class or step, on threads or on devices. Times are inside the area. */
export interface AreaName {
  readonly name: string | null
  readonly on_device: boolean
  readonly kind: string | null
  readonly count: number
  readonly time_ns: number
  readonly mean_ns: number
  readonly self_ns: number | null
  readonly share: number | null
  readonly longest: TrackEvent
}

/** `host`: what ran on threads; `device`: what devices did, below the operators it was done for. By time, parents first. */
export interface TimelineCalls {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly side: 'host' | 'device'
  readonly frames: 'all' | 'operators' | 'python'
  readonly time_ns: number
  readonly other_side_ns: number
  readonly n_nodes: number
  readonly n_instances: number
  readonly found_ns: number
  readonly hits: readonly number[]
  readonly nodes: readonly CallNode[]
}

/** A name in one place of the call tree. Times are what lies inside the area. */
export interface CallNode {
  readonly parent: number | null
  readonly name: string
  readonly kind: string
  readonly paint: string
  readonly count: number
  readonly time_ns: number
  readonly self_ns: number
  readonly longest: TrackEvent
}

/** Busy share, memory, launch queue and counters, as far as they were recorded. */
export interface TimelineValues {
  readonly is_lit: boolean
  readonly t0_ns: number
  readonly t1_ns: number
  readonly tracks: readonly ValueTrack[]
}

/**
 * A value over time. `least`, `most` and `mean` are those of each part; None: not known then.
 *
 * The mean is over time, to six digits of the largest value.
 */
export interface ValueTrack {
  readonly id: string
  readonly title: string
  readonly unit: 'bytes' | 'count' | 'share' | 'number'
  readonly device: number | null
  readonly lowest: number
  readonly highest: number
  readonly least: readonly (number | null)[]
  readonly most: readonly (number | null)[]
  readonly mean: readonly (number | null)[]
  readonly kept: readonly (number | null)[] | null
}

/** Events whose name contains `q` (any case), or matches it as a regular expression, by start. */
export interface TimelineSearch {
  readonly q: string
  readonly total: number
  readonly total_ns: number
  readonly offset: number
  readonly place: number | null
  readonly first: number
  readonly n_in_window: number
  readonly hits: readonly TrackEvent[]
  readonly density: readonly number[]
}

/** A window of the list. */
export interface TimelineHits {
  readonly total: number
  readonly n_listed: number
  readonly offset: number
  readonly place: number | null
  readonly rows: readonly TimelineHit[]
}

/** A row of the list. */
export interface TimelineHit {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
  readonly kind: string
  readonly track: number
  readonly lane: number
  readonly track_name: string
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
  readonly no_stacks: string | null
  readonly has_modules: boolean
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

/** Durations in [start_ns, end_ns). */
export interface Bin {
  readonly start_ns: number
  readonly end_ns: number
  readonly count: number
  readonly total_ns: number
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
  readonly collectives: readonly KernelCollective[]
  readonly longest: readonly ListedEvent[]
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

/** The collectives of one kind and group among the kernels of a row. None is "not recorded". */
export interface KernelCollective {
  readonly kind: string
  readonly process_group: string | null
  readonly dimension: string | null
  readonly n_ranks: number | null
  readonly n_collectives: number
  readonly kernels_ns: number
  readonly message_bytes: number | null
  readonly n_unsized: number
  readonly least_bus_bytes_per_s: number | null
}

/** One event to look at in the timeline. */
export interface ListedEvent {
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
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

/** One rank. Texts that are not recorded are None. `collectives.start` NONE: issued, but not in the file. */
export interface RankSummary {
  readonly rank: number | null
  readonly world_size: number | null
  readonly host: string | null
  readonly backend: string | null
  readonly device: string | null
  readonly device_index: number | null
  readonly torch_version: string | null
  readonly trace_id: string | null
  readonly base_ns: number
  readonly start_ns: number
  readonly end_ns: number
  readonly resolution_ns: number
  readonly n_events: number
  readonly has_steps: boolean
  readonly is_on_host: boolean
  readonly has_ranges: boolean
  readonly has_launches: boolean
  readonly is_cut_off: boolean
  readonly computation_ns: number
  readonly communication_ns: number
  readonly overlap_ns: number
  readonly damage: readonly string[]
  readonly groups: readonly ProcessGroup[]
  readonly n_groups_of_rank: number | null
  readonly dtypes: readonly string[]
  readonly names: readonly string[]
  readonly pause_events: readonly PauseEvent[]
  readonly collectives: Packed
  readonly steps: Packed
  readonly work: Packed
  readonly computing: Packed
  readonly shapes: Packed
  readonly order: Packed
  readonly needs: Packed
  readonly inputs: Readonly<Record<string, string>>
  readonly range_names: readonly string[]
  readonly ranges: Packed | null
  readonly wait_names: readonly string[]
  readonly device_waits: Packed | null
  readonly stretches: Packed | null
  readonly memory: Packed | null
  readonly host_waits: Packed | null
  readonly without_length: readonly string[]
}

/** `ranks` is None where the members are not known; `size` then is what the file says, or NONE. */
export interface ProcessGroup {
  readonly name: string
  readonly description: string
  readonly size: number
  readonly ranks: readonly number[] | null
}

/** By its name, cut. `frame`: the innermost of the user's own code around it; "" where that is itself, or not recorded. */
export interface PauseEvent {
  readonly name: string
  readonly told: 'checkpoint' | 'compile' | 'allocator' | 'sync' | 'other' | 'many' | 'after' | 'around'
  readonly frame: string
}

/** A table. `data` is what `packed` made of its columns. */
export interface Packed {
  readonly columns: readonly string[]
  readonly n_rows: number
  readonly data: string
}

/** `step` None: all of the recording is shown. `steps`: the complete ones, and that which is shown. */
export interface RankLanes {
  readonly run: string | null
  readonly step: number | null
  readonly steps: readonly number[]
  readonly length_ns: number
  readonly lanes: readonly RankLane[]
  readonly n_ranks: number
  readonly dimensions: readonly string[]
  readonly kinds: readonly string[]
  readonly computing: ComputingPieces
  readonly members: MemberPieces
  readonly lasts: readonly (readonly number[])[]
  readonly path: PathPieces
  readonly n_left_out: number
  readonly notes: readonly string[]
}

/**
 * One rank. `zero_ns`: where in its own profile the window begins; `clock_ns`: what its clock is ahead of the job's there.
 *
 * `from_ns`, `to_ns`: its recording, since the window's start. `computing` of CPUs is recorded, not drawn: nothing launches it.
 */
export interface RankLane {
  readonly rank: number
  readonly worker: string
  readonly span: string
  readonly host: string | null
  readonly is_tied: boolean
  readonly zero_ns: number
  readonly clock_ns: number
  readonly from_ns: number
  readonly to_ns: number
  readonly computing: 'drawn' | 'not drawn' | 'not recorded'
}

/** One value a piece of computation; times since the window's start. */
export interface ComputingPieces {
  readonly lane: readonly number[]
  readonly start_ns: readonly number[]
  readonly end_ns: readonly number[]
}

/** One value a collective of a rank: it waits until `arrived_ns`, then moves data. Not told apart: its start. */
export interface MemberPieces {
  readonly lane: readonly number[]
  readonly dimension: readonly number[]
  readonly kind: readonly number[]
  readonly instance: readonly number[]
  readonly row: readonly number[]
  readonly step: readonly number[]
  readonly start_ns: readonly number[]
  readonly arrived_ns: readonly number[]
  readonly end_ns: readonly number[]
  readonly transfer_ns: readonly number[]
  readonly is_known: readonly boolean[]
  readonly is_last: readonly boolean[]
  readonly last: readonly number[]
}

/** The critical path in the order of time. `lane` -1: a rank that is not shown. */
export interface PathPieces {
  readonly lane: readonly number[]
  readonly rank: readonly number[]
  readonly what: readonly string[]
  readonly start_ns: readonly number[]
  readonly end_ns: readonly number[]
}

/** `sentence` of the asked rank. Members in the order in which they came; none where they could not be matched. */
export interface OneCollective {
  readonly sentence: string | null
  readonly instance: number | null
  readonly step: number | null
  readonly last_ranks: readonly number[]
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly members: readonly CollectiveMember[]
}

/** One rank's part. `arrived_ns`: after the first to come. `row`: in its own profile. */
export interface CollectiveMember {
  readonly rank: number
  readonly worker: string
  readonly span: string
  readonly row: number
  readonly arrived_ns: number
  readonly wait_ns: number
  readonly transfer_ns: number | null
}

/** `rank` None: not here yet. `peer`: the one with the median own work of its peers, to compare with. */
export interface OneRank {
  readonly run: string | null
  readonly rank: number | null
  readonly worker: string | null
  readonly span: string | null
  readonly host: string | null
  readonly clock_error_ns: number | null
  readonly peers: string | null
  readonly peer: number | null
  readonly peer_worker: string | null
  readonly peer_span: string | null
  readonly sentences: readonly string[]
  readonly counted: readonly CountedIn[]
  readonly steps: readonly RankStepRow[]
  readonly parts: readonly RankPartRow[]
  readonly dimensions: readonly RankDimensionRow[]
  readonly waits_for: readonly WaitedForRow[]
  readonly kernels: readonly MoreKernelRow[]
  readonly is_on_host: boolean
}

/** One step of the rank, and its peers in it. */
export interface RankStepRow {
  readonly number: number
  readonly step_ns: number
  readonly wait_ns: number | null
  readonly untold_ns: number
  readonly own_ns: number | null
  readonly work_ns: number | null
  readonly peers_work_ns: number | null
  readonly excess_ns: number | null
  readonly peers_least_ns: number | null
  readonly peers_most_ns: number | null
  readonly pause_ns: number | null
  readonly pause_event: string | null
  readonly pause_at_ns: number | null
  readonly start_ns: number
}

/** A part of own time, mean over steps. The first four add up to it; the others lie in them. */
export interface RankPartRow {
  readonly part: string
  readonly mine_ns: number | null
  readonly peers_ns: number | null
  readonly more_ns: number | null
}

/** Its collectives of one dimension. Exposed times are means over its steps, if any, and add up to its communication. */
export interface RankDimensionRow {
  readonly dimension: string
  readonly n_collectives: number
  readonly exposed_wait_ns: number | null
  readonly exposed_transfer_ns: number | null
  readonly exposed_untold_ns: number | null
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly untold_ns: number
}

/** Whom it waited for: who came last in its collectives, one or several together. */
export interface WaitedForRow {
  readonly last_ranks: readonly number[]
  readonly n_last: number
  readonly n_collectives: number
  readonly wait_ns: number
  readonly longest_took_ns: number
  readonly longest: InstanceRow
}

/**
 * A kernel of a grid and block that costs more than on its peers; of another shape than theirs more than what they run in its
 * place. Without a median there: none of them ran it.
 */
export interface MoreKernelRow {
  readonly kernel: string
  readonly why: 'only here' | 'other shape' | 'more calls' | 'longer calls'
  readonly shape: string | null
  readonly peers_shape: string | null
  readonly more_ns: number
  readonly n_calls: number
  readonly peers_calls: number
  readonly median_ns: number
  readonly peers_median_ns: number | null
}

/** All None where there is nobody to wait for, or nothing could be matched. Times are exposed, means of its steps. */
export interface InJob {
  readonly rank: number | null
  readonly sentence: string | null
  readonly communication: string | null
  readonly steps: readonly number[]
  readonly waits_ns: readonly number[]
  readonly moves_ns: readonly number[]
  readonly late: readonly LateRank[]
  readonly run: string | null
  readonly worker: string | null
  readonly waited_for: readonly number[]
  readonly wait_ns: number | null
  readonly transfer_ns: number | null
  readonly is_mostly_waiting: boolean
  readonly clock: OwnClock | null
}

/** Who comes late: a rank, a stage, a host, or several at once. */
export interface LateRank {
  readonly title: string
  readonly why: string
  readonly is_replayed: boolean
  readonly gain_ns: readonly number[]
}

/** A time t of the profile is t - `ahead_ns` - `drift` x (t - `at_ns`) on the job's clock, since the job's base. */
export interface OwnClock {
  readonly clock: string
  readonly at_ns: number
  readonly ahead_ns: number
  readonly drift: number
  readonly error_ns: number
}

/**
 * `values` and `ranks` have a list a row. A value is None where nothing was recorded, a rank where no one rank is meant.
 *
 * `reason`: why there is nothing to show.
 */
export interface RanksMatrix {
  readonly run: string | null
  readonly measure: 'excess' | 'own' | 'step' | 'wait' | 'caused' | 'transfer' | 'untold' | 'computation' | 'copy' | 'idle' | 'loader' | 'bubble' | 'received' | 'memory' | 'rate' | 'link'
  readonly axes: 'step' | 'host' | 'place' | 'kind' | 'dimension' | 'link'
  readonly unit: 'ns' | 'count' | 'bytes' | 'bytes_per_s' | 'percent'
  readonly least_told_ns: number | null
  readonly reason: string | null
  readonly row_title: string
  readonly column_title: string
  readonly rows: readonly string[]
  readonly columns: readonly string[]
  readonly values: readonly (readonly (number | null)[])[]
  readonly ranks: readonly (readonly (number | null)[])[]
  readonly middle: readonly (number | null)[]
  readonly hundred: readonly (number | null)[]
}

/** `reason`: why there are no blocks. `choices` with the longest bubble first. */
export interface MicroBatches {
  readonly run: string | null
  readonly step: number | null
  readonly steps: readonly number[]
  readonly choices: readonly PipelineChoice[]
  readonly window_ns: number
  readonly n_chunks: number
  readonly rows: readonly PipelineRow[]
  readonly blocks: MicroBlocks
  readonly ideal: MicroBlocks | null
  readonly ideal_ns: number | null
  readonly notes: readonly string[]
  readonly reason: string | null
}

/** A pipeline that can be shown. `rank`: of its first stage. */
export interface PipelineChoice {
  readonly rank: number
  readonly title: string
  readonly bubble_ns: number
  readonly bubble_share: number
}

/**
 * A stage. `zero_ns`: where in its rank's own profile the window begins; `bubble_ns`, `computation_ns` None: not known of the
 * step. `is_told`: all of its blocks are, so that what none covers is bubble.
 */
export interface PipelineRow {
  readonly stage: number
  readonly rank: number
  readonly worker: string
  readonly span: string
  readonly zero_ns: number
  readonly bubble_ns: number | null
  readonly computation_ns: number | null
  readonly is_told: boolean
}

/**
 * One value a block; `forward`, `backward`: which micro-batch, by the order in which they are passed on; -1: not in it.
 * `forward_wait_ns`, `backward_wait_ns` None: not in it, or not known.
 */
export interface MicroBlocks {
  readonly row: readonly number[]
  readonly name: readonly string[]
  readonly forward: readonly number[]
  readonly backward: readonly number[]
  readonly forward_chunk: readonly number[]
  readonly backward_chunk: readonly number[]
  readonly start_ns: readonly number[]
  readonly end_ns: readonly number[]
  readonly computing_ns: readonly number[]
  readonly forward_wait_ns: readonly (number | null)[]
  readonly backward_wait_ns: readonly (number | null)[]
}

/**
 * In the order of time. Of more than there is room for, the longest: `n_instances` says how many there are.
 *
 * `reason`: why there is none.
 */
export interface RankInstances {
  readonly run: string | null
  readonly n_instances: number
  readonly reason: string | null
  readonly rows: readonly InstanceRow[]
}

/** `differs`: in what the two jobs are not alike. `reason`: why there are no rows. Spans are of the first rank of either. */
export interface RanksBeside {
  readonly run: string | null
  readonly span: string | null
  readonly beside: string
  readonly beside_span: string | null
  readonly by: 'dimension' | 'rank'
  readonly clock_error_ns: number | null
  readonly differs: readonly string[]
  readonly reason: string | null
  readonly rows: readonly BesideRow[]
}

/** One time of one step, in both; no row where both are 0. None: not recorded there, or there is no such dimension or rank. */
export interface BesideRow {
  readonly of: string
  readonly time: string
  readonly run_ns: number | null
  readonly beside_ns: number | null
  readonly change_ns: number | null
}

/**
 * Means over steps of the job. `reason`: why nothing can be told. `notes`: why not for a row.
 *
 * `forms`: edits of what this job has; without an edit that is all.
 */
export interface RanksWhatIf {
  readonly run: string | null
  readonly reason: string | null
  readonly notes: readonly string[]
  readonly clock_error_ns: number | null
  readonly ideal_ns: number | null
  readonly slowdown: number | null
  readonly is_slowdown_least: boolean
  readonly ideal_steps: string | null
  readonly rows: readonly ReplayedRow[]
  readonly forms: readonly string[]
}

/**
 * One edit, replayed alone; the last row all of them at once. None: `notes` says why it cannot be told.
 *
 * `would_be_least_ns`: were what is not told apart all waiting; `would_be_ns` and `change_ns`: were none of it,
 * and were a rank that is not recorded here as late.
 */
export interface ReplayedRow {
  readonly edit: string
  readonly was_ns: number
  readonly would_be_least_ns: number | null
  readonly would_be_ns: number | null
  readonly change_ns: number | null
  readonly slowdown: number | null
}

/** The wall shares of all calls in a step sum to the first of its `uses`. */
export interface ProfileSums {
  readonly recorded: RecordedAs
  readonly unit: 'step' | 'range' | 'recording'
  readonly per: string
  readonly basis: 'device' | 'host'
  readonly n_incomplete: number
  readonly not_recorded: readonly string[]
  readonly steps: readonly OneStep[]
  readonly calls: readonly CallSums[]
  readonly lines: readonly LineSums[]
  readonly n_folded: number
  readonly undisturbed_ns: number | null
}

/** How and where it was recorded. None is "not recorded". */
export interface RecordedAs {
  readonly source: string
  readonly device: string | null
  readonly n_devices: number
  readonly rank: number | null
  readonly world_size: number | null
  readonly torch_version: string | null
  readonly runtime: string | null
  readonly has_operators: boolean
  readonly has_stacks: boolean
  readonly has_shapes: boolean
  readonly has_memory: boolean
  readonly batch_elements: number | null
  readonly is_compiled: boolean
  readonly has_graphs: boolean
  readonly unlinked_share: number
  readonly is_cut_off: boolean
  readonly issues: readonly string[]
  readonly base_ns: number | null
}

/** One step, occurrence, or the recording. `parts` (PARTS of the overview) sum to it; so do `uses`. */
export interface OneStep {
  readonly number: number
  readonly kind: number
  readonly start_ns: number
  readonly duration_ns: number
  readonly parts: readonly number[]
  readonly uses: readonly number[]
  readonly exposed_communication_ns: number
}

/** An outermost operator with the same module, shapes and types; without operator: work whose launch is not in the file. */
export interface CallSums {
  readonly module: string
  readonly operator: string
  readonly name: string
  readonly shapes: string
  readonly types: string
  readonly calls: readonly number[]
  readonly first_ns: number
  readonly longest_ns: number
  readonly longest_for_ns: number
  readonly flops: number | null
  readonly bytes: number | null
  readonly kernels: readonly KernelSums[]
}

/** A place of the host that the devices waited for: a line of Python, or without stacks an operator or a range. */
export interface LineSums {
  readonly text: string
  readonly inside: string
  readonly idle_ns: readonly number[]
  readonly longest_ns: number | null
  readonly longest_for_ns: number | null
}

/** Device work of one name within a call. `wall_ns`: of each step, an instant shared by n counts 1/n. */
export interface KernelSums {
  readonly name: string
  readonly category: string
  readonly count: number
  readonly total_ns: number
  readonly wall_ns: readonly number[]
}

/** One profile as a point of a trend: at most 4 kB. Per step are means over the complete steps. None is "not recorded". */
export interface SpanFigures {
  readonly recorded: RecordedAs
  readonly began_ns: number | null
  readonly last_step: number | null
  readonly n_steps: number
  readonly n_incomplete: number
  readonly steps_ns: readonly number[]
  readonly step_ns: number | null
  readonly p5_ns: number | null
  readonly p95_ns: number | null
  readonly mean_ns: number | null
  readonly parts_ns: readonly number[]
  readonly busy_share: number | null
  readonly waiting_for_host_ns: number | null
  readonly exposed_communication_ns: number | null
  readonly data_loader_ns: number | null
  readonly peak_bytes: number | null
  readonly reserved_bytes: number | null
  readonly kernels: number | null
  readonly launches: number | null
  readonly mfu: number | null
}

/** For questions that need nothing but the profile. */
export type NoParams = Readonly<Record<string, never>>

/** What is asked of a profile and answered in JSON: what it takes besides the profile, and the reply. */
export interface Questions {
  readonly 'view/runs': { readonly params: RunsParams; readonly reply: JointReply<RunsTable> }
  readonly 'view/overview': { readonly params: OverviewParams & JobParams; readonly reply: ViewReply<Overview> }
  readonly 'view/timeline': { readonly params: NoParams; readonly reply: ViewReply<TimelineTracks> }
  readonly 'view/operators': { readonly params: OperatorsParams; readonly reply: ViewReply<Operators> }
  readonly 'view/kernels': { readonly params: KernelsParams; readonly reply: ViewReply<Kernels> }
  readonly 'view/roofline': { readonly params: RooflineParams; readonly reply: ViewReply<Roofline> }
  readonly 'view/modules': { readonly params: ModulesParams; readonly reply: ViewReply<Modules> }
  readonly 'view/memory': { readonly params: MemoryParams; readonly reply: ViewReply<MemoryUse> }
  readonly 'view/ranks': { readonly params: RanksParams; readonly reply: JointReply<RanksTable> }
  readonly 'view/advice': { readonly params: AdviceParams & JobParams; readonly reply: ViewReply<Advice> }
  readonly 'view/whatif': { readonly params: WhatIfParams; readonly reply: ViewReply<WhatIf> }
  readonly 'view/compare': { readonly params: CompareParams; readonly reply: JointReply<Comparison> }
  readonly 'view/trends': { readonly params: TrendsParams; readonly reply: JointReply<Trends> }
  readonly 'view/sql': { readonly params: SqlParams; readonly reply: ViewReply<SqlAnswer> }
  readonly 'choices': { readonly params: NoParams; readonly reply: Choices }
  readonly 'view/runs/summary': { readonly params: NoParams; readonly reply: ViewReply<SpanSummary> }
  readonly 'view/timeline/event': { readonly params: EventParams; readonly reply: TimelineEvent }
  readonly 'view/timeline/area': { readonly params: AreaParams; readonly reply: TimelineArea }
  readonly 'view/timeline/calls': { readonly params: CallsParams; readonly reply: TimelineCalls }
  readonly 'view/timeline/values': { readonly params: ValuesParams; readonly reply: TimelineValues }
  readonly 'view/timeline/search': { readonly params: SearchParams; readonly reply: TimelineSearch }
  readonly 'view/timeline/hits': { readonly params: HitsParams; readonly reply: TimelineHits }
  readonly 'view/operators/details': { readonly params: OperatorDetailsParams; readonly reply: OperatorDetails }
  readonly 'view/kernels/details': { readonly params: KernelDetailsParams; readonly reply: KernelDetails }
  readonly 'view/memory/allocations': { readonly params: AllocationsParams; readonly reply: MemoryAllocations }
  readonly 'view/ranks/rank_summary': { readonly params: NoParams; readonly reply: ViewReply<RankSummary> }
  readonly 'view/ranks/lanes': { readonly params: LanesParams; readonly reply: JointReply<RankLanes> }
  readonly 'view/ranks/collective': { readonly params: CollectiveParams; readonly reply: JointReply<OneCollective> }
  readonly 'view/ranks/rank': { readonly params: OneRankParams; readonly reply: JointReply<OneRank> }
  readonly 'view/ranks/in_job': { readonly params: InJobParams; readonly reply: JointReply<InJob> }
  readonly 'view/ranks/matrix': { readonly params: MatrixParams; readonly reply: JointReply<RanksMatrix> }
  readonly 'view/ranks/micro_batches': { readonly params: MicroBatchesParams; readonly reply: JointReply<MicroBatches> }
  readonly 'view/ranks/instances': { readonly params: InstancesParams; readonly reply: JointReply<RankInstances> }
  readonly 'view/ranks/beside': { readonly params: BesideParams; readonly reply: JointReply<RanksBeside> }
  readonly 'view/ranks/what_if': { readonly params: RanksWhatIfParams; readonly reply: JointReply<RanksWhatIf> }
  readonly 'view/compare/sums': { readonly params: SumsParams; readonly reply: ViewReply<ProfileSums> }
  readonly 'view/trends/span': { readonly params: NoParams; readonly reply: ViewReply<SpanFigures> }
}
