/** A few rows with the figures that Python declares of them: a short list, or what is behind a row of a table. */
import { Names } from '../../base/names'
import { Definition } from '../panel/popup'
import { words } from '../words'
import { exactValue, isText, short } from './column'
import type { Column, Figure } from './column'

interface FigureTableProps<R> {
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  /** How it looks. */
  readonly class?: string
  /** Monospace characters that fit into a name. */
  readonly characters?: number
  /** With a "?" at each head but the first, which calls a figure by its whole title. */
  readonly explained?: Readonly<Record<string, Figure>>
  /** A share that is a bar behind its value, too. */
  readonly bar?: string
}

const NAME_CHARACTERS = 44

export function FigureTable<R>(props: FigureTableProps<R>) {
  const { columns, rows, class: className = 'small-table', characters = NAME_CHARACTERS, explained } = props
  const names = columns.map(
    (column) => new Names(isText(column) ? rows.map((row) => String(column.value(row) ?? '')) : []),
  )
  return (
    <table class={className}>
      <thead>
        <tr>
          {columns.map((column, place) => (
            <th
              key={column.id}
              scope="col"
              class={classOf(column)}
              title={explained === undefined ? words(column.definition) : undefined}
            >
              {column.title}
              {place > 0 && explained !== undefined && (
                <Definition of={explained[column.id]?.title ?? column.title} text={column.definition} />
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map((column, place) => {
              const value = column.value(row)
              const Cell = place === 0 ? 'th' : 'td'
              const isBar = column.id === props.bar && typeof value === 'number'
              return (
                <Cell
                  key={column.id}
                  {...(place === 0 ? { scope: 'row' } : {})}
                  class={`${classOf(column)}${value === null && !isText(column) ? ' is-absent' : ''}`}
                  title={value === null ? undefined : exactValue(column, value)}
                  {...(isBar ? { 'data-bar': '', style: { '--share': `${value * 100}%` } } : {})}
                >
                  {column.draw?.(row, characters, names[place] as Names) ?? short(column, value)}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function classOf<R>(column: Column<R>): string {
  return isText(column) ? 'is-text' : `is-${column.kind}`
}
