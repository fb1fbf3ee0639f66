import { BREAKDOWN } from '../../base/categories'
import type { Breakdown, Overview, StepRow, Window } from '../../data/wire'
import { at, go } from '../../state/place'
import { StackedBars, StackedTable } from '../../widgets/stacked_bar'
import type { Bar } from '../../widgets/stacked_bar'

export function StepBreakdown({
  overview: { steps, average, whole, not_recorded: notRecorded },
}: {
  readonly overview: Overview
}) {
  const hasSteps = average !== null
  const first = hasSteps ? barOf('average', 'average', average) : barOf('whole', 'recording', whole)
  const bars = steps.map(stepBar)
  const selected = steps.find((step) => String(step.number) === at('overview.step'))
  const isTable = at('overview.as') === 'table'
  const absent = new Set(notRecorded)
  const label = hasSteps ? 'Where the step goes' : 'Where the recorded time goes'
  return (
    <section class="breakdown">
      <header>
        <h2>{label}</h2>
        {selected !== undefined && <SelectedStep step={selected} />}
        <span class="grow" />
        {steps.length > 0 && (
          <button
            type="button"
            class="button is-small"
            aria-pressed={isTable}
            onClick={() => go({ 'overview.as': isTable ? undefined : 'table' })}
          >
            {isTable ? 'Bars' : 'Table'}
          </button>
        )}
      </header>
      {isTable ? (
        <StackedTable label={label} categories={BREAKDOWN} average={first} bars={bars} absent={absent} />
      ) : (
        <StackedBars
          label={label}
          categories={BREAKDOWN}
          average={first}
          bars={bars}
          absent={absent}
          selected={selected === undefined ? undefined : String(selected.number)}
          onSelect={(id) => go({ 'overview.step': id })}
        />
      )}
    </section>
  )
}

function SelectedStep({ step }: { readonly step: StepRow }) {
  return (
    <>
      <button type="button" class="chip" title="Clear the selection" onClick={() => go({ 'overview.step': undefined })}>
        step {step.number} <span aria-hidden="true">×</span>
      </button>
      <button
        type="button"
        class="button is-small"
        onClick={() =>
          go({
            view: 'timeline',
            'timeline.t0_ns': String(step.start_ns),
            'timeline.t1_ns': String(step.start_ns + step.duration_ns),
          })
        }
      >
        Show in timeline
      </button>
    </>
  )
}

function stepBar(step: StepRow): Bar {
  const bar = barOf(String(step.number), `step ${step.number}`, step)
  return step.complete ? bar : { ...bar, note: 'cut off' }
}

function barOf(id: string, label: string, window: Window | StepRow): Bar {
  const parts: Readonly<Record<keyof Breakdown, number>> = window.breakdown_ns
  return { id, label, mark: id, total: window.duration_ns, parts }
}
