// Generated from the Structs and definitions.md of tb_plugin/views/ranks by `python -m tb_plugin.doors.wire`. Do not edit.
import { rowOf } from '../../widgets/table/column'
import * as define from './definitions'

export const DIMENSION_ROW = /* @__PURE__ */ rowOf('ranks', {
  name: { title: "Dimension" },
  n_groups: { title: "Groups" },
  n_instances: { title: "Collectives", sums: true },
  n_incomplete: { title: "Lack a member", sums: true },
  exposed_wait_ns: { title: "Exposed wait", sums: true },
  exposed_transfer_ns: { title: "Exposed transfer", sums: true },
  exposed_untold_ns: { title: "Not told apart", sums: true },
  exposed_ns: { title: "Exposed", sums: true },
  hidden_transfer_share: { title: "Transfer hidden" },
  wait_ns: { title: "Wait, summed", definition: define.dimensions_wait_ns },
  transfer_ns: { title: "Transfer, summed" },
  untold_ns: { title: "Not told apart, summed" },
  inside_bytes_per_s: { title: "Bus rate in host", kind: "bytes_per_s" },
  between_bytes_per_s: { title: "Bus rate between", kind: "bytes_per_s" },
  longest_took_ns: { title: "Longest", definition: define.longest_took_ns },
})

export const RANK_ROW = /* @__PURE__ */ rowOf('ranks', {
  rank: { title: "Rank", kind: "count" },
  host: { title: "Host" },
  stage: { title: "Stage", kind: "count", absent: "none" },
  replica: { title: "Replica", kind: "count", absent: "none" },
  n_steps: { title: "Steps" },
  step_ns: { title: "Step" },
  own_ns: { title: "Own time" },
  excess_ns: { title: "More than peers" },
  computation_ns: { title: "Computation" },
  wait_ns: { title: "Exposed wait" },
  transfer_ns: { title: "Exposed transfer" },
  untold_ns: { title: "Not told apart" },
  copy_ns: { title: "Copy" },
  idle_ns: { title: "Idle" },
  loader_ns: { title: "Loader" },
  bubble_ns: { title: "Bubble", absent: "none" },
  received: { title: "Received rows", kind: "count", absent: "none" },
  peak_bytes: { title: "Memory peak" },
  n_last: { title: "Came last", sums: true },
  caused_least_ns: { title: "Caused wait, least", sums: true },
  caused_most_ns: { title: "Caused wait, most", sums: true },
  all_computation_ns: { title: "Computation of the file", sums: true },
  all_communication_ns: { title: "Communication of the file", sums: true },
  all_overlap_ns: { title: "Both at once", sums: true },
  why_absent: { title: "Why no figures", absent: "–", definition: define.why_absent },
})

export const JOB_STEP_ROW = /* @__PURE__ */ rowOf('ranks', {
  number: { title: "Step", kind: "count" },
  shortest_ns: { title: "Shortest" },
  longest_ns: { title: "Longest" },
  path_ns: { title: "Path", absent: "not known", definition: define.steps_path_ns },
  last_rank: { title: "Ends last", kind: "count", definition: define.steps_last_rank },
})

export const COLLECTIVE_ROW = /* @__PURE__ */ rowOf('ranks', {
  dimension: { title: "Dimension" },
  kind: { title: "Kind" },
  n_ranks: { title: "Ranks", definition: define.collectives_n_ranks },
  bytes: { title: "Size", kind: "bytes" },
  n_instances: { title: "Count", sums: true },
  wait_ns: { title: "Wait, summed", sums: true, definition: define.collectives_wait_ns },
  transfer_ns: { title: "Transfer, summed", sums: true },
  untold_ns: { title: "Not told apart, summed", sums: true },
  exposed_wait_ns: { title: "Exposed wait, summed", sums: true, definition: define.collectives_exposed_wait_ns },
  exposed_transfer_ns: { title: "Exposed transfer, summed", sums: true, definition: define.collectives_exposed_transfer_ns },
  exposed_untold_ns: { title: "Exposed, not told apart, summed", sums: true },
  median_transfer_ns: { title: "Transfer, median" },
  bus_bytes_per_s: { title: "Bus rate", kind: "bytes_per_s" },
  low_bus_bytes_per_s: { title: "Bus rate, 5 %", kind: "bytes_per_s" },
  least_bus_bytes_per_s: { title: "Bus rate at least", kind: "bytes_per_s" },
  last_rank: { title: "Most often last", kind: "count", definition: define.collectives_last_rank },
  last_share: { title: "Of those late" },
  n_late: { title: "Somebody late", sums: true },
  n_mismatches: { title: "Mismatches", sums: true },
  longest_took_ns: { title: "Longest", definition: define.longest_took_ns },
})

export const LINK_ROW = /* @__PURE__ */ rowOf('ranks', {
  hosts: { title: "Hosts", definition: define.links_hosts },
  dimension: { title: "Dimension" },
  kind: { title: "Kind" },
  pair: { title: "Of ranks", absent: "all" },
  steps: { title: "In steps", absent: "all", definition: define.links_steps },
  n_ranks: { title: "Ranks", definition: define.links_n_ranks },
  n_instances: { title: "Count", sums: true },
  bus_bytes_per_s: { title: "Bus rate", kind: "bytes_per_s" },
  rate_is: { title: "Rate is" },
  of_usual_share: { title: "Of usual", absent: "nothing to compare" },
  longest_took_ns: { title: "Longest transfer", definition: define.links_longest_took_ns },
})

