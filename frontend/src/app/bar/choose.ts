/** Which run, worker and span are shown: those of the link, or what the server opens with. Pure. */
import { spanOf } from '../../data/runs'
import type { Place } from '../../state/hash'
import { spanChanges } from '../../views/links'
import type { Profile } from '../../wire/profile'
import type { RunState, RunsReply, SpanState, WorkerState } from '../../wire/wire'

export interface Choice {
  readonly run: RunState | undefined
  readonly worker: WorkerState | undefined
  readonly span: SpanState | undefined
  /** What the link names and nobody knows. Never replaced in silence: a link must not show other data. */
  readonly unknown: string | undefined
}

export function choose(reply: RunsReply, place: Place): Choice {
  const choice = byName(reply, place)
  return choice.unknown === undefined ? choice : (byOldName(reply, place) ?? choice)
}

function byName({ runs, opens }: RunsReply, place: Place): Choice {
  const run = named(runs, place['run'] ?? opens)
  if (run === undefined) return nothing(place['run'] === undefined ? undefined : `run “${place['run']}”`)
  const worker = named(run.workers, place['worker'] ?? run.opens)
  if (worker === undefined) return { ...nothing(`worker “${place['worker']}” in run “${run.name}”`), run }
  const span = named(worker.spans, place['span'] ?? worker.opens)
  const unknown = span === undefined ? `span “${place['span']}” of ${worker.name}` : undefined
  return { run, worker, span, unknown }
}

/** Links made before the names of frameworks were known hold other names. */
function byOldName({ runs }: RunsReply, place: Place): Choice | undefined {
  const wanted = [place['run'], place['worker'], place['span']]
  for (const run of runs)
    for (const worker of run.workers)
      for (const span of worker.spans)
        if (span.was !== null && wanted.every((name, at) => name === undefined || name === span.was?.[at]))
          return { run, worker, span, unknown: undefined }
  return undefined
}

function nothing(unknown: string | undefined): Choice {
  return { run: undefined, worker: undefined, span: undefined, unknown }
}

export function profileOf({ run, worker, span }: Choice): Profile | undefined {
  if (run === undefined || worker === undefined || span === undefined) return undefined
  return { run: run.name, worker: worker.name, span: span.name }
}

/** Whether this is the profile that the link names. */
export function isNamed({ run, worker, span }: Profile, place: Place): boolean {
  return place['run'] === run && place['worker'] === worker && place['span'] === span
}

/** What was opened because the link named less. */
export interface Opened {
  readonly profile: Profile
  readonly asked: Place
}

/** What opens instead of a profile that the server chose and cannot read, and why; undefined where the user named it. */
export function instead(
  reply: RunsReply,
  opened: Opened | undefined,
  now: Profile | undefined,
): { readonly profile: Profile; readonly reason: string } | undefined {
  if (opened === undefined || now === undefined || !isNamed(opened.profile, { ...now })) return undefined
  const span = spanOf(reply, now)
  const profile = profileOf(choose(reply, opened.asked))
  if (span?.state !== 'failed' || profile === undefined || isNamed(now, { ...profile })) return undefined
  return { profile, reason: `${span.files[0] ?? span.name} cannot be read: ${span.error ?? 'no reason is known'}` }
}

/** Another run: the same worker and span where it has them too. Filters and the view stay. */
export function changesForRun(run: RunState, { worker, span }: Choice): Record<string, string | undefined> {
  const nextWorker = named(run.workers, worker?.name) ?? named(run.workers, run.opens)
  return { run: run.name, ...changesForWorker(nextWorker, span) }
}

export function changesForWorker(worker: WorkerState | undefined, span: SpanState | undefined) {
  const next = worker === undefined ? undefined : (named(worker.spans, span?.name) ?? named(worker.spans, worker.opens))
  return { worker: worker?.name, span: next?.name, ...spanChanges() }
}

export function named<T extends { readonly name: string }>(
  list: readonly T[],
  name: string | null | undefined,
): T | undefined {
  return list.find((each) => each.name === name)
}
