// Generated from the Structs and definitions.md of tb_plugin/views/ranks by `python -m tb_plugin.doors.wire`. Do not edit.
import * as define from './definitions'

export const DIMENSION_ROW = {
  name: { title: "Dimension", kind: "text", definition: define.name },
  n_groups: { title: "Groups", kind: "count", definition: define.n_groups },
  n_instances: { title: "Matched", kind: "count", sums: true, definition: define.n_instances },
  n_incomplete: { title: "Incomplete", kind: "count", sums: true, definition: define.n_incomplete },
  exposed_wait_ns: { title: "Exposed wait", kind: "ns", sums: true, definition: define.exposed_wait_ns },
  exposed_transfer_ns: { title: "Exposed transfer", kind: "ns", sums: true, definition: define.exposed_transfer_ns },
  exposed_untold_ns: { title: "Not told apart", kind: "ns", sums: true, definition: define.exposed_untold_ns },
  exposed_ns: { title: "Exposed", kind: "ns", sums: true, definition: define.exposed_ns },
  hidden_transfer_share: { title: "Transfer hidden", kind: "share", definition: define.hidden_transfer_share },
  wait_ns: { title: "Wait, summed", kind: "ns", definition: define.dimensions_wait_ns },
  transfer_ns: { title: "Transfer, summed", kind: "ns", definition: define.transfer_ns },
  untold_ns: { title: "Not told apart, summed", kind: "ns", definition: define.untold_ns },
  inside_bytes_per_s: { title: "Bus rate in host", kind: "bytes_per_s", definition: define.inside_bytes_per_s },
  between_bytes_per_s: { title: "Bus rate between", kind: "bytes_per_s", definition: define.between_bytes_per_s },
  longest_took_ns: { title: "Longest", kind: "ns", definition: define.longest_took_ns },
} as const

export const RANK_ROW = {
  rank: { title: "Rank", kind: "count", definition: define.rank },
  host: { title: "Host", kind: "text", definition: define.host },
  stage: { title: "Stage", kind: "count", absent: "none", definition: define.stage },
  replica: { title: "Replica", kind: "count", absent: "none", definition: define.replica },
  n_steps: { title: "Steps", kind: "count", definition: define.n_steps },
  step_ns: { title: "Step", kind: "ns", definition: define.step_ns },
  own_ns: { title: "Own time", kind: "ns", definition: define.own_ns },
  excess_ns: { title: "More than peers", kind: "ns", definition: define.excess_ns },
  computation_ns: { title: "Computation", kind: "ns", definition: define.computation_ns },
  wait_ns: { title: "Exposed wait", kind: "ns", definition: define.wait_ns },
  transfer_ns: { title: "Exposed transfer", kind: "ns", definition: define.transfer_ns },
  untold_ns: { title: "Not told apart", kind: "ns", definition: define.untold_ns },
  copy_ns: { title: "Copy", kind: "ns", definition: define.copy_ns },
  idle_ns: { title: "Idle", kind: "ns", definition: define.idle_ns },
  loader_ns: { title: "Loader", kind: "ns", definition: define.loader_ns },
  bubble_ns: { title: "Bubble", kind: "ns", absent: "none", definition: define.bubble_ns },
  received: { title: "Received rows", kind: "count", absent: "none", definition: define.received },
  n_last: { title: "Came last", kind: "count", sums: true, definition: define.n_last },
  caused_least_ns: { title: "Caused wait, least", kind: "ns", sums: true, definition: define.caused_least_ns },
  caused_most_ns: { title: "Caused wait, most", kind: "ns", sums: true, definition: define.caused_most_ns },
  all_computation_ns: { title: "Computation of the file", kind: "ns", sums: true, definition: define.all_computation_ns },
  all_communication_ns: { title: "Communication of the file", kind: "ns", sums: true, definition: define.all_communication_ns },
  all_overlap_ns: { title: "Both at once", kind: "ns", sums: true, definition: define.all_overlap_ns },
} as const

