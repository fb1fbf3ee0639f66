/** Bars of stacked parts on one time axis, with a legend of values that follows the bar pointed at, and a table twin. */
import { useState } from 'preact/hooks'

import type { Category } from '../base/categories'
import { exactNs, formatNs, formatShare } from '../base/units'
import { ticks } from '../layout/ticks'
import { Definition } from './popup'

export interface Bar {
  readonly id: string
  readonly label: string
  /** Under the bar where there is no room for the label. */
  readonly mark: string
  readonly total: number
  readonly note?: string
  /** By category id, in nanoseconds; they sum to `total`. */
  readonly parts: Readonly<Record<string, number>>
}

export interface StackedBarProps {
  readonly label: string
  readonly categories: readonly Category[]
  /** Set apart at the left: what the others are compared with. */
  readonly average: Bar
  readonly bars: readonly Bar[]
  /** Categories this profile cannot know of: "not recorded", never 0. */
  readonly absent: ReadonlySet<string>
  readonly selected: string | undefined
  readonly onSelect: (id: string | undefined) => void
}

export function StackedBars(props: StackedBarProps) {
  const { average, bars, selected, onSelect } = props
  const [pointed, setPointed] = useState<string>()
  const max = Math.max(average.total, ...bars.map((bar) => bar.total))
  const all = [average, ...bars]
  const isNarrow = bars.length > 9
  const every = Math.max(1, Math.ceil(bars.length / 16)) // which bars are marked: what has room for two digits
  const shown = all.find((bar) => bar.id === (pointed ?? selected)) ?? average
  return (
    <div class="stacked" onMouseLeave={() => setPointed(undefined)}>
      <Legend {...props} shown={shown} />
      <div class="stacked-plot">
        <div class="stacked-axis" aria-hidden="true">
          {ticks(max, 4).map((tick) => (
            <span key={tick} style={{ bottom: `${(100 * tick) / max}%` }}>
              {tick === 0 ? '0' : formatNs(tick)}
            </span>
          ))}
        </div>
        <div
          class={bars.length > 40 ? 'stacked-bars is-dense' : 'stacked-bars'}
          role="group"
          aria-label={props.label}
          onKeyDown={moveAlong}
        >
          {all.map((bar, index) => (
            <button
              key={bar.id}
              type="button"
              class={`stacked-bar${index === 0 ? ' is-average' : ''}`}
              // One stop for Tab, arrows within: a hundred steps are not a hundred stops.
              tabIndex={(selected === undefined ? index === 0 : bar.id === selected) ? 0 : -1}
              aria-pressed={bar.id === selected}
              aria-label={`${bar.label}: ${formatNs(bar.total)}`}
              title={`${bar.label}: ${exactNs(bar.total)}${bar.note === undefined ? '' : ` (${bar.note})`}`}
              onMouseEnter={() => setPointed(bar.id)}
              onFocus={() => setPointed(bar.id)}
              onBlur={() => setPointed(undefined)}
              onClick={() => onSelect(bar.id === selected || index === 0 ? undefined : bar.id)}
            >
              <span class="stacked-track">
                <Stack bar={bar} categories={props.categories} max={max} />
              </span>
              <span class="stacked-label">
                {!isNarrow || index === 0 ? bar.label : (index - 1) % every === 0 ? bar.mark : ''}
              </span>
            </button>
          ))}
        </div>
      </div>
    </div>
  )
}

interface StackProps {
  readonly bar: Bar
  readonly categories: readonly Category[]
  readonly max: number
}

/** One bar's parts, the first category at the bottom. */
function Stack({ bar, categories, max }: StackProps) {
  return (
    <span
      class={`stack${bar.note === undefined ? '' : ' is-partial'}`}
      style={{ height: `${(100 * bar.total) / max}%` }}
    >
      {categories.map(({ id, color }) => {
        const part = bar.parts[id] ?? 0
        if (part <= 0) return null
        const height = `${(100 * part) / bar.total}%`
        return <span key={id} class={id === 'idle' ? 'part is-idle' : 'part'} style={{ height, background: color }} />
      })}
    </span>
  )
}

function Legend({ categories, shown, label, absent }: StackedBarProps & { readonly shown: Bar }) {
  return (
    <table class="legend" aria-label={`${label}: ${shown.label}`}>
      <thead>
        <tr>
          <th scope="col">{shown.label}</th>
          <td title={exactNs(shown.total)}>{formatNs(shown.total)}</td>
          <td class="soft">{shown.note ?? '100 %'}</td>
        </tr>
      </thead>
      <tbody>
        {categories.map((category) => {
          const part = shown.parts[category.id] ?? 0
          return (
            <tr key={category.id} class={part === 0 ? 'is-zero' : ''}>
              <th scope="row">
                <span
                  class={category.id === 'idle' ? 'swatch is-idle' : 'swatch'}
                  style={{ background: category.color }}
                />
                {category.title}
                <Definition of={category.title} text={category.definition} />
              </th>
              {absent.has(category.id) ? (
                <td colSpan={2}>not recorded</td>
              ) : (
                <>
                  <td title={exactNs(part)}>{formatNs(part)}</td>
                  <td>{formatShare(shown.total > 0 ? part / shown.total : 0)}</td>
                </>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** The same values as a table, for those who cannot or do not want to point. */
export function StackedTable({
  label,
  categories,
  average,
  bars,
  absent,
}: Omit<StackedBarProps, 'selected' | 'onSelect'>) {
  return (
    <div class="twin">
      <table class="table is-small" aria-label={label}>
        <thead>
          <tr>
            <th scope="col" class="is-text">
              Step
            </th>
            <th scope="col">Total</th>
            {categories.map(({ id, title }) => (
              <th key={id} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[average, ...bars].map((bar) => (
            <tr key={bar.id}>
              <th scope="row" class="is-text">
                {bar.label}
                {bar.note === undefined ? '' : ` (${bar.note})`}
              </th>
              <td title={exactNs(bar.total)}>{formatNs(bar.total)}</td>
              {categories.map(({ id }) => (
                <td key={id} title={exactNs(bar.parts[id] ?? 0)}>
                  {absent.has(id) ? 'not recorded' : formatNs(bar.parts[id] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function moveAlong(event: KeyboardEvent): void {
  const from = event.target
  if (!(from instanceof HTMLElement)) return
  const to =
    event.code === 'ArrowRight'
      ? from.nextElementSibling
      : event.code === 'ArrowLeft'
        ? from.previousElementSibling
        : null
  if (!(to instanceof HTMLElement)) return
  event.preventDefault()
  to.focus()
}
