// Generated from tb_plugin/views/compare/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const by =
  "What rows are: modules, outermost operators, categories of work, or kernel names."
export const noise =
  "What is less than this part of the longer median step is no finding."
export const a =
  "The two sides: a recording each, or several recordings of one program."
export const b = a
export const pairs =
  "Every item but the first, against the first."
export const lacking =
  "The profiles by the names of links, how far they are, and why one is not there."
export const members = lacking
export const run = lacking
export const worker = lacking
export const span = lacking
export const state = lacking
export const reason = lacking
export const label =
  "What the item is called."
export const n_recordings =
  "How many recordings are one side, and their complete steps of the chosen kind."
export const n_steps = n_recordings
export const device =
  "The device that worked."
export const steps =
  "Each step that counts, its number in the profile, and which recording of the side it is of."
export const number = steps
export const recording = steps
export const outlier =
  "Longer than the median by more than 5 MAD and more than 10 %. It stays in all figures."
export const start_ns =
  "When a step, or a row's longest event, began and how long it took."
export const lasted_ns = start_ns
export const duration_ns =
  "The part of Δ because each call takes longer or shorter: Δ minus the part by count."
export const median_ns =
  "Median step; of several recordings the median of their medians."
export const a_median_ns = median_ns
export const b_median_ns = median_ns
export const mean_ns =
  "Mean step, rounded: what parts and rows sum to."
export const a_mean_ns = mean_ns
export const b_mean_ns = mean_ns
export const headline =
  "What changed, with nothing in it that is noise. Of `ranks`, two of one job in the same steps (numbers and times), what each needs for itself, all but collectives, and who is in collectives longer: their steps end together. A finding is there what is 1 % of the step (`noise`) or more in each of three steps or more."
export const ranks = headline
export const doubts =
  "What has to be known before any figure."
export const differences =
  "How the recordings differ beside the program, and what both have."
export const what = differences
export const alike = differences
export const spoils =
  "What a difference makes incomparable: figures of the host, rows, or everything."
export const step =
  "How much longer a step of B takes."
export const delta_ns =
  "B − A of the means. Parts, and rows below a row, sum to it exactly."
export const shift_ns =
  "Hodges-Lehmann: the median of all differences between a step of B and one of A."
export const low_ns =
  "An interval that holds the shift with this confidence, from the ordered differences: exact for few steps, the whole range where there are fewer than 4."
export const high_ns = low_ns
export const confidence = low_ns
export const p =
  "Mann-Whitney, two-sided, with mid-ranks: exact up to 200 000 splits, then the normal approximation. None: one step each, or not tested."
export const p_holm =
  "The same beside all other parts, after Holm."
export const verdict =
  "A finding has p ≤ 0.05 (parts after Holm, rows after Benjamini-Hochberg at 10 %), a shift of at least `noise` of the longer median step, and an interval on one side of 0; with several recordings a side also a shift beyond the median difference of two of them. Noise is all else that was compared. Unknown: fewer than 4 steps or recordings a side. Not comparable: recorded too differently."
export const parts =
  "The step by the overview's parts; an instant counts for the first that was active."
export const part = parts
export const others =
  "Exposed communication, and what the mean device did: busy, or why not; and undisturbed, where all steps count. Each is tested alone."
export const undisturbed_ns =
  "What the work of the mean step takes where nothing disturbs it: its wall shares, each call as long as in the step in which it was the shortest (calls of one operator and kernel in their order in the step); steps of the most frequent kind. One figure a recording, so only several recordings a side tell a finding. Other load of the machine makes calls longer and never shorter: it hardly moves this. Idle time and what the step waits for are not in it."
export const rows =
  "The tree. Rows sum to the row above. Rows under `fold` of the step are one, \"other\"."
export const parent = rows
export const depth = rows
export const id = rows
export const kind =
  "What the row is of. A line is a place of the host that the devices waited for: each instant is of the innermost line of Python, or without stacks operator or range, that is open on the thread that launches the next work; lines sum to the waiting for the host."
export const name =
  "Operators by the name that vendors and versions share: `aten::cudnn_convolution` is convolution."
export const a_ns =
  "Wall share a step, in A and in B."
export const b_ns = a_ns
export const a_calls =
  "Calls with work in them, a step; of a kernel how often it ran."
export const b_calls = a_calls
export const count_ns =
  "The part of Δ because there are more or fewer calls: (calls B − calls A) × the mean of the time of a call in A and in B. What only one side has, or is replaced, is all count."
export const size_ns =
  "The part of duration that other shapes explain: what a call of B would take more if it did its FLOPs (without FLOPs its bytes) at A's rate; 0 where the shapes are the same. None where the work of the calls is not known; a sum is over the rows that know theirs."
export const matched =
  "The closest key that both sides have: module, operator, shapes and types; without shapes; without module; the operator; the kernel or its category. A line of the host: by its text and what was called there, whatever its number. Replaced: what stands in its place, in the same module or between the same neighbours. Of a sum the loosest of its rows."
export const n_rows =
  "How many rows it stands for."
export const a_at =
  "The row's longest event on each side."
export const b_at = a_at
export const matrix =
  "Of more than two items: all side by side, by the names that each has, what varies most first; each column sums to the mean step of its item."
export const values_ns =
  "Of each item its wall share a step, 0 where it has none; and of each but the first the verdict of its difference from the first."
export const verdicts = values_ns
export const spread_ns =
  "How much the items vary: the largest less the smallest of them."
export const geomeans =
  "The geometric mean of an item's ratios to the baseline, each row the same weight, over the rows of busy time that all items have; how many these are."
export const n_geomean = geomeans
export const n_matched =
  "Operators, or by kernel the kernels, that both have, only B has, and only A."
export const n_added = n_matched
export const n_removed = n_matched
