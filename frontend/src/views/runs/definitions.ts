// Generated from tb_plugin/views/runs/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const each =
  "What one row is: a run, a worker or a span."
export const rows =
  "Runs, workers or spans; the run with the newest profile first, in a run in the order of ranks."
export const run =
  "The directory, relative to the log directory."
export const worker =
  "The process that recorded: its name in links, and for people."
export const label = worker
export const span =
  "Which recording of the worker."
export const recorded_ns =
  "When it was recorded, in Unix time: by the name of the file; else when the recording began, as the profile says; else when the file was written. By it the newest run opens: page, HTTP and shell."
export const state =
  "Whether the profile has been asked, how far that is, and why it has no figures."
export const progress = state
export const reason = state
export const n_ranks =
  "Ranks of the job that have a file here, and not an empty one. Whether it can be read, and is of one recording with the others, Ranks tells. Several jobs in one directory are a row each: of other sizes, or where two workers are the same rank, as far as times, names, hosts or process groups tell which go together."
export const summary =
  "The figures of one profile; absent until it has answered."
export const device =
  "Name and number of the devices that worked in the recording."
export const n_devices = device
export const rank =
  "Which of how many processes of the job it is, as the profile says."
export const world_size = rank
export const n_steps =
  "Steps in the recording, cut ones included."
export const step_ns =
  "Median of the complete steps, as on the overview: of all, if none is complete."
export const busy_share =
  "Part of the complete steps, or without steps of the recording, in which a device worked: mean over devices."
export const memory =
  "The most that was allocated at once, on the accelerator with the most (the host where no accelerator has any), and that device's size."
export const peak_bytes = memory
export const capacity_bytes = memory
export const finding =
  "The finding with the largest gain, and the most that it could save: its part of the steps, or without steps of the recording."
export const gain_share = finding
export const n_findings =
  "How many findings there are."
export const is_cut_off =
  "The file ends before the profile does: the figures are of the part that could be read."
