/** Type a few letters: views, steps, what the view's own buttons do, and the names in the profile with the views that have them.
    Enter goes there, or does it. */
import './palette.css'

import { useEffect, useRef, useState } from 'preact/hooks'

import { ask } from '../../data/ask'
import type { Answer } from '../../data/ask'
import { keptAnswer } from '../../data/kept'
import { addressFor } from '../../data/request'
import { runs } from '../../data/runs'
import { at } from '../../state/place'
import { CutName, useCutNames } from '../../widgets/cut_name'
import type { Profile } from '../../wire/profile'
import type { TimelineTracks } from '../../wire/wire'
import { fixed } from './commands'
import { listed, matching } from './match'
import type { Command } from './match'
import { noneFound, useNames } from './names'
import { ofArea, ofSteps } from './of_timeline'
import { ofTracks } from './of_tracks'

export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useCutNames<HTMLUListElement>()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [said, setSaid] = useState<string>()
  const [isHeld, hold] = useState(false) // Enter came before what it is for
  const found = useNames(text.trim())
  const { tracks, coming } = useTracks()
  useEffect(() => dialog.current?.showModal(), [])
  const wanted = text.trim().toLowerCase()
  const commands = listed(
    ofSteps(wanted, tracks, coming),
    matching([...fixed(), ...ofArea(tracks), ...ofTracks(tracks)], wanted),
    found,
  )
  const place = Math.min(chosen, commands.length - 1)
  const act = (command: Command | undefined): void => {
    hold(command === undefined && coming !== undefined)
    if (command === undefined || command.isOff === true) return
    if (command.says !== undefined) {
      void command.says().then(setSaid)
      return
    }
    dialog.current?.close()
    command.act()
  }
  useEffect(() => {
    if (isHeld && coming === undefined) act(commands[place])
  })
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
          setSaid(undefined)
          hold(false)
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
            key={`${index} ${command.about} ${command.words}`} // threads of one group may have one name
            id={`palette-${index}`}
            role="option"
            title={command.words}
            aria-label={`${command.words} ${command.about}`}
            aria-selected={index === place}
            aria-disabled={command.isOff}
            onClick={() => act(command)}
          >
            <CutName name={command.words} />
            <span class="soft">{command.about}</span>
          </li>
        ))}
      </ul>
      {said !== undefined && <p role="status">{said}</p>}
      {commands.length === 0 && <p class="soft">{isHeld ? 'Reading.' : noneFound(runs.value.gone)}</p>}
    </dialog>
  )
}

interface Coming {
  /** What the timeline has of the profile that is shown; undefined until it is known, and where none is. */
  readonly tracks: TimelineTracks | undefined
  readonly coming: Promise<TimelineTracks | undefined> | undefined
}

function useTracks(): Coming {
  const [profile] = useState(profileShown)
  const [known, setKnown] = useState<Coming>(() => ({ tracks: profile && keptTracks(profile), coming: undefined }))
  useEffect(() => {
    if (profile === undefined) return
    const coming = ask('view/timeline', profile, {})
      .then(({ result }) => result ?? undefined)
      .catch(() => undefined) // the frame says when the server is gone
    setKnown(({ tracks }) => ({ tracks, coming }))
    void coming.then((tracks) => setKnown({ tracks, coming: undefined }))
  }, [])
  return known
}

function profileShown(): Profile | undefined {
  const [run, worker, span] = [at('run'), at('worker'), at('span')]
  return run === undefined || worker === undefined || span === undefined ? undefined : { run, worker, span }
}

/** What the timeline has shown of it: there before anybody can type. */
function keptTracks(profile: Profile): TimelineTracks | undefined {
  const kept = keptAnswer(addressFor('view/timeline', profile)) as Answer<'view/timeline'> | undefined
  return kept?.result ?? undefined
}
