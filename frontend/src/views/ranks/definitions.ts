// Generated from tb_plugin/views/ranks/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const by =
  "Which table the terminal and CSV show."
export const run =
  "The run that is shown: the one asked for, or that with the newest profile."
export const n_ranks =
  "Ranks that are joined, of how many the job had, and which ones are not here; of a row, its ranks."
export const world_size = n_ranks
export const missing_ranks = n_ranks
export const layout =
  "Size of each dimension whose groups were recorded."
export const sentences =
  "How long a step is and where it goes, what is slow, who is waited for and why."
export const other_spans =
  "Spans of the first rank's worker that are older recordings of these ranks. None where a span was asked for. By default the recording of most ranks is shown, of equal ones the newest; a newer one, or one of few ranks, is in `others`."
export const leads =
  "Where each of the sentences leads: to whom and to which step (the one in which it was latest; of who stands still then the longest gap, of who is late by one call that), as the profiles of the first few of them number and place it, and what it is called there, and to the table with its figures. Collectives that a part of the sentence counts are led to one by one."
export const table = leads
export const places = leads
export const called = leads
export const counted = leads
export const counted_text = leads
export const notes =
  "What is missing, refused, or cannot be compared."
export const doubts =
  "What is in the figures and may mislead: what is left of a damaged file, clocks, hosts and numbers of ranks told another way, and what no profile can tell of a cause."
export const longest_step_ns =
  "Median over steps of the longest rank's step."
export const parts =
  "Mean over ranks and complete steps; computation, exposed communication, copies and idle time add up to the step."
export const untold_ns =
  "Wait or transfer: what follows the last arrival where a member is not here (no file, cut off, its kernel lost), and all that was not matched. Wait, transfer and this add up to the whole; a wait or transfer that would be 0 beside it is not recorded."
export const exposed_untold_ns = untold_ns
export const job_step_ns =
  "Mean step of the job, over the steps that all ranks recorded whole: from where the last rank begins a step, so ended the one before, to where the last one ends it. Replays start from it. Ranks that run apart begin a step at different times: a rank's own step may be longer or shorter."
export const parts_computation_ns =
  "Union of kernels that do not communicate; on a CPU of operators outside `c10d::`."
export const parts_communication_ns =
  "Communication with no computing kernel beside it; wait, transfer and what is not told apart add up to it."
export const n_matched =
  "Instances with two members or more here, not refused; of these those with all members of their group; those that lack one, which may be a rank without a file."
export const n_complete = n_matched
export const n_incomplete = n_matched
export const n_mismatches =
  "Instances whose members disagree on kind, type or, of an all-reduce, size."
export const sigma_ns =
  "How far apart hosts see the end of one collective after their clocks are solved: 1.48 x the median distance."
export const clock_error_ns =
  "One sigma of the worst host's clock, its device's own error of 1 microsecond included."
export const blamed =
  "Who needs more for itself than its peers: computation, copies and idle time above the median of the peers by 2 % of the step, four times the spread and three times the clock's error; or on average over the steps, with the spread less by the root of their number. The spread is that of all ranks, of fewer than five beyond what each has more in every step or, of four steps and more, twice that of each about its own usual step, or where several would hide each other that of the others, widened where they are few; all in what the ranks have in common in a step, so steps may be of any length. Of fewer than five also who idles 6 % of the step more for its loader or another recorded event, by four times the spread of that alone and three times as long as all others and its other steps. A stage, host or replica where all of its ranks have more of the same."
export const blamed_level =
  "A rank, stage, host or replica; its ranks; in which steps it was late, and whether in half of them or more."
export const blamed_name = blamed_level
export const blamed_ranks = blamed_level
export const blamed_steps = blamed_level
export const is_persistent = blamed_level
export const excess_ns =
  "Own work above the median of the rank's peers here that are not late in the step, where there are such: the others of its stage, without a pipeline all others; of a member of a blamed stage, host or replica the ranks outside of that. Of a rank the mean over its steps."
