import { useMemo } from 'preact/hooks'

import { formatCount, plural } from '../../../base/units'
import { exactValue, isText, short } from '../column'
import type { GridProps } from './props'

/** The sums, where somebody knows them. */
export function GridFoot<R>({ rows, figures, columns }: GridProps<R>) {
  // Rows may be many, and scrolling draws the table anew.
  const sums = useMemo(() => columns.map((column) => figures?.sum(column)), [figures, columns])
  const what = figures?.of ?? `Total of ${plural(rows.count, 'row')}`
  if (sums.every((sum) => sum === undefined))
    return (
      <tfoot>
        <tr aria-rowindex={rows.count + 2}>
          <th class="is-alone" colSpan={columns.length}>
            <span>{what}</span>
          </th>
        </tr>
      </tfoot>
    )
  return (
    <tfoot>
      <tr aria-rowindex={rows.count + 2}>
        {columns.map((column, index) => {
          const sum = sums[index]
          if (index === 0) return <th key={column.id}>{what}</th>
          return (
            <td
              key={column.id}
              class={isText(column) ? 'is-text' : ''}
              title={sum === undefined ? undefined : exactValue(column, sum)}
            >
              {sum === undefined ? '' : column.kind === 'count' ? formatCount(sum) : short(column, sum)}
            </td>
          )
        })}
      </tr>
    </tfoot>
  )
}
