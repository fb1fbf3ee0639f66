/** A few rows whose columns are no figures of a row: bins, steps, states. Rows of figures are a `FigureTable`. */
import './small_table.css'

import type { ComponentChildren } from 'preact'

import { exactNs, formatNs } from '../../base/units'

interface SmallTableProps {
  /** Over the names; '' where they are words of ours. */
  readonly first: string
  /** Over the figures. */
  readonly columns: readonly string[]
  /** Rows. The first cell is of class `is-text`. */
  readonly children: ComponentChildren
}

export function SmallTable({ first, columns, children }: SmallTableProps) {
  return (
    <table class="small-table">
      <thead>
        <tr>
          {first === '' ? (
            <td />
          ) : (
            <th scope="col" class="is-text">
              {first}
            </th>
          )}
          {columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** A cell of time; null is "–". */
export function TimeCell({ ns }: { readonly ns: number | null }) {
  return ns === null ? <td class="is-absent">–</td> : <td title={exactNs(ns)}>{formatNs(ns)}</td>
}