export const JOB_STEP_ROW = {
  number: { title: "Step", kind: "count", definition: define.number },
  shortest_ns: { title: "Shortest", kind: "ns", definition: define.shortest_ns },
  longest_ns: { title: "Longest", kind: "ns", definition: define.longest_ns },
  path_ns: { title: "Path", kind: "ns", absent: "not known", definition: define.steps_path_ns },
  last_rank: { title: "Ends last", kind: "count", definition: define.steps_last_rank },
} as const

export const COLLECTIVE_ROW = {
  dimension: { title: "Dimension", kind: "text", definition: define.dimension },
  kind: { title: "Kind", kind: "text", definition: define.kind },
  n_ranks: { title: "Ranks", kind: "count", definition: define.collectives_n_ranks },
  bytes: { title: "Size", kind: "bytes", definition: define.bytes },
  n_instances: { title: "Matched", kind: "count", sums: true, definition: define.n_instances },
  wait_ns: { title: "Wait, summed", kind: "ns", sums: true, definition: define.collectives_wait_ns },
  transfer_ns: { title: "Transfer, summed", kind: "ns", sums: true, definition: define.transfer_ns },
  untold_ns: { title: "Not told apart, summed", kind: "ns", sums: true, definition: define.untold_ns },
  exposed_wait_ns: { title: "Exposed wait, summed", kind: "ns", sums: true, definition: define.collectives_exposed_wait_ns },
  exposed_transfer_ns: { title: "Exposed transfer, summed", kind: "ns", sums: true, definition: define.collectives_exposed_transfer_ns },
  exposed_untold_ns: { title: "Exposed, not told apart, summed", kind: "ns", sums: true, definition: define.exposed_untold_ns },
  median_transfer_ns: { title: "Transfer, median", kind: "ns", definition: define.median_transfer_ns },
  bus_bytes_per_s: { title: "Bus rate", kind: "bytes_per_s", definition: define.bus_bytes_per_s },
  low_bus_bytes_per_s: { title: "Bus rate, 5 %", kind: "bytes_per_s", definition: define.low_bus_bytes_per_s },
  last_rank: { title: "Most often last", kind: "count", definition: define.collectives_last_rank },
  last_share: { title: "Of those late", kind: "share", definition: define.last_share },
  n_late: { title: "Somebody late", kind: "count", sums: true, definition: define.n_late },
  n_mismatches: { title: "Mismatches", kind: "count", sums: true, definition: define.n_mismatches },
  longest_took_ns: { title: "Longest", kind: "ns", definition: define.longest_took_ns },
} as const

export const LINK_ROW = {
  hosts: { title: "Hosts", kind: "text", definition: define.links_hosts },
  dimension: { title: "Dimension", kind: "text", definition: define.dimension },
  kind: { title: "Kind", kind: "text", definition: define.kind },
  pair: { title: "Of ranks", kind: "text", absent: "all", definition: define.pair },
  steps: { title: "In steps", kind: "text", absent: "all", definition: define.links_steps },
  n_ranks: { title: "Ranks", kind: "count", definition: define.links_n_ranks },
  n_instances: { title: "Matched", kind: "count", sums: true, definition: define.n_instances },
  bus_bytes_per_s: { title: "Bus rate", kind: "bytes_per_s", definition: define.bus_bytes_per_s },
  rate_is: { title: "Rate is", kind: "text", definition: define.rate_is },
  of_usual_share: { title: "Of usual", kind: "share", absent: "nothing to compare", definition: define.of_usual_share },
  longest_took_ns: { title: "Longest transfer", kind: "ns", definition: define.links_longest_took_ns },
} as const

