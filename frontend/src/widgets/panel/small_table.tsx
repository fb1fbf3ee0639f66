/** A few rows of a name and some figures: what is behind a row of a table. */
import './small_table.css'

import type { ComponentChildren } from 'preact'

import { exactNs, formatNs, formatShare } from '../../base/units'

interface SmallTableProps {
  /** Over the names; '' where they are words of ours. */
  readonly first: string
  /** Over the figures; false: not there. */
  readonly columns: readonly (string | false)[]
  readonly class?: string
  /** Rows. The first cell is of class `is-text`. */
  readonly children: ComponentChildren
}

export function SmallTable({ first, columns, class: className = '', children }: SmallTableProps) {
  return (
    <table class={`small-table ${className}`.trim()}>
      <thead>
        <tr>
          {first === '' ? (
            <td />
          ) : (
            <th scope="col" class="is-text">
              {first}
            </th>
          )}
          {columns.map(
            (title) =>
              title !== false && (
                <th key={title} scope="col">
                  {title}
                </th>
              ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** A cell; null is "–": the time belongs to the row itself. */
export function TimeCell({ ns }: { readonly ns: number | null }) {
  return ns === null ? <td class="is-absent">–</td> : <td title={exactNs(ns)}>{formatNs(ns)}</td>
}

export function ShareCell({ part, whole }: { readonly part: number; readonly whole: number }) {
  return <td>{formatShare(part / Math.max(whole, 1))}</td>
}
