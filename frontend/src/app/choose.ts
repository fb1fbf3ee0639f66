/** Which run, worker and span are shown: those of the link, or for what the link leaves open the newest. Pure. */
import type { RunState, RunsReply, SpanState, WorkerState } from '../data/wire'
import type { Place } from '../state/hash'
import type { Profile } from '../views/props'

export interface Choice {
  readonly run: RunState | undefined
  readonly worker: WorkerState | undefined
  readonly span: SpanState | undefined
  /** What the link names and nobody knows. Never replaced in silence: a link must not show other data. */
  readonly unknown: string | undefined
}

export function choose({ runs }: RunsReply, place: Place): Choice {
  const run = named(runs, place['run']) ?? (place['run'] === undefined ? newestRun(runs) : undefined)
  if (run === undefined) return nothing(place['run'] === undefined ? undefined : `run “${place['run']}”`)
  const worker = named(run.workers, place['worker']) ?? (place['worker'] === undefined ? run.workers[0] : undefined)
  if (worker === undefined) return { ...nothing(`worker “${place['worker']}” in run “${run.name}”`), run }
  const span = named(worker.spans, place['span']) ?? (place['span'] === undefined ? newestSpan(worker) : undefined)
  const unknown =
    span === undefined && place['span'] !== undefined ? `span “${place['span']}” of ${worker.name}` : undefined
  return { run, worker, span, unknown }
}

function nothing(unknown: string | undefined): Choice {
  return { run: undefined, worker: undefined, span: undefined, unknown }
}

export function profileOf({ run, worker, span }: Choice): Profile | undefined {
  if (run === undefined || worker === undefined || span === undefined) return undefined
  return { run: run.name, worker: worker.name, span: span.name }
}

/** Another run: the same worker and span where it has them too. Filters and the view stay. */
export function changesForRun(run: RunState, { worker, span }: Choice): Record<string, string | undefined> {
  const nextWorker = named(run.workers, worker?.name) ?? run.workers[0]
  return { run: run.name, ...changesForWorker(nextWorker, span) }
}

export function changesForWorker(worker: WorkerState | undefined, span: SpanState | undefined) {
  const next = worker === undefined ? undefined : (named(worker.spans, span?.name) ?? newestSpan(worker))
  return { worker: worker?.name, span: next?.name, ...POSITIONS }
}

/** What belongs to one span only and goes with it: a window in time, a step, an event. */
export const POSITIONS = {
  steps: undefined,
  'timeline.t0_ns': undefined,
  'timeline.t1_ns': undefined,
  'timeline.row': undefined,
  'timeline.mark': undefined,
  'timeline.folded': undefined,
  'memory.t0_ns': undefined,
  'memory.t1_ns': undefined,
  'memory.at_ns': undefined,
  'memory_blocks.row': undefined,
} as const

function named<T extends { readonly name: string }>(list: readonly T[], name: string | undefined): T | undefined {
  return list.find((each) => each.name === name)
}

/** The last that did not fail; the last if all did. */
function newestSpan(worker: WorkerState): SpanState | undefined {
  return worker.spans.findLast((span) => span.state !== 'failed') ?? worker.spans.at(-1)
}

const byNumber = new Intl.Collator('en', { numeric: true })

/** The run with the span of the highest number: spans are named by the time they were recorded. */
function newestRun(runs: readonly RunState[]): RunState | undefined {
  const last = (run: RunState): string =>
    run.workers
      .flatMap((worker) => worker.spans.map((span) => span.name))
      .sort(byNumber.compare)
      .at(-1) ?? ''
  let newest: RunState | undefined
  for (const run of runs) if (newest === undefined || byNumber.compare(last(run), last(newest)) >= 0) newest = run
  return newest
}
