/** Type a few letters: views, steps, what the view's own buttons do, and the names in the profile with the views that have them.
    Enter goes there, or does it. */
import './palette.css'

import { useEffect, useRef, useState } from 'preact/hooks'

import { ask } from '../data/ask'
import { runs } from '../data/runs'
import { at, go } from '../state/place'
import type { Changes } from '../state/hash'
import { HOME, stepChanges, tablePlace } from '../views/links'
import { CutName, useCutNames } from '../widgets/cut_name'
import type { Profile } from '../wire/profile'
import type { TrackEvent } from '../wire/wire'
import { openHelp } from './help'
import { views } from './views'

const FIND_AFTER_MS = 150
const MOST = 40
const LOOKED_AT = 2000 // events whose names are listed

interface Command {
  readonly words: string
  /** What it is, beside its words. */
  readonly about: string
  readonly act: () => void
}

export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useCutNames<HTMLUListElement>()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useNames(text.trim())
  useEffect(() => dialog.current?.showModal(), [])
  const wanted = text.trim().toLowerCase()
  const commands = [...fixed(wanted).filter(({ words }) => words.toLowerCase().includes(wanted)), ...found].slice(
    0,
    MOST,
  )
  const place = Math.min(chosen, commands.length - 1)
  const act = (command: Command | undefined): void => {
    if (command === undefined) return
    dialog.current?.close()
    command.act()
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close() // the backdrop
      }}
    >
      <input
        type="text" // Escape would empty a search box first
        role="combobox"
        list={undefined}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${place}`}
        aria-label="Go to a view, a step, or a name in the profile"
        placeholder="View, action, step 7, or name of an operator, kernel, module"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setChosen(Math.min(place + 1, commands.length - 1))
          else if (event.key === 'ArrowUp') setChosen(Math.max(place - 1, 0))
          else if (event.key === 'Enter') act(commands[place])
          else return
          event.preventDefault()
        }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="Places">
        {commands.map((command, index) => (
          <li
            key={`${command.about} ${command.words}`}
            id={`palette-${index}`}
            role="option"
            title={command.words}
            aria-label={`${command.words} ${command.about}`}
            aria-selected={index === place}
            onClick={() => act(command)}
          >
            <CutName name={command.words} />
            <span class="soft">{command.about}</span>
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p class="soft">{noneFound(runs.value.gone)}</p>}
    </dialog>
  )
}

/** What is said of a name that is not in the list. */
export function noneFound(isServerGone: boolean): string {
  if (isServerGone) return 'Names are searched when the server answers again.'
  return `${IS_REPORT ? 'No view, operator, kernel or module' : 'Nothing'} is called that.`
}

const BUTTONS = 'header .button, main [role=toolbar] .button, .tl-list [aria-label]'

/** What a button of the page does, in its own words. What it opens in a closed menu is seen only in the open one. */
function ofButton(button: HTMLButtonElement): Command {
  const words = button.ariaLabel ?? button.innerText
  const act = (): void => {
    if (button.popoverTargetElement !== null) button.closest<HTMLElement>('[popover]')?.showPopover()
    button.click()
  }
  return { words: words.trim(), about: 'do it here', act }
}

function fixed(wanted: string): readonly Command[] {
  const steps = /^steps? ([\d,-]+)$/.exec(wanted)?.[1]
  return [
    ...(IS_REPORT || steps === undefined
      ? []
      : [{ words: wanted, about: 'filter', act: () => go(stepChanges(steps)) }]),
    ...views().map(({ id, title }) => ({ words: title, about: 'view', act: () => go({ view: id }) })),
    { words: 'All steps, all names', about: 'filter', act: () => go({ ...stepChanges(undefined), inside: undefined }) },
    { words: 'Keys and mouse', about: 'help', act: openHelp },
    ...[...document.querySelectorAll<HTMLButtonElement>(BUTTONS)]
      .filter((each) => each.matches(':enabled'))
      .map(ofButton),
  ]
}

/** Each name that holds the text, where it has a row, and in the timeline. */
function useNames(text: string): readonly Command[] {
  const [found, setFound] = useState<readonly Command[]>([])
  useEffect(() => {
    const stop = new AbortController()
    const { run, worker, span } = { run: at('run'), worker: at('worker'), span: at('span') }
    if (text.length < 2 || run === undefined || worker === undefined || span === undefined) {
      setFound([])
      return undefined
    }
    const timer = setTimeout(() => {
      const profile = { run, worker, span }
      const asked = !IS_REPORT
        ? ask('view/timeline/search', profile, { q: text, limit: LOOKED_AT }, stop).then(({ hits }) => commandsOf(hits))
        : inTables(profile, text.toLowerCase())
      asked.then((commands) => stop.signal.aborted || setFound(commands)).catch(() => undefined) // what is typed next asks again
    }, FIND_AFTER_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return found
}

/** A report has no search, but the tables. */
export async function inTables(profile: Profile, text: string): Promise<readonly Command[]> {
  const found = await Promise.all(
    (['operators', 'kernels', 'modules'] as const).map(async (view) => {
      const reply = await ask(`view/${view}`, profile, {}).catch(() => undefined) // it had no room for this one
      return (reply?.result?.rows ?? [])
        .filter(({ name }) => name.toLowerCase().includes(text))
        .map(({ name }) => ({ words: name, about: view, act: () => go(tablePlace(view, { row: name })) }))
    }),
  )
  return found.flat()
}

export function commandsOf(hits: readonly TrackEvent[]): readonly Command[] {
  const names = new Map(hits.map((hit) => [`${hit.kind} ${hit.name}`, hit]))
  return [...names.values()].flatMap(({ name, kind }) => {
    const home = HOME[kind]
    const seen: Changes = { view: 'timeline', 'timeline.q': name, 'timeline.regex': undefined }
    return [
      ...(home === undefined ? [] : [{ words: name, about: home, act: () => go(tablePlace(home, { row: name })) }]),
      { words: name, about: `${kind.replaceAll('_', ' ')} in the timeline`, act: () => go(seen) },
    ]
  })
}