export const blamed_excess_ns =
  "The mean over its late steps; of a stage, host or replica by which even its quickest rank exceeds the ranks outside."
export const work_ns =
  "Computation, copies and idle time of the rank in the step: own time less what moves data, whosever files are here. Without events of the host idle time is not in it."
export const cause =
  "The largest part of the excess in these steps and what tells it, and a second from a fifth of it or 2 % of the step on; how many times as long kernels (on a CPU operators, self time) or launches take, the kernels that take most longer, one of which in a single call, or cost most of more work; how many kernels or launches a step a rank has more than its peers; and the event of the host over 80 % of a gap, or that it had waited in until the gap began, or the name of its longest copies. Sure: the events say it. Likely: they fit nothing else that is recorded, and what would prove it (clocks, heat and power of a device, another process) is in no profile. Maybe: nothing recorded tells."
export const cause_ns = cause
export const confidence = cause
export const factor = cause
export const kernels = cause
export const n_more = cause
export const event = cause
export const also = cause
export const also_ns = cause
export const sentence =
  "The same in words."
export const step_was_ns =
  "Mean of its late steps, of the job, as recorded and by replay as if it were like its peers: its kernels, loader or launches as long as theirs; of a stage that has more work, with that spread evenly over all stages. At the most, with what is not told apart (wait from transfer, and what begins 20 us or more later than launch, stream, collectives and host explain) as long as it was, and at the least, with it at nothing: the same where all is told apart. On simulated jobs within 1 % of the truth. Absent where the cause says nothing that could be changed, the order of launches was not recorded, the replay does not give the recorded steps back within 3 %, or what is not told apart decides."
export const step_without_ns = step_was_ns
export const step_without_least_ns = step_was_ns
export const together =
  "All of the first five blamed that a replay tells of, without whom at once a step of the first one's late steps would be shorter by 1 % of it than without any of them alone: of two ranks that are equally late neither alone makes a step shorter. Absent where they would not."
export const together_names = together
export const together_ranks = together
export const together_steps = together
export const ideal_was_ns =
  "The mean step of the job as it was; and by replay, were every rank like the median of its stage (kernels between the same two collectives, loader, host between launches), the kernels of all stages levelled to their mean, one that is blamed for its kernels first like the others, and the loader and host of one all of whose ranks are late too (a stage that computes more gives it to the others, and nothing of it goes), slow links like the others; a pipeline's bubble stays. The least: with what is not told apart at nothing. S, the slowdown: the step as it was / this, and where that is 1 or less nothing is to be gained; of an edit the step with it / this, so of `ideal but rank=5` S of that rank alone: 1 of who costs nothing. On simulated jobs within 1 %. Absent where no replay tells it."
export const ideal_ns = ideal_was_ns
export const ideal_least_ns = ideal_was_ns
export const slowdown = ideal_was_ns
export const slow_link_was_ns =
  "Mean step, and by replay with the transfers of the slow sets as quick as the others; at the least with what is not told apart at nothing."
export const slow_link_without_ns = slow_link_was_ns
export const slow_link_without_least_ns = slow_link_was_ns
export const moving =
  "Where no link is blamed and more of the mean step is lost by moving data that nothing hides than by waiting or by idling, and a tenth of it at least: for which dimension (the one with half of it), how much of its transfers kernels hide, the bus rate of the hosts and kind that it moves between longest and what that is of others of its kind, and the mean step by replay with these transfers at nothing."
export const moving_dimension = moving
export const moving_exposed_ns = moving
export const of_dimension_ns = moving
export const hidden_share = moving
export const slow_link =
  "Hosts between which data moves below 0.7 x the usual bus rate of the same dimension, kind and number of ranks; where there are none, groups of ranks inside a host, and pairs of ranks, inside a host too, that send so slowly to each other, of messages of like size."
export const dimensions =
  "Collectives by what their group is for, by its description; inferred where that says nothing. The most exposed first."
