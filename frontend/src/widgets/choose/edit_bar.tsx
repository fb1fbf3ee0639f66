/** What is otherwise, each edit with a button that takes it away, and a field for more; they stand in the link, one a line. */
import './edit_bar.css'

import { Names } from '../../base/names'
import { at, go } from '../../state/place'
import { parseEdits, withEdit, withoutEdit } from './edits'

const NAME_CHARACTERS = 60

interface EditBarProps {
  /** The key of the link. */
  readonly id: string
  readonly label: string
  /** What can be typed. */
  readonly examples: readonly string[]
}

export function EditBar({ id, label, examples }: EditBarProps) {
  const edits = parseEdits(at(id))
  const names = new Names(edits)
  return (
    <form
      class="edits"
      onSubmit={(event) => {
        event.preventDefault()
        const field = event.currentTarget.elements.namedItem('edit')
        if (field instanceof HTMLInputElement) {
          go({ [id]: withEdit(edits, field.value) })
          field.value = ''
        }
      }}
    >
      {edits.map((edit) => (
        <button
          key={edit}
          type="button"
          class="edit mono"
          title={edit}
          aria-label={`Remove ${edit}`}
          onClick={() => go({ [id]: withoutEdit(edits, edit) })}
        >
          {names.cut(edit, NAME_CHARACTERS)} <span aria-hidden="true">×</span>
        </button>
      ))}
      <input type="text" name="edit" class="mono" list={id} placeholder={examples[0]} aria-label={label} />
      <datalist id={id}>
        {examples.map((example) => (
          <option key={example} value={example} />
        ))}
      </datalist>
      <button type="submit" class="button">
        Add edit
      </button>
    </form>
  )
}
