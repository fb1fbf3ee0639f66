/** The sum as a tree: a row is the sum of the rows below it, whatever is open. Arrows walk it, Enter opens. */
import { useMemo } from 'preact/hooks'

import { cutMiddle } from '../../base/cut'
import { exactNs, formatNs, signedNs } from '../../base/units'
import { at, go } from '../../state/place'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import type { ChangeRow, Item, LongestAt, Pair } from '../../wire/wire'
import { timelineAt } from '../timeline_link'
import * as define from './definitions'
import { Delta } from './delta'
import { childCounts, formatToggled, inSight, openAtFirst, parseToggled, toggledWith } from './rows'
import { bothAtRow } from './timelines'
import { callsOf } from './words'

const NAME_CHARACTERS = 64
const MOST_ROWS = 600 // drawn: more is not read

const HEADS = [
  ['A', define.a_ns],
  ['B', define.b_ns],
  ['Δ', define.delta_ns],
  ['calls', `${define.a_calls}\n${define.b_calls}`],
  ['by count', define.count_ns],
  ['by duration', define.duration_ns],
  ['of it by size', define.size_ns],
  ['matched by', define.matched],
] as const

export function ChangeTree({ a, pair }: { readonly a: Item; readonly pair: Pair }) {
  const { rows, b, step } = pair
  const toggled = parseToggled(at('compare.toggled'))
  const shown = useMemo(() => inSight(rows, toggled), [rows, at('compare.toggled')])
  const below = useMemo(() => childCounts(rows), [rows])
  const open = useMemo(() => openAtFirst(rows), [rows])
  const isOpen = (row: ChangeRow): boolean => open.has(row.id) !== toggled.has(row.id)
  const toggle = (row: ChangeRow): void => {
    if (below.has(row.id)) go({ 'compare.toggled': formatToggled(toggledWith(toggled, row.id)) })
  }
  return (
    <div class="compare-scroll">
      <table
        class="compare-tree"
        role="treegrid"
        aria-label="What changed"
        onKeyDown={(event) => walk(event, shown, isOpen, toggle)}
      >
        <thead>
          <tr>
            <th scope="col">Name</th>
            {HEADS.map(([title, text]) => (
              <th scope="col" key={title}>
                {title} <Definition of={title} text={text} />
              </th>
            ))}
            <th scope="col">timeline</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, MOST_ROWS).map((row, place) => (
            <tr
              key={row.id}
              id={`compare-row-${row.id}`}
              class={`kind-${row.kind}`}
              tabIndex={place === 0 ? 0 : -1}
              aria-level={row.depth + 1}
              aria-expanded={below.has(row.id) ? isOpen(row) : undefined}
            >
              <th scope="row" style={{ '--depth': row.depth }} title={row.name}>
                {below.has(row.id) ? (
                  <button
                    type="button"
                    class="compare-open"
                    tabIndex={-1}
                    aria-label={`${isOpen(row) ? 'Close' : 'Open'} ${row.name}`}
                    onClick={() => toggle(row)}
                  >
                    {isOpen(row) ? '▾' : '▸'}
                  </button>
                ) : (
                  <span class="compare-open" />
                )}
                <span class="mono">{cutMiddle(row.name, NAME_CHARACTERS)}</span>
              </th>
              <td title={exactNs(row.a_ns)}>{formatNs(row.a_ns)}</td>
              <td title={exactNs(row.b_ns)}>{formatNs(row.b_ns)}</td>
              <td>
                <Delta ns={row.delta_ns} verdict={row.verdict} p={row.p} />
              </td>
              <td>{callsOf(row)}</td>
              <td>{row.count_ns === null ? '' : signedNs(row.count_ns)}</td>
              <td>{row.duration_ns === null ? '' : signedNs(row.duration_ns)}</td>
              <td>{row.size_ns === null ? '' : signedNs(row.size_ns)}</td>
              <td class="is-text">{row.matched === 'sum' ? '' : row.matched}</td>
              <td class="is-text">
                <Lead item={a} at={row.a_at} name="A" /> <Lead item={b} at={row.b_at} name="B" />{' '}
                <LeadBoth a={a} b={b} row={row} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={10}>
              B {formatNs(step.b_mean_ns)} = A {formatNs(step.a_mean_ns)} {step.delta_ns < 0 ? '−' : '+'}{' '}
              {formatNs(Math.abs(step.delta_ns))}: every row is the sum of the rows below it, to the nanosecond
              {shown.length > MOST_ROWS && `; ${shown.length - MOST_ROWS} rows more are open than are drawn`}
            </th>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

/** To the row's longest event in the timeline of that profile. */
function Lead({
  item,
  at: found,
  name,
}: {
  readonly item: Item
  readonly at: LongestAt | null
  readonly name: string
}) {
  const profile = found === null ? undefined : item.members[found.recording]
  if (found === null || profile === undefined) return null
  return (
    <PlaceLink
      to={timelineAt(profile, found.start_ns, found.lasted_ns)}
      class="link"
      title={`${name}'s longest, ${formatNs(found.lasted_ns)}, in the timeline`}
    >
      {name} ↗
    </PlaceLink>
  )
}

/** To the longest events of both sides, one above the other. */
function LeadBoth({
  a,
  b,
  row: { a_at: onA, b_at: onB },
}: {
  readonly a: Item
  readonly b: Item
  readonly row: ChangeRow
}) {
  const [ofA, ofB] = [onA && a.members[onA.recording], onB && b.members[onB.recording]]
  if (onA === null || onB === null || !ofA || !ofB) return null
  return (
    <PlaceLink
      to={bothAtRow({ profile: ofA, ...onA }, { profile: ofB, ...onB })}
      class="link"
      title="A's longest above B's longest, both beginning at one place of the axis"
    >
      both ↗
    </PlaceLink>
  )
}

/** Up and down go from row to row, left and right close and open, Home and End to the ends. */
function walk(
  event: KeyboardEvent,
  shown: readonly ChangeRow[],
  isOpen: (row: ChangeRow) => boolean,
  toggle: (row: ChangeRow) => void,
): void {
  const at = event.target instanceof HTMLElement ? event.target.closest('tr') : null
  const place = shown.findIndex((row) => at?.id === `compare-row-${row.id}`)
  const row = shown[place]
  if (row === undefined) return
  const target =
    event.code === 'ArrowDown'
      ? place + 1
      : event.code === 'ArrowUp'
        ? place - 1
        : event.code === 'Home'
          ? 0
          : event.code === 'End'
            ? shown.length - 1
            : undefined
  if (target !== undefined) focusRow(shown[target]?.id)
  else if (event.code === 'ArrowRight' && !isOpen(row)) toggle(row)
  else if (event.code === 'ArrowLeft' && isOpen(row)) toggle(row)
  else if (event.code === 'ArrowLeft') focusRow(row.parent)
  else if (event.code === 'Enter' && at === event.target) toggle(row)
  else return
  event.preventDefault()
}

export function focusRow(id: number | undefined): void {
  if (id !== undefined && id >= 0) document.getElementById(`compare-row-${id}`)?.focus()
}
