/** The filters of the top bar: a chip for each that is set, and a form to set them, whose code comes when it is opened. */
import './filters.css'

import { useEffect, useState } from 'preact/hooks'

import { sentence } from '../../data/reply'
import { FILTERS, filterText, filters } from '../../state/filters'
import type { FilterId } from '../../state/filters'
import { go } from '../../state/place'
import { Popup } from '../../widgets/panel/popup'
import type { FilterForm } from './filter_form'
import type { Profile } from '../../wire/profile'

interface FiltersProps {
  /** Undefined where many are shown: there is nothing to choose from. */
  readonly profile: Profile | undefined
  /** Which of them the view of now takes. */
  readonly taken: readonly FilterId[]
}

export function FilterBar({ profile, taken }: FiltersProps) {
  const set = filters.value
  return (
    <span class="filters" role="group" aria-label="Filters">
      {FILTERS.map((id) => {
        const value = set[id]
        return value !== undefined && <Chip key={id} id={id} value={value} isTaken={taken.includes(id)} />
      })}
      {profile !== undefined && (
        <Popup
          class="button is-small"
          label="Filter"
          name="Filter: add or change filters"
          title="Count only some steps, devices, streams, threads, a module or a name, in every view"
          content={() => <Form profile={profile} />}
        />
      )}
    </span>
  )
}

function Chip({ id, value, isTaken }: { readonly id: FilterId; readonly value: string; readonly isTaken: boolean }) {
  const text = filterText(id, value)
  return (
    <button
      type="button"
      class={`chip${isTaken ? '' : ' is-idle'}`}
      title={isTaken ? `Only ${text} counts. Click to remove` : `${text}: this view does not take it. Click to remove`}
      aria-label={`Remove filter ${text}${isTaken ? '' : ' not here'}`} // with what is seen, word by word
      onClick={() => go({ [id]: undefined })}
    >
      <span class="chip-text">{text}</span>
      {!isTaken && <span class="chip-note"> not here</span>}
      <span aria-hidden="true">×</span>
    </button>
  )
}

function Form({ profile }: { readonly profile: Profile }) {
  const [loaded, setLoaded] = useState<{ readonly form?: typeof FilterForm; readonly problem?: string }>({})
  useEffect(() => {
    import('./filter_form')
      .then(({ FilterForm: form }) => setLoaded({ form }))
      .catch((error: unknown) => setLoaded({ problem: sentence(error) }))
  }, [])
  const { form: Loaded, problem } = loaded
  return Loaded === undefined ? <p role="alert">{problem}</p> : <Loaded profile={profile} />
}
