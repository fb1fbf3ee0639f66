/** Runs without a profile. Apart from `runs.ts`: the first view needs none of it. */
import type { RunsReply } from '../wire/wire'

/** Whether a run left dumps of flight recorders and nothing else. */
export function isOfDumps(reply: RunsReply | undefined, run: string): boolean {
  const spans = reply?.runs.find(({ name }) => name === run)?.workers.flatMap((worker) => worker.spans) ?? []
  return spans.length > 0 && spans.every(({ is_dumps: isDumps }) => isDumps)
}
