// Generated from tb_plugin/views/advice/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const verdict =
  "The answer in a sentence, as in the overview."
export const verdict_bound =
  "Which of them it is, and its part of the time."
export const verdict_share = verdict_bound
export const verdict_sentence =
  "Read one after the other: what the step is bound by; what one rank's profile cannot tell of the others, or where they are known what its job tells; what to change first and then, each with its `lead`, title, what is `told` of its gain and place, and `finding`; what there is to doubt."
export const of_ranks = verdict_sentence
export const changes = verdict_sentence
export const doubts = verdict_sentence
export const findings =
  "What checks saw: first what is about the recording itself or about steps unlike the others, then by estimate, else by gain, those without one last: at most 8, and none that could gain less than 1 % of the time; how many are left out so. `all` names them too."
export const n_small = findings
export const id =
  "the check, and what to do"
export const title = id
export const what =
  "what was seen; its figures as `text`, `value` and `unit` (ns, count, or share from 0 to 1)"
export const evidence = what
export const rows =
  "events to look at (`row`, `name`, start, duration), those with the most to gain or the longest first; how many there are in all"
export const n_rows = rows
export const gain_ns =
  "The time of what was seen, of all steps that count together, or of the recording where there are no steps: the most that ending it alone could save, and each finding says how it was computed. Several findings may want the same time: gains do not add up."
export const gain_per_step_ns =
  "The same for one step, on average: gain over `n_steps`. It is the figure to hold beside a step time."
export const gain_how =
  "how the bound was computed, in words; gain over window. All three bounds are null where the profile cannot tell"
export const gain_share = gain_how
export const estimate_ns =
  "What the change is expected to save, of all steps and of one, and how that is known; null where nothing tells. Where a finding has edits for What if (`without`), it is what a replay with them gains, if one can be trusted, and the same that What if says; it is more than gain where launches and the gaps around the events go with them."
export const estimate_per_step_ns = estimate_ns
export const estimate_how = estimate_ns
export const without =
  "Edits that show the step without it in What if: `finding:ID=0` where no name says what is gone; none where no replay tells."
export const also =
  "Findings that want more than half of the same time (of the shorter of the two): one change may end both. The surer one stands if it could gain half as much as the other, else the one with more to gain. Where more is expected of one than of that which it is told with, this is said."
export const code =
  "what to write; when it does not help; a public page that says more"
export const unless = code
export const link = code
export const view =
  "the view of this page that says more of it, where one does"
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
export const function_ = source
export const nothing_found =
  "checks that had their data and nothing to say"
export const not_checked =
  "what was not recorded (`what`), the option that records it (`how`) or what is lacking `instead`, and the `checks` that need it"
export const window =
  "what the window is, how long, and how many steps count in it"
export const window_ns = window
export const n_steps = window