export const HOST_ROW = {
  host: { title: "Host", kind: "text", definition: define.host },
  n_ranks: { title: "Ranks", kind: "count", sums: true, definition: define.hosts_n_ranks },
  component: { title: "Tied to", kind: "count", definition: define.component },
  offset_ns: { title: "Clock offset", kind: "ns", definition: define.offset_ns },
  drift_ppm: { title: "Drift, ppm", kind: "number", definition: define.drift_ppm },
  drift_error_ppm: { title: "Drift error, ppm", kind: "number", definition: define.drift_error_ppm },
  error_ns: { title: "Error", kind: "ns", definition: define.error_ns },
} as const

export const STAGE_ROW = {
  stage: { title: "Stage", kind: "count", definition: define.stage },
  n_ranks: { title: "Ranks", kind: "count", sums: true, definition: define.stages_n_ranks },
  computation_ns: { title: "Computation", kind: "ns", definition: define.stages_computation_ns },
  imbalance_share: { title: "Over the mean", kind: "share", definition: define.imbalance_share },
  busy_ns: { title: "Busy", kind: "ns", definition: define.busy_ns },
  warm_up_ns: { title: "Warm-up", kind: "ns", definition: define.warm_up_ns },
  steady_ns: { title: "Steady", kind: "ns", definition: define.steady_ns },
  drain_ns: { title: "Drain", kind: "ns", definition: define.drain_ns },
  bubble_ns: { title: "Bubble", kind: "ns", definition: define.bubble_ns },
  bubble_share: { title: "Of the window", kind: "share", definition: define.bubble_share },
  most_bubble_ns: { title: "Longest bubble", kind: "ns", definition: define.most_bubble_ns },
} as const

export const PATH_ROW = {
  what: { title: "What", kind: "text", definition: define.what },
  rank: { title: "Rank", kind: "count", absent: "several ranks", definition: define.path_rank },
  path_ns: { title: "A step", kind: "ns", sums: true, definition: define.path_ns },
  path_share: { title: "Of the path", kind: "share", sums: true, definition: define.path_share },
  longest_piece_ns: { title: "Longest at once", kind: "ns", absent: "on several", definition: define.longest_piece_ns },
} as const

export const RANK_STEP_ROW = {
  number: { title: "Step", kind: "count", definition: define.number },
  step_ns: { title: "Length", kind: "ns", definition: define.rank_step_ns },
  wait_ns: { title: "Exposed wait", kind: "ns", definition: define.wait_ns },
  untold_ns: { title: "Not told apart", kind: "ns", definition: define.untold_ns },
  own_ns: { title: "Own time", kind: "ns", definition: define.own_ns },
  work_ns: { title: "Own work", kind: "ns", definition: define.work_ns },
  peers_work_ns: { title: "Peers, median", kind: "ns", definition: define.peers_work_ns },
  excess_ns: { title: "More than peers", kind: "ns", definition: define.excess_ns },
  peers_least_ns: { title: "Peers, least", kind: "ns", definition: define.peers_least_ns },
  peers_most_ns: { title: "Peers, most", kind: "ns", definition: define.peers_most_ns },
  pause_ns: { title: "Longest gap", kind: "ns", definition: define.pause_ns },
  pause_event: { title: "The host in it", kind: "text", definition: define.pause_event },
} as const

export const RANK_PART_ROW = {
  part: { title: "Part", kind: "text", definition: define.part },
  mine_ns: { title: "This rank", kind: "ns", definition: define.mine_ns },
  peers_ns: { title: "Peers, median", kind: "ns", definition: define.peers_ns },
  more_ns: { title: "More", kind: "ns", definition: define.more_ns },
} as const

