/** The form behind "Filter": what can be chosen in this profile. */
import './filter_form.css'

import { useReply } from '../../data/reply'
import { NO_FILTERS, filters, listOf, numbersIn, toggled } from '../../state/filters'
import type { FilterId } from '../../state/filters'
import { go } from '../../state/place'
import { stepChanges } from '../../views/links'
import type { Profile } from '../../wire/profile'

export function FilterForm({ profile }: { readonly profile: Profile }) {
  const reply = useReply('choices', profile, {})
  const { value, error } = reply.value
  const set = filters.value
  if (error !== undefined) return <p class="filter-form">{error}</p>
  if (value === undefined) return <p class="filter-form">Asking the server…</p>
  const { steps, no_steps: noSteps, devices, threads } = value
  const streams = [...new Set(devices.flatMap((device) => device.streams))].sort((a, b) => a - b)
  return (
    <div class="filter-form" role="group" aria-label="Filters">
      {steps.length > 0 ? (
        <Text
          id="steps"
          label="Steps"
          hint={stepsHint(steps.map((step) => step.number))}
          isGood={(text) => text === '' || numbersIn(text).length > 0}
        />
      ) : (
        <p class="soft">{noSteps}</p>
      )}
      <Numbers
        id="devices"
        label="Devices"
        entries={devices.map(({ index, name }) => ({
          number: index,
          text: name === '' ? `${index}` : `${index} · ${name}`,
        }))}
      />
      <Numbers id="streams" label="Streams" entries={streams.map((number) => ({ number, text: String(number) }))} />
      {threads.length > 1 && (
        <fieldset>
          <legend>Threads</legend>
          <div class="filter-list">
            {threads.map(({ id, name }) => (
              <Check
                key={id}
                text={name}
                isOn={words(set.threads).includes(id)}
                onToggle={() => go({ threads: withOrWithout(words(set.threads), id).join(',') })}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Text id="module" label="Module" hint="its path, as in the Modules view" />
      <Text id="inside" label="Name" hint="regular expression (RE2): events named so, and all inside them" />
      <Text id="dimension" label="Dimension" hint="collectives of it, by the words of the overview: tensor, data" />
      <button
        type="button"
        class="button is-small"
        disabled={Object.keys(set).length === 0}
        onClick={() => go(NO_FILTERS)}
      >
        Remove all
      </button>
    </div>
  )
}

/** With an example of their own. */
function stepsHint(numbers: readonly number[]): string {
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? first
  return numbers.length < 2 ? `${first} is the only one` : `of ${listOf(numbers) ?? ''}: ${last} or ${first}-${last}`
}

interface TextProps {
  readonly id: FilterId
  readonly label: string
  readonly hint: string
  /** What it can be without asking; the rest the server decides. */
  readonly isGood?: (text: string) => boolean
}

/** Applies with Enter and when left; what cannot be read is marked and not sent. */
function Text({ id, label, hint, isGood = () => true }: TextProps) {
  const set = (input: HTMLInputElement): void => {
    const text = input.value.trim()
    input.setAttribute('aria-invalid', String(!isGood(text)))
    if (isGood(text)) go(id === 'steps' ? stepChanges(text) : { [id]: text })
  }
  return (
    <label class="filter-text">
      <span>{label}</span>
      <input
        type="text"
        spellcheck={false}
        placeholder={hint}
        title={hint}
        defaultValue={filters.value[id] ?? ''}
        onChange={(event) => set(event.currentTarget)}
      />
    </label>
  )
}

interface NumbersProps {
  readonly id: 'devices' | 'streams'
  readonly label: string
  readonly entries: readonly { readonly number: number; readonly text: string }[]
}

/** A choice of one is none. */
function Numbers({ id, label, entries }: NumbersProps) {
  const set = filters.value[id]
  const chosen = numbersIn(set)
  if (entries.length < 2) return null
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="filter-list">
        {entries.map(({ number, text }) => (
          <Check
            key={number}
            text={text}
            isOn={chosen.includes(number)}
            onToggle={() => go({ [id]: toggled(set, number) })}
          />
        ))}
      </div>
    </fieldset>
  )
}

interface CheckProps {
  readonly text: string
  readonly isOn: boolean
  readonly onToggle: () => void
}

function Check({ text, isOn, onToggle }: CheckProps) {
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={onToggle} /> {text}
    </label>
  )
}

function words(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '')
}

function withOrWithout(list: readonly string[], word: string): string[] {
  return list.includes(word) ? list.filter((each) => each !== word) : [...list, word]
}
