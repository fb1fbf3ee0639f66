/** Run, worker and span, with each one's state beside it. */
import type { RunState, SpanState, WorkerState } from '../data/wire'
import { plural } from '../base/units'
import { go } from '../state/place'
import { Picker } from '../widgets/picker'
import type { Entry } from '../widgets/picker'
import { POSITIONS, changesForRun, changesForWorker } from './choose'
import type { Choice } from './choose'

interface PickersProps {
  readonly runs: readonly RunState[]
  readonly choice: Choice
}

export function Pickers({ runs, choice }: PickersProps) {
  const { run, worker, span } = choice
  return (
    <>
      <Picker
        name="run"
        label={run?.name ?? 'choose'}
        chosen={run?.name}
        entries={runs.map((each) => ({
          id: each.name,
          label: each.name,
          ...summary(each.workers.flatMap((w) => w.spans)),
        }))}
        onChoose={(id) => {
          const next = runs.find((each) => each.name === id)
          if (next !== undefined) go(changesForRun(next, choice))
        }}
      />
      <Picker
        name="worker"
        label={worker === undefined ? 'choose' : workerLabel(worker)}
        chosen={worker?.name}
        entries={(run?.workers ?? []).map((each) => ({
          id: each.name,
          label: workerLabel(each),
          ...summary(each.spans),
        }))}
        onChoose={(id) =>
          go(
            changesForWorker(
              run?.workers.find((each) => each.name === id),
              span,
            ),
          )
        }
      />
      <Picker
        name="span"
        label={spanLabel(worker, span)}
        chosen={span?.name}
        entries={(worker?.spans ?? []).map((each, index) => spanEntry(each, index))}
        onChoose={(id) => go({ span: id, ...POSITIONS })}
      />
    </>
  )
}

function workerLabel({ name, rank }: WorkerState): string {
  return rank === null ? name : `${name} (rank ${rank})`
}

function spanLabel(worker: WorkerState | undefined, span: SpanState | undefined): string {
  if (worker === undefined || span === undefined) return 'choose'
  const time = timeOf(span.name)
  return `${worker.spans.indexOf(span) + 1} of ${worker.spans.length}${time === undefined ? '' : ` · ${clock(time)}`}`
}

function spanEntry(span: SpanState, index: number): Entry {
  const time = timeOf(span.name)
  const label = `${index + 1} · ${time === undefined ? span.name : `${day(time)} ${clock(time)}`}`
  return { id: span.name, label, ...stateOf(span) }
}

export function stateOf({ state, progress, error }: SpanState): Pick<Entry, 'note' | 'bad' | 'reason'> {
  switch (state) {
    case 'found':
      return { note: 'not loaded' }
    case 'queued':
      return { note: 'queued' }
    case 'loading':
      return { note: `${Math.round(progress * 100)} %` }
    case 'ready':
      return { note: 'ready' }
    case 'failed':
      return { note: 'failed', bad: true, reason: error ?? 'No reason was given.' }
  }
}

/** One word for many spans: what is wrong first, then what moves, then how many there are. */
function summary(spans: readonly SpanState[]): Pick<Entry, 'note' | 'bad'> {
  const [only] = spans
  if (spans.length === 1 && only !== undefined) return stateOf(only)
  const failed = spans.filter((span) => span.state === 'failed').length
  const loading = spans.filter((span) => span.state === 'loading' || span.state === 'queued').length
  const all = plural(spans.length, 'span')
  if (failed > 0) return { note: `${all}, ${failed} failed`, bad: true }
  return { note: loading > 0 ? `${all}, ${loading} loading` : all }
}

/** Spans are named by the time of their recording, in milli-, micro- or nanoseconds since 1970. */
export function timeOf(span: string): Date | undefined {
  if (!/^\d{13,19}$/.test(span)) return undefined
  return new Date(Number(span.slice(0, 13)))
}

function clock(time: Date): string {
  return time.toLocaleTimeString('en-GB')
}

function day(time: Date): string {
  return time.toLocaleDateString('sv') // 2026-11-20
}
