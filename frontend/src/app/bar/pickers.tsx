/** Run, worker and span, with each one's state beside it. */
import { plural } from '../../base/units'
import { isCancelled } from '../../data/runs'
import { spanLabel, spanTitle } from '../../data/span_title'
import type { Changes } from '../../state/hash'
import { spanChanges } from '../../views/links'
import { Picker } from '../../widgets/choose/picker'
import type { Entry } from '../../widgets/choose/picker'
import type { RunState, SpanState } from '../../wire/wire'
import { changesForRun, changesForWorker, named } from './choose'
import type { Choice } from './choose'

interface PickersProps {
  readonly runs: readonly RunState[]
  readonly choice: Choice
  readonly onChoose: (changes: Changes) => void
}

export function Pickers({ runs, choice, onChoose }: PickersProps) {
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
          if (next !== undefined) onChoose(changesForRun(next, choice))
        }}
      />
      <Picker
        name="worker"
        label={worker?.label ?? 'choose'}
        chosen={worker?.name}
        entries={(run?.workers ?? []).map((each) => ({
          id: each.name,
          label: each.label,
          hint: pathOf(run, named(each.spans, each.opens)),
          ...summary(each.spans),
          ...(each.note === null ? {} : { reason: each.note }),
        }))}
        onChoose={(id) =>
          onChoose(
            changesForWorker(
              run?.workers.find((each) => each.name === id),
              span,
            ),
          )
        }
      />
      <Picker
        name="span"
        label={worker === undefined || span === undefined ? 'choose' : spanLabel(worker.spans, span)}
        chosen={span?.name}
        entries={(worker?.spans ?? []).map((each, index) => ({ ...spanEntry(each, index), hint: pathOf(run, each) }))}
        onChoose={(id) => onChoose({ span: id, ...spanChanges() })}
      />
    </>
  )
}

/** The file below the log directory: a label is a guess at what its name means. */
function pathOf(run: RunState | undefined, span: SpanState | undefined): string | undefined {
  return span === undefined ? undefined : `${span.was?.[0] ?? run?.name ?? ''}/${span.files[0] ?? ''}`
}

export function spanEntry(span: SpanState, index: number): Entry {
  return { id: span.name, label: spanTitle(span, index), ...stateOf(span) }
}

export function stateOf({
  state,
  progress,
  error,
  foreign,
  no_profile: noProfile,
  is_cut_off: isCutOff,
}: SpanState): Pick<Entry, 'note' | 'bad' | 'reason'> {
  switch (state) {
    case 'found':
      return { note: foreign ? 'of another tool, not torch' : 'not loaded' }
    case 'queued':
      return { note: 'queued' }
    case 'loading':
      return { note: `${Math.round(progress * 100)} %` }
    case 'ready':
      return { note: isCutOff ? 'cut off' : 'ready' }
    case 'failed': {
      const reason = error ?? 'No reason is known.'
      if (noProfile) return { note: 'no profile', reason } // and none is lost
      return { note: isCancelled(error) ? 'cancelled' : 'failed', bad: true, reason }
    }
  }
}

/** One word for many spans: what is wrong first, then what moves, then how many there are. */
function summary(spans: readonly SpanState[]): Pick<Entry, 'note' | 'bad'> {
  const [only] = spans
  if (spans.length === 1 && only !== undefined) return stateOf(only)
  const failed = spans.filter((span) => stateOf(span).bad === true).length
  const loading = spans.filter((span) => span.state === 'loading' || span.state === 'queued').length
  const all = plural(spans.length, 'span')
  if (failed > 0) return { note: `${all}, ${failed} failed`, bad: true }
  return { note: loading > 0 ? `${all}, ${loading} loading` : all }
}