export const RANK_DIMENSION_ROW = {
  dimension: { title: "Dimension", kind: "text", definition: define.dimension },
  n_collectives: { title: "Collectives", kind: "count", sums: true, definition: define.n_collectives },
  exposed_wait_ns: { title: "Exposed wait", kind: "ns", sums: true, definition: define.exposed_wait_ns },
  exposed_transfer_ns: { title: "Exposed transfer", kind: "ns", sums: true, definition: define.exposed_transfer_ns },
  exposed_untold_ns: { title: "Not told apart", kind: "ns", sums: true, definition: define.exposed_untold_ns },
  wait_ns: { title: "Wait, all", kind: "ns", sums: true, definition: define.dimensions_wait_ns },
  transfer_ns: { title: "Transfer, all", kind: "ns", sums: true, definition: define.transfer_ns },
  untold_ns: { title: "Not told apart, all", kind: "ns", sums: true, definition: define.untold_ns },
} as const

export const WAITED_FOR_ROW = {
  last_rank: { title: "Waited for rank", kind: "count", definition: define.rank_last_rank },
  n_collectives: { title: "Collectives", kind: "count", sums: true, definition: define.waits_for_n_collectives },
  wait_ns: { title: "Wait, all", kind: "ns", sums: true, definition: define.waits_for_wait_ns },
  longest_took_ns: { title: "Longest", kind: "ns", definition: define.waits_for_longest_took_ns },
} as const

export const MORE_KERNEL_ROW = {
  kernel: { title: "Kernel", kind: "text", definition: define.kernel },
  why: { title: "Why", kind: "text", definition: define.why },
  shape: { title: "Shape", kind: "text", absent: "–", definition: define.shape },
  peers_shape: { title: "Peers, shape", kind: "text", absent: "–", definition: define.peers_shape },
  more_ns: { title: "More, all calls", kind: "ns", definition: define.kernels_more_ns },
  n_calls: { title: "Calls", kind: "count", definition: define.n_calls },
  peers_calls: { title: "Peers, calls", kind: "count", definition: define.peers_calls },
  median_ns: { title: "Median", kind: "ns", definition: define.median_ns },
  peers_median_ns: { title: "Peers, median", kind: "ns", definition: define.peers_median_ns },
} as const

export const INSTANCE_ROW = {
  at_ns: { title: "At", kind: "ns", definition: define.at_ns },
  step: { title: "Step", kind: "count", absent: "in no step", definition: define.instances_step },
  dimension: { title: "Dimension", kind: "text", definition: define.dimension },
  kind: { title: "Kind", kind: "text", definition: define.kind },
  n_ranks: { title: "Ranks", kind: "count", definition: define.instances_n_ranks },
  bytes: { title: "Size", kind: "bytes", definition: define.bytes },
  wait_ns: { title: "Longest wait", kind: "ns", definition: define.instances_wait_ns },
  transfer_ns: { title: "Transfer", kind: "ns", definition: define.transfer_ns },
  last_rank: { title: "Came last", kind: "count", absent: "none", definition: define.instances_last_rank },
  lasts_ns: { title: "Lasts", kind: "ns", definition: define.lasts_ns },
} as const

export const BESIDE_ROW = {
  of: { title: "Of", kind: "text", definition: define.of },
  time: { title: "Time a step", kind: "text", definition: define.time },
  run_ns: { title: "Run", kind: "ns", definition: define.run_ns },
  beside_ns: { title: "Beside", kind: "ns", definition: define.beside_ns },
  change_ns: { title: "Beside less run", kind: "ns", definition: define.change_ns },
} as const

export const REPLAYED_ROW = {
  edit: { title: "What if", kind: "text", definition: define.edit },
  was_ns: { title: "Step", kind: "ns", definition: define.was_ns },
  would_be_least_ns: { title: "Would be, least", kind: "ns", absent: "cannot be told", definition: define.would_be_least_ns },
  would_be_ns: { title: "Would be", kind: "ns", absent: "cannot be told", definition: define.would_be_ns },
  change_ns: { title: "Change", kind: "ns", absent: "cannot be told", definition: define.what_if_change_ns },
  slowdown: { title: "Times the ideal", kind: "number", absent: "cannot be told", definition: define.what_if_slowdown },
} as const
