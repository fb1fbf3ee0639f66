import { runs, workerOf } from '../data/runs'
import { at } from '../state/place'

interface Named {
  readonly run: string
  readonly worker: string | undefined
  readonly span: string | undefined
}

/** What a question about all ranks is of: the job that holds the profile; where it is not shown with that, the recording. */
export function ofJob({ run, worker, span }: Named): Named {
  return { run, worker, span: workerOf(runs.value.reply, { run, worker })?.in_ranks === span ? undefined : span }
}

/** Of the profile in the bar: that the link names, or what the run opens with. */
export function ofShownJob(run: string): Named {
  return ofJob({ run, worker: at('worker'), span: at('span') })
}
