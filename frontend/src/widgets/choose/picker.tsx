/** A list to choose from that may be long: type to narrow, arrows and Enter to choose. Entries stay in the order given. */
import './picker.css'

import { useEffect, useRef, useState } from 'preact/hooks'

import { exactCount } from '../../base/units'
import { Popup } from '../panel/popup'

export interface Entry {
  readonly id: string
  readonly label: string
  /** Beside the label: how many, how far, since when. */
  readonly note?: string
  readonly bad?: boolean
  /** A second line: why it failed. */
  readonly reason?: string
  /** Shown when pointed at, and found by typing: what the label stands for. */
  readonly hint?: string | undefined
}

const MOST = 300 // drawn at once; the rest is reached by typing

interface PickerProps {
  readonly name: string
  readonly label: string
  readonly entries: readonly Entry[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

export function Picker({ name, label, entries, chosen, onChoose }: PickerProps) {
  return (
    <span class="picker">
      <span class="picker-name">{name}</span>
      <Popup
        class="picker-button"
        title={`${name}: ${label}`}
        name={`${name}: ${label}. Choose another`}
        label={<span class="picker-label">{label}</span>}
        content={(close) => (
          <PickerList
            name={name}
            entries={entries}
            chosen={chosen}
            onChoose={(id) => {
              close()
              onChoose(id)
            }}
          />
        )}
      />
    </span>
  )
}

function PickerList({ name, entries, chosen, onChoose }: Omit<PickerProps, 'label'>) {
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      entries.findIndex((entry) => entry.id === chosen),
    ),
  )
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const words = query.toLowerCase().split(/\s+/)
  const found = entries.filter((entry) =>
    words.every((word) => `${entry.label} ${entry.note ?? ''} ${entry.hint ?? ''}`.toLowerCase().includes(word)),
  )
  // The entry of now must be among those drawn, wherever it stands.
  const from = query === '' ? Math.max(0, Math.min(active - MOST / 2, found.length - MOST)) : 0
  const drawn = found.slice(from, from + MOST)

  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [active, query])

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.code === 'ArrowDown' ? 1 : event.code === 'ArrowUp' ? -1 : 0
    const entry = found[active]
    if (step !== 0) setActive(Math.max(0, Math.min(found.length - 1, active + step)))
    else if (event.code === 'Enter' && entry !== undefined) onChoose(entry.id)
    else return
    event.preventDefault()
  }

  return (
    <div class="picker-list" onKeyDown={onKeyDown}>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`list-${name}`}
        aria-activedescendant={`${name}-${active}`}
        aria-label={`Search ${name}s`}
        placeholder={`Search ${exactCount(entries.length)} ${name}${entries.length === 1 ? '' : 's'}`}
        spellcheck={false}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setActive(0)
        }}
      />
      <ul ref={list} id={`list-${name}`} role="listbox" aria-label={`${name}s`}>
        {drawn.map((entry, index) => (
          <li
            key={entry.id}
            id={`${name}-${from + index}`}
            role="option"
            aria-selected={entry.id === chosen}
            data-active={from + index === active ? '' : undefined}
            onClick={() => onChoose(entry.id)}
            title={entry.hint ?? entry.reason ?? entry.label}
          >
            <span class="entry-label">{entry.label}</span>
            <span class={`entry-note${entry.bad === true ? ' is-bad' : ''}`}>{entry.note}</span>
            {entry.reason !== undefined && <span class="entry-reason">{entry.reason}</span>}
          </li>
        ))}
      </ul>
      {found.length > drawn.length && (
        <p class="soft">{exactCount(found.length - drawn.length)} more: type to narrow the list.</p>
      )}
      {found.length === 0 && <p class="soft">Nothing matches.</p>}
    </div>
  )
}
