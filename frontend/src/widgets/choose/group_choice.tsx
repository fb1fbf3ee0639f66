/** By what rows are made: a choice of what the profile has, and why the others are not there. */
import type { GroupingChoice } from '../../wire/wire'
import { Definition } from '../panel/popup'
import { Select } from './select'

interface GroupChoiceProps {
  readonly label: string
  readonly value: string
  readonly groupings: readonly GroupingChoice[]
  readonly onChoose: (id: string) => void
}

export function GroupChoice({ label, value, groupings, onChoose }: GroupChoiceProps) {
  const offered = groupings.filter(({ id, missing }) => missing === null || id === value)
  const missing = groupings.filter((each) => each.missing !== null && each.id !== value)
  const why = missingOf(groupings, value)
  return (
    <>
      <Select
        label={label}
        value={value}
        options={offered.map(({ id, title }) => ({ id, label: heading(title) }))}
        onChoose={onChoose}
      />
      {why !== null && <span class="soft">{why}</span>}
      {missing.length > 0 && (
        <span class="soft">
          not by {missing.map(({ title }) => title).join(', ')}{' '}
          <Definition
            of="groups that were not recorded"
            text={missing.map((each) => `By ${each.title}: ${each.missing ?? ''}`).join(' ')}
          />
        </span>
      )}
    </>
  )
}

/** Why the profile has nothing to group by with this one, or null. */
export function missingOf(groupings: readonly GroupingChoice[], id: string): string | null {
  return groupings.find((each) => each.id === id)?.missing ?? null
}

/** What a grouping is called, as the head of a column. */
export function titleOf(groupings: readonly GroupingChoice[], id: string): string {
  return heading(groupings.find((each) => each.id === id)?.title ?? id)
}

function heading(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}