export const name = dimensions
export const n_groups =
  "Process groups of the dimension; instances matched. Files of before 2024 name no group: ranks whose collectives end within 30 us of each other, and apart from all others, are held to be one, and where that does not tell them none is."
export const n_instances = n_groups
export const short =
  "The dimension as people call it (`tp`), which `dim=tp` and `transfer:tp=0` mean too."
export const is_inferred =
  "The dimension was told by how the group is used."
export const exposed_wait_ns =
  "Mean over ranks and steps. Between two kernels an instant belongs to what ends there, for that held the rank up, before what goes on while it computes again; of these it is divided equally among the dimensions that wait in it, else among those that move data: these add up to the exposed communication. Of collectives (summed) over all members and instances, and where several are open at once each counts: more than what dimensions divide among them, and no sum of a step."
export const exposed_transfer_ns = exposed_wait_ns
export const exposed_ns = exposed_wait_ns
export const wait_ns =
  "Last arrival of the members less the own start, on the job's clock. Of dimensions and collectives summed over members and instances, hidden or not; of ranks and steps exposed."
export const transfer_ns =
  "End less the last arrival, where all members are here."
export const hidden_transfer_share =
  "Of the transfers of its collectives, summed over members, what kernels of the rank run beside."
export const inside_bytes_per_s =
  "Median bus rate: bytes of the message x the factor of nccl-tests / transfer, of instances of 1 MiB or more, inside a host and between hosts."
export const between_bytes_per_s = inside_bytes_per_s
export const bus_bytes_per_s = inside_bytes_per_s
export const low_bus_bytes_per_s =
  "The rate that 5 % of the instances stay below."
export const ranks =
  "One row a rank, means over its complete steps."
export const rank =
  "Number, by the file or its name; the profile in links; the machine, its lowest rank."
export const worker = rank
export const span = rank
export const host = rank
export const first_rank = rank
export const stage =
  "Place in its pipeline group and in its data group."
export const replica = stage
export const n_steps =
  "Complete steps, and how long they are."
export const step_ns = n_steps
export const own_ns =
  "Step less exposed wait and what is not told apart: what the rank needs for itself, or less than that where there is such. Not recorded where no collective was matched."
export const computation_ns =
  "Kernels, copies that no kernel hides, and the rest of the step."
export const copy_ns = computation_ns
export const idle_ns = computation_ns
export const loader_ns =
  "Time in the data loader's ranges, on the host, in which its device did nothing: what a host that is ahead loads meanwhile holds nobody up. Not recorded where a file holds neither operators nor annotations but steps."
export const received =
  "What all-to-alls brought to the rank in a step, in rows of their tensors (tokens of experts), by their split sizes."
export const n_last =
  "Instances in which the rank came last of those here, 20 us after the others (not recorded of who is in none that is matched); which one most often, and its share. Of a step: the rank that ends it last, by more than 20 us and three errors of the clocks."
export const last_rank = n_last
export const last_share = n_last
export const caused_least_ns =
  "A step, over the collectives in which it came last, sends and receives left out: time since the last but one, and since the median of the others; an instant in which several wait counts once."
export const caused_most_ns = caused_least_ns
export const all_computation_ns =
  "Of the whole file, on the rank's own clock: unions of computing and of communicating kernels, and both at once."
export const all_communication_ns = all_computation_ns
export const all_overlap_ns = all_computation_ns
export const is_cut_off =
  "The file ends before the profile does."
export const pipeline =
  "The job's pipeline, and one row a stage: means over ranks and steps. Absent without one, or where hosts' clocks are not tied."
export const stages = pipeline
export const n_stages = pipeline
export const window_ns =
  "Of a step: from where the first rank begins its forward to where the last ends its backward, on the job's clock; the optimizer is not in it."
export const busy_ns =
  "Busy: computation, and tensor, expert and context collectives that nothing hides. Bubble: the rest of the window; the longest is of one rank in one step."
