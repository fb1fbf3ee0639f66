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

/** Of the profile that the link names. What a run opens with by itself names none: then the server says which, as in the shell. */
export function ofShownJob(run: string): Named {
  const named = ofJob({ run, worker: at('worker'), span: at('span') })
  const opens = runs.value.reply?.runs.find(({ name }) => name === run)?.opens
  const isNamed = at('ranks.job') !== undefined || named.worker !== opens || named.span !== undefined
  return isNamed ? named : { run, worker: undefined, span: undefined }
}
