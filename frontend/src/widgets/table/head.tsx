import { Definition } from '../popup'
import type { Column } from './column'
import { isText } from './column'
import type { Sort } from './order'

interface TableHeadProps<R> {
  readonly columns: readonly Column<R>[]
  readonly sort: Sort
  readonly onSort: (column: Column<R>) => void
}

export function TableHead<R>({ columns, sort, onSort }: TableHeadProps<R>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const isSorted = sort.column === column.id
          return (
            <th
              key={column.id}
              scope="col"
              class={isText(column) ? 'is-text' : ''}
              aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
            >
              <span class="head">
                <button
                  type="button"
                  class="head-sort"
                  onClick={() => onSort(column)}
                  title={`Sort by ${column.title}`}
                >
                  {column.title}
                  {isSorted && <span aria-hidden="true">{sort.descending ? ' ▾' : ' ▴'}</span>}
                </button>
                <Definition of={column.title} text={column.definition} />
              </span>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
