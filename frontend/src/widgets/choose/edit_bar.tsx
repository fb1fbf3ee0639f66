/** What is otherwise, each edit with a button that takes it away, and a field for more; they stand in the link, one a line. */
import './edit_bar.css'

import { useState } from 'preact/hooks'

import { Names } from '../../base/names'
import type { Changes } from '../../state/hash'
import { at, go } from '../../state/place'
import { parseEdits, withEdit, withoutEdit } from './edits'

const NAME_CHARACTERS = 60

interface EditBarProps {
  /** The key of the link. */
  readonly id: string
  readonly label: string
  /** What can be typed. */
  readonly examples: readonly string[]
  /** What stands between them: a line's end. */
  readonly by?: string
  /** Of the field. */
  readonly title?: string
  readonly placeholder?: string | undefined
  /** Why what is typed is not to be added: it stands beside the field, and what there was is as it was. */
  readonly check?: (typed: string) => Promise<string | undefined>
  /** On the button; else Enter adds. */
  readonly add?: string
  /** What else in the link is of the edits as they were. */
  readonly and?: Changes
}

/** The first of each: `rank=5` of all ranks. */
function sortsOf(examples: readonly string[]): string {
  const sort = (example: string) => example.split(/[ :=]/)[0]
  return examples.filter((one, at) => examples.findIndex((other) => sort(other) === sort(one)) === at).join(', ')
}

export function EditBar({ id, label, examples, by, title, placeholder = examples[0], add, check, and }: EditBarProps) {
  const [refused, setRefused] = useState<string>()
  const [asked, setAsked] = useState<string>() // the answer may take a while
  const edits = parseEdits(at(id), by)
  const names = new Names(edits)
  return (
    <form
      class="edits"
      onSubmit={(event) => {
        event.preventDefault()
        const field = event.currentTarget.elements.namedItem('edit')
        if (field instanceof HTMLInputElement) {
          const typed = field.value
          const take = (): void => {
            go({ ...and, [id]: withEdit(parseEdits(at(id), by), typed, by) })
            if (field.value === typed) field.value = ''
          }
          if (typed === asked) return
          setRefused(undefined)
          if (add !== undefined && typed.trim() === '')
            setRefused(`Type one of these: ${sortsOf(examples) || 'nothing is known yet'}.`)
          else if (check === undefined) take()
          else {
            setAsked(typed)
            void check(typed).then((why) => {
              setAsked((now) => (now === typed ? undefined : now))
              if (why === undefined) take()
              else setRefused(why)
            })
          }
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
          onClick={() => go({ ...and, [id]: withoutEdit(edits, edit, by) })}
        >
          {names.cut(edit, NAME_CHARACTERS)} <span aria-hidden="true">×</span>
        </button>
      ))}
      <input
        type="text"
        name="edit"
        class="mono"
        list={id}
        placeholder={placeholder}
        title={title}
        aria-label={label}
      />
      <datalist id={id}>
        {examples.map((example) => (
          <option key={example} value={example} />
        ))}
      </datalist>
      {add !== undefined && (
        <button type="submit" class="button">
          {add}
        </button>
      )}
      {asked !== undefined && (
        <span class="soft" role="status">
          Working out {asked}…
        </span>
      )}
      {refused !== undefined && (
        <span class="is-bad" role="alert">
          {refused}
        </span>
      )}
    </form>
  )
}
