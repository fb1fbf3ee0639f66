// Generated from tb_plugin/views/trends/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const line =
  "What the points of one line are: the spans of a run's first worker, of each worker, or of all runs together. The line with the newest profile first."
export const lines = line
export const name = line
export const is_gated =
  "A limit was asked for. Where no profile is taken then, it cannot be told whether it holds."
export const is_cut =
  "There are more than 2 000 profiles; the older ones are not asked."
export const points =
  "Profiles in the order in which they were recorded."
export const run =
  "Which profile it is: its directory, the process that recorded, which of its recordings, and the process for people."
export const worker = run
export const span = run
export const label = run
export const recorded_ns =
  "When it was recorded, in Unix time: by the name of the file; else when the recording began, as the profile says; else when the file was written."
export const points_state =
  "Whether the profile has been asked, and how far that is."
export const quality =
  "Complete; few: fewer than 4 complete steps, drawn hollow; trouble: it cannot be read, is cut off or has no steps, and no line goes through it."
export const note = quality
export const last_step =
  "The profiler's number of the last step that counts."
export const n_steps =
  "Steps that count, and those that the recording cut."
export const n_incomplete = n_steps
export const step_ns =
  "Median of the complete steps, and their 5th and 95th percentile."
export const p5_ns = step_ns
export const p95_ns = step_ns
export const before_share =
  "How much longer its step is than that of the point before it in the line, as a part of that one."
export const changed =
  "Figures that have another level from this point on, and by how much; or what of the recording became another."
export const mean_ns =
  "Mean step and its parts, as on the overview: they sum to it."
export const parts_ns = mean_ns
export const steps_ns =
  "Durations of the steps; of more than 32 as many, evenly chosen."
export const busy_share =
  "Part of the complete steps, or without steps of the recording, in which a device worked: mean over devices."
export const waiting_for_host_ns =
  "Time per step in which a device did nothing because nothing was launched: mean over devices."
export const exposed_communication_ns =
  "Time per step of collectives with no other kernel at the same time: mean over devices."
export const data_loader_ns =
  "Time per step in which nothing was done but loading data, as on the overview."
export const peak_bytes =
  "The most that was allocated at once, on the accelerator with the most (the host where no accelerator has any), and the most its allocator held."
export const reserved_bytes = peak_bytes
export const kernels =
  "Kernels that begin in the steps, per step."
export const launches =
  "Calls that started device work and begin in the steps, per step; one that starts a graph is one."
export const mfu =
  "Model FLOPs utilisation of the steps, as on the overview."
export const recorded =
  "How and where it was recorded, and when its time 0 was."
export const began_ns = recorded
export const changes =
  "From this point on a figure has another level: ranks of the points before and after are unlike with p of at most 0.01, at least 4 points a side, and the medians differ by 2 % (times also by 0.5 % of the step). Confirmed 5 to 8 profiles later. A reset: the device, torch, the job's size or what was recorded changed: figures before and after do not compare. New normal: a line of `torch_profile_new_normal.jsonl` in the log directory says so, and why; the gate holds what comes after against that only."
export const kind = changes
export const at = changes
export const before =
  "Medians of the levels before and after, and the difference as a part of the one before."
export const after = before
export const share = before
export const figure =
  "What changed level; of a reset, what became another."
export const why = figure
export const gate =
  "Within: the newest point is no worse than the limit. Suspect: worse than the limit and by more than 4 times the spread. Worse: so is the point before it. Too few: fewer than 5 complete points before it. Cannot tell: worse than the limit and by 4 times the spread or less, or the newest profile cannot be read or has no such figure; an older one is not judged in its place."
export const gate_state = gate
export const said = gate
export const baseline =
  "What `torch_profile_baseline.json` in the log directory keeps, a point a profile; drawn as a dashed line, and with `--against baseline` what the newest is held against."
export const value =
  "The newest point, the median of up to 20 complete points since the last change, and the largest of 1.4826 MAD, 0.5 % of the median and a quarter of the interval of the point's own median step."
export const median = value
export const spread = value
export const n_baseline = value