export const bubble_ns = busy_ns
export const bubble_share = busy_ns
export const most_bubble_ns = busy_ns
export const most_bubble_rank = busy_ns
export const most_bubble_step = busy_ns
export const most_bubble_replica = busy_ns
export const warm_up_ns =
  "The bubble before the rank's first kernel of the window, between, and after its last."
export const steady_ns = warm_up_ns
export const drain_ns = warm_up_ns
export const imbalance_share =
  "Computation of the stage against the mean of stages, less 1."
export const schedule =
  "By sends and receives of the last stage: forward and backward take turns (1F1B), or all forwards come first (GPipe); interleaved where the first and last stage talk to each other. Ideal: (stages - 1) / (micro-batches + stages - 1) of the window."
export const n_micro_batches = schedule
export const ideal_share = schedule
export const path =
  "The longest chain of a step, mean over the steps that all ranks recorded whole: from where the last rank ends it back to where the last one ended the step before, each time to what was waited for last, of a collective to who came last. Of several: what ends on several within three times the clocks' error, and what follows the last known arrival where a member is not here. Host: between launches; from 5 ms on, without the loader, a pause. The rows add up to the step. The longest of it at once, in whichever step, and where that begins in the rank's own profile."
export const what = path
export const path_ns = path
export const path_share = path
export const longest_piece_ns = path
export const piece_at_ns = path
export const path_ahead_ns =
  "How long before that what the chain leads back to was begun: up to where the first rank had begun the step, whole pieces. In no row: there the last rank was in the step before."
export const steps =
  "One row a step, over all ranks that have it."
export const number =
  "The step's number, and its length on the quickest and the slowest rank."
export const shortest_ns = number
export const longest_ns = number
export const is_slow =
  "Of a step: longer than the median by four times the median distance and by 2 %. Of a link: below 0.7 of the usual."
export const late =
  "Who of `blamed` was late in it."
export const collectives =
  "Instances of one dimension, kind, number of ranks and decade of size."
export const dimension =
  "Of the group; the operation; the message's size as nccl-tests counts it, median."
export const kind = dimension
export const bytes = dimension
export const instances =
  "Matched collectives one by one: when the last member came, after the job's first arrival; the first arrival, after its step begins on the named ranks; and from there to the last end."
export const at_ns = instances
export const begin_ns = instances
export const lasts_ns = instances
export const instances_step =
  "The step in which the last came, absent outside of steps; and its event there, in the profile of `worker`."
export const instances_row = instances_step
export const longest =
  "Of the row's matched collectives the longest, from its first arrival to its last end; of a link the one that moves data longest, of who is waited for the longest wait."
export const longest_took_ns = longest
export const median_transfer_ns =
  "Of complete instances."
export const links =
  "Instances of one dimension and kind by the hosts of their members; those of a slow pair or group of ranks on their own."
export const pair =
  "The ranks of a slow pair or group. The bus rate of a link is the median of its instances, or \"at least\" that of the quickest: most are messages whose kernels sent or received others too, which may have taken as long; beside such links that of the quickest is also what the others have."
export const rate_is = pair
export const hosts =
  "The clock of each host; of a link, where its ranks are."
export const of_usual_share =
  "Bus rate against the median over the other sets of hosts of the same dimension, kind, number of ranks and class; once a host is named as slow, over those without it."
export const component =
  "Hosts with one number are tied by collectives; what was taken off the host's clock at the middle of the recording, its drift, and one sigma of each. Of a short recording a drift is hardly known."
export const offset_ns = component
export const drift_ppm = component
export const drift_error_ppm = component
export const error_ns = component
export const others =
  "Profiles of the run that are not in the figures: broken, not yet read, of another job, or a second recording of a rank."
export const jobs =
  "The jobs, or recordings of one, that the run's profiles are of: its first and last profile, and with the span where another has the same workers. The one that holds the profile of the link is shown, else the largest."
export const title = jobs
export const is_shown = jobs
export const label =
  "The profile for people, how far it is, and why it is not in."
