import './column_choice.css'

import { go } from '../../../state/place'
import { Popup } from '../../panel/popup'
import { absentWord } from '../column'
import type { Column } from '../column'

interface ColumnChoiceProps<R> {
  readonly id: string
  readonly columns: readonly Column<R>[]
  readonly chosen: readonly Column<R>[]
}

export function ColumnChoice<R>({ id, columns, chosen }: ColumnChoiceProps<R>) {
  const shown = chosen.slice(1)
  const show = (next: readonly Column<R>[]): void => {
    // An empty list would read as "no choice made": the name alone is listed by its own id.
    const ids = next.length === 0 ? [columns[0]] : next
    go({ [`${id}.cols`]: ids.map((each) => each?.id).join(',') })
  }
  const toggle = (column: Column<R>): void =>
    show(shown.includes(column) ? shown.filter((each) => each !== column) : [...shown, column])
  const moveUp = (column: Column<R>): void => {
    const others = shown.filter((each) => each !== column)
    show(others.toSpliced(shown.indexOf(column) - 1, 0, column))
  }
  return (
    <Popup
      label="Columns"
      content={() => (
        <div class="choices">
          {[...shown, ...columns.slice(1).filter((column) => !shown.includes(column))].map((column) => (
            <div key={column.id}>
              <label>
                <input type="checkbox" checked={shown.includes(column)} onChange={() => toggle(column)} />{' '}
                {column.title}
                {column.isEmpty === true && <span class="soft"> {absentWord(column)}</span>}
              </label>
              {shown.indexOf(column) > 0 && (
                <button
                  type="button"
                  class="button is-plain"
                  aria-label={`${column.title}: one place to the left`}
                  title="One place to the left"
                  onClick={() => moveUp(column)}
                >
                  ←
                </button>
              )}
            </div>
          ))}
          <button type="button" class="button" onClick={() => go({ [`${id}.cols`]: undefined })}>
            Usual columns
          </button>
        </div>
      )}
    />
  )
}
