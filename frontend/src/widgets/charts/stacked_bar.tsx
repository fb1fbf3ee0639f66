/** Bars of stacked parts on one time axis, with a legend of values that follows the bar pointed at, and a table twin. */
import './stacked_bar.css'
import '../table/table.css'

import { useEffect, useRef, useState } from 'preact/hooks'

import type { Category } from '../../base/categories'
import { exactNs, formatNs, formatShare } from '../../base/units'
import { ticks } from '../../layout/ticks'
import type { Changes } from '../../state/hash'
import { PlaceLink } from '../links/place_link'
import { Definition } from '../panel/popup'

/** A category of a bar, and where its figure leads to. */
export interface Part extends Category {
  readonly to?: Changes
  /** Not part of the bar: said under its parts. */
  readonly isBeside?: boolean
}

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
  readonly categories: readonly Part[]
  /** Set apart at the left: what the others are compared with. */
  readonly average: Bar
  readonly bars: readonly Bar[]
  /** Categories this profile cannot know of: "not recorded", never 0. */
  readonly absent: ReadonlySet<string>
  /** Ids of bars; none: no bar stands out. */
  readonly selected: ReadonlySet<string>
  /** A click or Enter on a bar, or Shift and an arrow to it. The average is not to be selected: undefined. */
  readonly onSelect: (id: string | undefined, keys: Keys) => void
}

/** Which keys were held. */
export interface Keys {
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

export function StackedBars(props: StackedBarProps) {
  const { average, bars, selected, onSelect } = props
  const [pointed, setPointed] = useState<string>()
  const max = Math.max(average.total, ...bars.map((bar) => bar.total))
  const all = [average, ...bars]
  const every = Math.max(1, Math.ceil(bars.length / 16)) // which bars are marked: what has room for two digits
  const shown = all.find((bar) => bar.id === pointed) ?? average
  const first = bars.find((bar) => selected.has(bar.id)) ?? average
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current !== null && first !== average) reveal(box.current, first.id)
  }, [first.id])
  const moveAlong = (event: KeyboardEvent): void => {
    const to = neighbour(event)
    if (to === undefined) return
    event.preventDefault()
    to.focus()
    if (event.shiftKey) onSelect(idOf(to), event)
  }
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
          ref={box}
          class={`stacked-bars${bars.length > 40 ? ' is-dense' : ''}${selected.size > 0 ? ' has-selection' : ''}`}
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
              tabIndex={bar === first ? 0 : -1}
              data-id={index === 0 ? undefined : bar.id}
              aria-pressed={IS_REPORT || index === 0 ? undefined : selected.has(bar.id)}
              aria-label={`${bar.label}: ${formatNs(bar.total)}`}
              title={`${bar.label}: ${exactNs(bar.total)}${bar.note === undefined ? '' : ` (${bar.note})`}`}
              onMouseEnter={() => setPointed(bar.id)}
              onFocus={() => setPointed(bar.id)}
              onBlur={() => setPointed(undefined)}
              onClick={(event) => onSelect(index === 0 ? undefined : bar.id, event)}
              onKeyDown={(event) => {
                // With Ctrl or Shift held, browsers do not agree on whether Enter is a click.
                if (event.code !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return
                event.preventDefault()
                onSelect(index === 0 ? undefined : bar.id, event)
              }}
            >
              <span class="stacked-track">
                <Stack bar={bar} categories={props.categories} max={max} />
              </span>
              <span class="stacked-label">{index === 0 || (index - 1) % every === 0 ? bar.mark : ''}</span>
            </button>
          ))}
        </div>
      </div>
    </div>
  )
}

interface StackProps {
  readonly bar: Bar
  readonly categories: readonly Part[]
  readonly max: number
}

/** One bar's parts, the first category at the bottom. */
function Stack({ bar, categories, max }: StackProps) {
  return (
    <span
      class={`stack${bar.note === undefined ? '' : ' is-partial'}`}
      style={{ height: `${(100 * bar.total) / max}%` }}
    >
      {categories.map(({ id, color, isBeside }) => {
        const part = bar.parts[id] ?? 0
        if (part <= 0 || isBeside === true) return null
        const height = `${(100 * part) / bar.total}%`
        return <span key={id} class={isEmpty(id) ? 'part is-idle' : 'part'} style={{ height, background: color }} />
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
            <tr
              key={category.id}
              class={`${part === 0 ? 'is-zero' : ''}${category.isBeside === true ? ' is-beside' : ''}`}
            >
              <th scope="row">
                {category.isBeside !== true && (
                  <span
                    class={isEmpty(category.id) ? 'swatch is-idle' : 'swatch'}
                    style={{ background: category.color }}
                  />
                )}
                {category.title}
                <Definition of={category.title} text={category.definition} />
              </th>
              {absent.has(category.id) ? (
                <td colSpan={2}>not recorded</td>
              ) : (
                <>
                  <td title={exactNs(part)}>
                    {category.to === undefined || part === 0 ? (
                      formatNs(part)
                    ) : (
                      <PlaceLink to={category.to}>{formatNs(part)}</PlaceLink>
                    )}
                  </td>
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
    <div class="twin" tabIndex={0} role="region" aria-label={`${label}, as a table`}>
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

/** Drawn as nothing: time of which nothing is known. */
function isEmpty(id: string): boolean {
  return id === 'idle' || id.startsWith('unknown')
}

/** The bar left or right of the focused one, where an arrow key asks for it. */
function neighbour({ code, target }: KeyboardEvent): HTMLElement | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  const to =
    code === 'ArrowRight' ? target.nextElementSibling : code === 'ArrowLeft' ? target.previousElementSibling : null
  return to instanceof HTMLElement ? to : undefined
}

/** Scrolls so far that the bar is seen. The page itself stays where it is. */
function reveal(box: HTMLElement, id: string): void {
  const bar = Array.from(box.children).find((each) => each instanceof HTMLElement && idOf(each) === id)
  if (bar === undefined) return
  const [outer, inner] = [box.getBoundingClientRect(), bar.getBoundingClientRect()]
  if (inner.left < outer.left || inner.right > outer.right) {
    box.scrollLeft += inner.left - outer.left - outer.width / 2
  }
}

function idOf(bar: HTMLElement): string | undefined {
  return bar.dataset['id']
}