export const HOST_ROW = /* @__PURE__ */ rowOf('ranks', {
  host: { title: "Host" },
  n_ranks: { title: "Ranks", sums: true, definition: define.hosts_n_ranks },
  component: { title: "Tied to", kind: "count" },
  offset_ns: { title: "Clock offset" },
  drift_ppm: { title: "Drift, ppm", kind: "number" },
  drift_error_ppm: { title: "Drift error, ppm", kind: "number" },
  error_ns: { title: "Error" },
})

export const STAGE_ROW = /* @__PURE__ */ rowOf('ranks', {
  stage: { title: "Stage", kind: "count" },
  n_ranks: { title: "Ranks", sums: true, definition: define.stages_n_ranks },
  computation_ns: { title: "Computation", definition: define.stages_computation_ns },
  imbalance_share: { title: "Over the mean" },
  busy_ns: { title: "Busy" },
  warm_up_ns: { title: "Warm-up" },
  steady_ns: { title: "Steady" },
  drain_ns: { title: "Drain" },
  bubble_ns: { title: "Bubble" },
  bubble_share: { title: "Of the window" },
  most_bubble_ns: { title: "Longest bubble" },
})

export const PATH_ROW = /* @__PURE__ */ rowOf('ranks', {
  what: { title: "What" },
  rank: { title: "Rank", kind: "count", absent: "several ranks", definition: define.path_rank },
  path_ns: { title: "A step", sums: true },
  path_share: { title: "Of the path", sums: true },
  longest_piece_ns: { title: "Longest at once", absent: "on several" },
})

export const RANK_STEP_ROW = /* @__PURE__ */ rowOf('ranks', {
  number: { title: "Step", kind: "count" },
  step_ns: { title: "Length", definition: define.rank_step_ns },
  wait_ns: { title: "Exposed wait" },
  untold_ns: { title: "Not told apart" },
  own_ns: { title: "Own time" },
  work_ns: { title: "Own work" },
  peers_work_ns: { title: "Peers, median" },
  excess_ns: { title: "More than peers" },
  peers_least_ns: { title: "Peers, least" },
  peers_most_ns: { title: "Peers, most" },
  pause_ns: { title: "Longest gap" },
  pause_event: { title: "The host in it" },
})

export const RANK_PART_ROW = /* @__PURE__ */ rowOf('ranks', {
  part: { title: "Part" },
  mine_ns: { title: "This rank" },
  peers_ns: { title: "Peers, median" },
  more_ns: { title: "More" },
})

export const RANK_DIMENSION_ROW = /* @__PURE__ */ rowOf('ranks', {
  dimension: { title: "Dimension" },
  n_collectives: { title: "Collectives", sums: true },
  exposed_wait_ns: { title: "Exposed wait", sums: true },
  exposed_transfer_ns: { title: "Exposed transfer", sums: true },
  exposed_untold_ns: { title: "Not told apart", sums: true },
  wait_ns: { title: "Wait, all", sums: true, definition: define.dimensions_wait_ns },
  transfer_ns: { title: "Transfer, all", sums: true },
  untold_ns: { title: "Not told apart, all", sums: true },
})

export const WAITED_FOR_ROW = /* @__PURE__ */ rowOf('ranks', {
  last_ranks: { title: "Waited for ranks", definition: define.rank_last_ranks },
  n_collectives: { title: "Collectives", sums: true, definition: define.waits_for_n_collectives },
  wait_ns: { title: "Wait, all", definition: define.waits_for_wait_ns },
  longest_took_ns: { title: "Longest", definition: define.waits_for_longest_took_ns },
})

export const MORE_KERNEL_ROW = /* @__PURE__ */ rowOf('ranks', {
  kernel: { title: "Kernel" },
  why: { title: "Why" },
  shape: { title: "Shape", absent: "–" },
  peers_shape: { title: "Peers, shape", absent: "–" },
  more_ns: { title: "More, all calls", definition: define.kernels_more_ns },
  n_calls: { title: "Calls" },
  peers_calls: { title: "Peers, calls", kind: "count" },
  median_ns: { title: "Median" },
  peers_median_ns: { title: "Peers, median" },
})

export const INSTANCE_ROW = /* @__PURE__ */ rowOf('ranks', {
  at_ns: { title: "At" },
  step: { title: "Step", kind: "count", absent: "in no step", definition: define.instances_step },
  dimension: { title: "Dimension" },
  kind: { title: "Kind" },
  group: { title: "Group" },
  sequence: { title: "Seq", kind: "count" },
  members: { title: "Members" },
  n_ranks: { title: "Ranks", definition: define.instances_n_ranks },
  bytes: { title: "Size", kind: "bytes" },
  wait_ns: { title: "Longest wait", definition: define.instances_wait_ns },
  transfer_ns: { title: "Transfer" },
  last_ranks: { title: "Came last", definition: define.instances_last_ranks },
  lasts_ns: { title: "Lasts" },
})

export const BESIDE_ROW = /* @__PURE__ */ rowOf('ranks', {
  of: { title: "Of" },
  time: { title: "Time a step" },
  run_ns: { title: "Run" },
  beside_ns: { title: "Beside" },
  change_ns: { title: "Beside less run" },
})

export const REPLAYED_ROW = /* @__PURE__ */ rowOf('ranks', {
  edit: { title: "What if" },
  was_ns: { title: "Step" },
  would_be_least_ns: { title: "Would be, least", absent: "cannot be told" },
  would_be_ns: { title: "Would be", absent: "cannot be told" },
  change_ns: { title: "Change", absent: "cannot be told", definition: define.what_if_change_ns },
  slowdown: { title: "Times the ideal", kind: "number", absent: "cannot be told", definition: define.what_if_slowdown },
})