export const state = label
export const reason = label
export const what_if =
  "What a step would be were something otherwise: edits, one a line, each replayed alone and then all at once. `rank=5`, `stage=3`, `host=NAME`, `replica=1`: kernels, loader and host between launches as long as in the median of the peers, the others of the stage, else all others; with `:kernels`, `:loader` or `:launches` only that. `rank=all`: each so. `stages=even`: as long as their mean. `transfer=0.5`, `transfer:data=0`: so many times as long. `links=usual`: slow ones as quick as the others. `ideal`: all of these at once; `ideal but rank=5` (or a stage, host, replica): that alone as it was."
export const forms =
  "Edits of what this job has: who is blamed, then some of its ranks, stages, hosts, replicas and dimensions."
export const beside =
  "Another recording of the same job, and in what the two jobs are not alike: world size, ranks recorded, layout, backend, device, torch."
export const differs = beside
export const of =
  "A time of one step of all ranks, of a dimension or of one rank. change: the one beside less the run; of an edit the step with it less that without."
export const time = of
export const run_ns = of
export const beside_ns = of
export const change_ns = of
export const edit =
  "The edit, and the mean step of the job, replayed without and with it. What is not told apart (wait from transfer, and what begins late for a reason that no event gives) stays, and at the least is nothing; where these are over 10 % of the step apart, nothing is said. On simulated jobs within 1 %."
export const was_ns = edit
export const would_be_least_ns = edit
export const would_be_ns = edit
export const blocks =
  "What a stage computes for a micro-batch, forward (F) or backward (B), from its first kernel to its last, on the job's clock: its kernels up to a send made what is sent, by the order in which the host launched them. Where nothing is sent between a forward and a backward (first and last stage), one block is both. The number counts what is passed on in that direction. What no block covers is bubble, or collectives of the stage itself, where all blocks of the stage are told."
export const rank_peers =
  "The other ranks of its stage, without a pipeline all others, of a member of a blamed stage, host or replica the ranks outside of that; and of these the one with the median own work, to compare with."
export const peer = rank_peers
export const peer_worker = rank_peers
export const peer_span = rank_peers
export const rank_sentences =
  "Why it is blamed, or how it stands against its peers; for whom it waits, and who waits for it."
export const peers_work_ns =
  "Own work of those it is compared with in the step: median, least and most."
export const peers_least_ns = peers_work_ns
export const peers_most_ns = peers_work_ns
export const pause_ns =
  "The longest time of the step in which nothing ran on its device; the event of its host over 80 % of it, else the Python frame around it; where it lies, and where the step begins."
export const pause_event = pause_ns
export const pause_at_ns = pause_ns
export const start_ns = pause_ns
export const rank_parts =
  "Computation, exposed transfer, copies and idle add up to own time, mean over its steps; host and longest gap lie in these. The median over its peers, and the difference; of a kernel that times its calls."
export const part = rank_parts
export const mine_ns = rank_parts
export const peers_ns = rank_parts
export const more_ns = rank_parts
export const n_collectives =
  "Collectives of the rank, of a dimension or with that one last."
export const waits_for =
  "Who came last where it waited: the whole profile, hidden or not."
export const rank_last_rank = waits_for
export const kernel =
  "Of one name, grid and block, with a median 3 % above that of its peers."
export const n_calls = kernel
export const median_ns = kernel
export const peers_median_ns = kernel
export const measure =
  "What a matrix shows, over what; most measures are columns of ranks (caused: the least). Hosts and places have a rank's mean over its steps; kinds their share of a step; two hosts the slowest of usual of the sets that both stand in."
export const axes = measure
export const matrix_unit =
  "Nanoseconds, rows that all-to-alls brought, or percent; what rows and columns are, and their names."
export const matrix_row_title = matrix_unit
export const matrix_column_title = matrix_unit
export const matrix_rows = matrix_unit
export const matrix_columns = matrix_unit
export const matrix_values =
  "A list a row: value and rank of each cell. The middle of a column is the median over its ranks; of hosts and places that of all cells."
export const matrix_ranks = matrix_values
export const middle = matrix_values
