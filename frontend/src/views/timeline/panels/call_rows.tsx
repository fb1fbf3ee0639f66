/** The calls of a flame graph as rows that open and close: by their arrows, or by the keys of a tree. */
import '../../../widgets/twisty.css'

import { useState } from 'preact/hooks'

import { exactCount, exactNs, formatCount, formatNs, formatShare } from '../../../base/units'
import { Definition } from '../../../widgets/panel/popup'
import { words } from '../../../widgets/words'
import * as define from '../definitions'
import { outline, withTurned } from '../store/call_tree'
import type { CallLine, CallTree } from '../store/call_tree'
import type { TimelineStore } from '../store/store'

const MOST_ROWS = 200 // at once, as far as one reads
const OPEN = 'timeline.open'

interface CallRowsProps {
  readonly store: TimelineStore
  readonly tree: CallTree
  readonly zoom: number
  readonly whole: number
  readonly hits: ReadonlySet<number> | undefined
  readonly kept: ReadonlySet<number> | undefined
  readonly onChoose: (id: number) => void
  readonly onMenu: (id: number, event: MouseEvent) => void
}

export function CallRows({ store, tree, zoom, whole, hits, kept, onChoose, onMenu }: CallRowsProps) {
  const [most, setMost] = useState(MOST_ROWS)
  const opened = store.link.read()[OPEN] ?? ''
  const all = outline(tree, zoom, opened, kept)
  const lines = all.slice(0, most)
  const isAll = opened.includes('~-1')
  const turn = (id: number, withAll = false): void => store.link.go({ [OPEN]: withTurned(tree, opened, id, withAll) })
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as Element).closest('tr')
    const place = (row?.rowIndex ?? 0) - 1
    const line = lines[place]
    if (row === null || line === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const next = nextOf(lines, place, event.key)
    if (event.key === '*') turn(line.id, true)
    else if (line.isOpen === (event.key === 'ArrowLeft') && /^Arrow(Left|Right)$/.test(event.key)) turn(line.id)
    else if (next === undefined) return
    else row.parentElement?.children[next]?.querySelector<HTMLElement>('.link')?.focus()
    event.preventDefault()
    event.stopPropagation() // where * lies on a digit's key that is no other view
  }
  return (
    <>
      <table class="tl-call-rows" role="treegrid" aria-label="Calls">
        <thead>
          <tr>
            <th scope="col">
              Call{' '}
              <button
                type="button"
                class="button is-small"
                title="* opens a row with all below it, → and ← open and close it"
                onClick={() => store.link.go({ [OPEN]: isAll ? undefined : '~-1' })}
              >
                {isAll ? 'Close all' : 'Open all'}
              </button>
            </th>
            <Heading title="Total" text={define.call_time_ns} />
            <th scope="col" class="number">
              %
            </th>
            <Heading title="Self" text={define.call_self_ns} />
            <Heading title="Calls" text={define.call_count} />
            <th scope="col" />
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {lines.map(({ id, row, depth, isOpen }) => (
            <tr
              key={id}
              class={`${id === zoom ? 'is-selected' : ''} ${hits?.has(id) === true ? 'is-hit' : ''}`}
              aria-level={depth + 1}
              aria-expanded={isOpen}
              onContextMenu={(event) => onMenu(id, event)}
            >
              <td class="mono" title={row.name} style={{ paddingLeft: `${8 + 14 * depth}px` }}>
                <button
                  type="button"
                  class="twisty"
                  tabIndex={-1}
                  aria-label={`${isOpen === true ? 'Close' : 'Open'} ${row.name}`}
                  disabled={isOpen === undefined}
                  onClick={() => turn(id)}
                >
                  {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
                </button>
                <button type="button" class="link mono" onClick={() => onChoose(id)}>
                  {row.name}
                </button>
              </td>
              <td class="number" title={exactNs(row.time_ns)}>
                {formatNs(row.time_ns)}
              </td>
              <td class="number">{formatShare(row.time_ns / whole)}</td>
              <td class="number" title={exactNs(row.self_ns)}>
                {formatNs(row.self_ns)}
              </td>
              <td class="number">{formatCount(row.count)}</td>
              <td>
                <button
                  type="button"
                  class="button is-small"
                  aria-label="Show the longest"
                  title={words(define.call_longest)}
                  onClick={() => store.visit(row.longest)}
                >
                  Longest
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length < all.length && (
        <p class="soft tl-none">
          {exactCount(most)} of {exactCount(all.length)} rows.{' '}
          <button type="button" class="link" onClick={() => setMost(most + MOST_ROWS)}>
            More
          </button>
        </p>
      )}
    </>
  )
}

/** The row that a key leads to. */
function nextOf(lines: readonly CallLine[], place: number, key: string): number | undefined {
  const { depth = 0, isOpen } = lines[place] ?? {}
  if (key === 'ArrowDown' || (key === 'ArrowRight' && isOpen === true)) return place + 1
  if (key === 'ArrowUp') return place - 1
  if (key !== 'ArrowLeft') return undefined
  return lines.findLastIndex((line, nth) => nth < place && line.depth < depth)
}

function Heading({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <th scope="col" class="number">
      {title} <Definition of={title} text={text} />
    </th>
  )
}
