import { useMemo } from 'preact/hooks'

import { formatCount, plural } from '../../base/units'
import { wholeName } from '../../state/filters'
import { exactValue, isText, short } from './column'
import { total } from './order'
import type { TableProps } from './table'

/** The sums of the rows shown, or of the whole profile where the view knows them. */
export function TableFoot<R>({ rows, shown, columns, totalOf }: TableProps<R>) {
  // Rows may be many, and scrolling draws the table anew.
  const sums = useMemo(
    () => columns.map((column) => (totalOf === undefined ? total(rows, shown, column) : totalOf(column))),
    [rows, shown, columns, totalOf],
  )
  return (
    <tfoot>
      <tr aria-rowindex={shown.length + 2}>
        {columns.map((column, index) => {
          const sum = sums[index]
          if (index === 0)
            return <th key={column.id}>{totalOf ? wholeName() : `Total of ${plural(shown.length, 'row')}`}</th>
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
