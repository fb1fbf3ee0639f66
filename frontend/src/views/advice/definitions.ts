// Generated from tb_plugin/views/advice/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const findings =
  "what checks saw, by `gain_ns`, those without one last"
export const id =
  "the check, and what to do"
export const title =
  "the check, and what to do"
export const what =
  "what was seen; its figures as `text`, `value` and `unit` (ns, count, or share from 0 to 1)"
export const evidence =
  "what was seen; its figures as `text`, `value` and `unit` (ns, count, or share from 0 to 1)"
export const rows =
  "events to look at (`row`, `name`, `start_ns`, `duration_ns`), those with the most to gain or the longest first; how many there are in all"
export const n_rows =
  "events to look at (`row`, `name`, `start_ns`, `duration_ns`), those with the most to gain or the longest first; how many there are in all"
export const gain_ns =
  "The most time that the change could save, of all steps together, or of the recording where there are no steps: an upper bound, and each finding says how it was computed. Several findings may want the same time: gains do not add up."
export const gain_how =
  "how the bound was computed, in words; `gain_ns` over `window_ns`. Both bounds are null where the profile cannot tell"
export const gain_share =
  "how the bound was computed, in words; `gain_ns` over `window_ns`. Both bounds are null where the profile cannot tell"
export const confidence =
  "one of the three below"
export const sure =
  "The events say so."
export const likely =
  "The events fit."
export const maybe =
  "Something else can look the same."
export const source =
  "file and line of the innermost function of the user's own code around most of the events: the line that ran where our trace handler recorded it, else where the function begins"
export const function_ =
  "file and line of the innermost function of the user's own code around most of the events: the line that ran where our trace handler recorded it, else where the function begins"
export const nothing_found =
  "checks that had their data and nothing to say"
export const not_checked =
  "what was not recorded (`what`), the option that records it (`how`), and the `checks` that need it"
export const window =
  "what the window is, how long, and how many steps it holds"
export const window_ns =
  "what the window is, how long, and how many steps it holds"
export const n_steps =
  "what the window is, how long, and how many steps it holds"
