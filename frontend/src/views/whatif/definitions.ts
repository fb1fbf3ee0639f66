// Generated from tb_plugin/views/whatif/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const refused =
  "Why there is no estimate: the replay is more than 3 % off, or 5 % with constants alone, for 20 % of the time or more something waits for what the file does not tell, more than 10 % of the device's time has no launch in the file, or the file is cut off and lacks the device's work, of more than 1 % of the launches."
export const on_ranks =
  "Of a rank of a job with several: that what it waits for the others is in its communication here, and told apart in Ranks. The edits that are of the job (`rank=5`, `stage=3`, `transfer:data=0`): they are asked in Ranks, the others are replayed."
export const of_job = on_ranks
export const n_steps =
  "how many steps count, and how long they last"
export const recorded_ns = n_steps
export const trust =
  "How well the replay with nothing changed gives the recorded steps: the mean step as replayed and its error, that of the worst step; errors are of the recorded time, negative: too short."
export const constants_error_share =
  "The error if nothing stays late for no known reason: launches, queues and waits by their medians and means alone."
export const unexplained_share =
  "How much of the steps something waited for what the file does not tell: it begins 10 us or more after all that it is known to wait for."
export const not_launched_share =
  "How much of the device's time in the steps has no launch in the file. Where the device began the first step only after the host had ended it, also before the steps: then all steps run out of a queue that the file does not tell of."
export const n_anchored =
  "pieces of device work that stay where they were, since their launch is not in the file; things that would have to wait for what came after them, and do not"
export const n_lost = n_anchored
export const edited_ns =
  "what all edits change: the replay edited minus the replay as it is; and the recorded step with that change, so that figures shown beside each other subtract (the same holds for each edit alone and for each step)"
export const change_ns = edited_ns
export const at_best =
  "Whether an edit takes time from the host, which others may take again: that was not recorded. The truth is expected between change give or take the replay's error of the worst step (worst error of the step), at best also up to 20 % of the change less (as two recordings with loader workers gained)."
export const low_change_ns = at_best
export const high_change_ns = at_best
export const recorded_path =
  "What the time goes by on, back from the last end along what was waited for last: the host (host: calls, Python, loaders), kernels, copies and sets, collectives, launching, gaps between kernels and unexplained delays. Sums to 1."
export const edited_path = recorded_path
export const alone =
  "Each edit (`edit`) without the others: step, change. They do not add up to the change of all."
export const steps =
  "each step that counts, by its `number`: as recorded, replayed and edited"
export const effects =
  "What the step gains, by replay, if one of the rows with the most time of its own (`kind`, `name`: operators by device work, kernels, what runs on threads with steps) is 10 % faster (`edit`); own is what that scales in a step, with all that it calls; effect is of the step."
export const forms =
  "what can be written as an edit (`example`) and what that `says`; what no replay knows"
export const caveats = forms
