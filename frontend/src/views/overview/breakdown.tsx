/** Two charts of the same steps: where their time goes, and what the device does meanwhile. A click on a bar selects steps. */
import { useRef } from 'preact/hooks'

import { filters, listOf, numbersIn } from '../../state/filters'
import { at, go } from '../../state/place'
import { StackedBars, StackedTable } from '../../widgets/charts/stacked_bar'
import type { Bar, Keys, Part } from '../../widgets/charts/stacked_bar'
import type { Communication, Finding, Overview, StepRow, Window } from '../../wire/wire'
import { stepChanges } from '../links'
import { chosen, howOf } from './choice'
import type { Choice } from './choice'
import { COMMUNICATION, TIME_PARTS, deviceUses, hostParts, ofOperators } from './parts'
import type { Parts } from './parts'

type PartsOf = (window: Window | StepRow) => Parts

const timeParts: PartsOf = ({ breakdown_ns: parts }) => ({ ...parts })
/** Without a device "Other host" is said by what the operators compute. */
const hostTimes: PartsOf = ({ breakdown_ns: parts, operators_ns: operators }) => ({
  ...parts,
  ...Object.fromEntries(Object.entries(operators).map(([category, ns]) => [ofOperators(category), ns])),
})

const useParts: PartsOf = ({ device_use_ns: use, communication_ns: communication }) => ({ ...use, ...communication })

interface BreakdownProps {
  readonly overview: Overview
  readonly findings: readonly Finding[]
}

export function StepBreakdown({ overview, findings }: BreakdownProps) {
  const found = new Set(findings.map(({ id }) => id))
  const { steps, average, devices, not_recorded: absent } = overview
  const isTable = at('overview.as') === 'table'
  const hasSteps = average !== null
  const time = hasSteps ? 'Where the step goes' : 'Where the recorded time goes'
  const use = overview.whole.device_use_ns === null ? undefined : nameOfUse(devices.length)
  const charts = { overview, isTable }
  return (
    <section class={`breakdown${use === undefined || isTable ? ' is-single' : ''}`} aria-label="Steps">
      <div>
        <header>
          <h2>{time}</h2>
          <SelectedSteps steps={steps} />
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
        <Chart
          {...charts}
          label={time}
          parts={use === undefined ? hostParts([overview.whole, ...steps].map(hostTimes)) : TIME_PARTS}
          partsOf={use === undefined ? hostTimes : timeParts}
          absent={absent}
        />
      </div>
      {use !== undefined && (
        <div>
          <header>
            <h2>{use}</h2>
          </header>
          <Chart
            {...charts}
            label={use}
            parts={usesOf(overview.whole.communication_ns, found)}
            partsOf={useParts}
            absent={[]}
          />
        </div>
      )}
    </section>
  )
}

/** Communication stands beside the parts where there was any. */
function usesOf(communication: Communication | null, found: ReadonlySet<string>): readonly Part[] {
  const hasAny = communication !== null && communication.exposed + communication.overlapped > 0
  return hasAny ? [...deviceUses(found), ...COMMUNICATION] : deviceUses(found)
}

function nameOfUse(nDevices: number): string {
  return nDevices > 1 ? `What the ${nDevices} devices do, on average` : 'What the device does'
}

interface ChartProps {
  readonly overview: Overview
  readonly isTable: boolean
  readonly label: string
  readonly parts: readonly Part[]
  readonly partsOf: PartsOf
  readonly absent: readonly string[]
}

function Chart({ overview: { steps, average, whole }, isTable, label, parts, partsOf, absent }: ChartProps) {
  const anchor = useRef<number | undefined>(undefined)
  const barOf = (id: string, mark: string, name: string, window: Window | StepRow): Bar => ({
    id,
    label: name,
    mark,
    total: window.duration_ns,
    parts: partsOf(window),
  })
  const stepBars = steps.map((step) => {
    const bar = barOf(String(step.number), String(step.number), `step ${step.number}`, step)
    return step.complete ? bar : { ...bar, note: 'cut off' }
  })
  // One step is its own average: it is drawn once.
  const only = average !== null && stepBars.length === 1 ? stepBars[0] : undefined
  const bars = only === undefined ? stepBars : []
  const first =
    only ??
    (average === null
      ? barOf('whole', 'recording', 'recording', whole)
      : barOf('average', 'average', averageOf(steps), average))
  const charts = { label, categories: parts, average: first, bars, absent: new Set(absent) }
  if (isTable) return <StackedTable {...charts} />
  const all = steps.map((step) => step.number)
  const asked = new Set(numbersIn(filters.value.steps)) // the link's: the answer comes a moment later
  const selected = all.filter((number) => asked.has(number))
  const select = (id: string | undefined, keys: Keys): void => {
    const before: Choice = { selected, anchor: anchor.current }
    const next: Choice =
      id === undefined ? { selected: [], anchor: undefined } : chosen(all, before, Number(id), howOf(keys))
    if (IS_REPORT) return // it has no answers about some of the steps
    anchor.current = next.anchor
    go(stepChanges(next.selected.length === all.length && all.length > 1 ? undefined : listOf(next.selected)))
  }
  return <StackedBars {...charts} selected={new Set(selected.map(String))} onSelect={select} />
}

function averageOf(steps: readonly StepRow[]): string {
  return steps.every((step) => step.selected) ? 'average' : 'average of these'
}

function isFiltered(): boolean {
  return filters.value.steps !== undefined
}

function SelectedSteps({ steps }: { readonly steps: readonly StepRow[] }) {
  const selected = steps.filter((step) => step.selected)
  const [first, last] = [selected.at(0), selected.at(-1)]
  if (!isFiltered())
    return !IS_REPORT && steps.length > 1 ? <span class="soft">Click, Shift or Ctrl+click to select</span> : null
  if (first === undefined || last === undefined)
    return <span class="is-bad">None of these steps is in this profile</span>
  return (
    <button
      type="button"
      class="button is-small"
      onClick={() =>
        go({
          view: 'timeline',
          'timeline.t0_ns': String(first.start_ns),
          'timeline.t1_ns': String(last.start_ns + last.duration_ns),
        })
      }
    >
      Show in timeline
    </button>
  )
}
