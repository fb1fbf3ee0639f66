/** The keys of the page and of every view. A modal dialog: the browser keeps the focus in it and gives it back. */
import './help_dialog.css'

import { useEffect, useRef } from 'preact/hooks'

import type { Key } from '../views/face'
import { OWN_KEYS } from '../views/own_keys'
import { views } from './views'

type KeySection = readonly [title: string, keys: readonly Key[]]

const TABLES: KeySection = [
  'Tables',
  [
    [['↑', '↓', 'Page', 'Home', 'End'], 'Move from row to row'],
    [['Enter'], 'Open the details of a row'],
    [['Right click'], 'Copy name, value, row or link'],
  ],
]

function keySections(): readonly KeySection[] {
  const all = views()
  const everywhere: KeySection = [
    'Everywhere',
    [
      [
        [`1 to ${Math.min(all.length, 9)}`],
        `From ${all[0]?.title ?? ''} to ${all[8]?.title ?? ''}; the other views by Ctrl+K`,
      ],
      [['/'], 'Search in the view; where it has no search, as Ctrl+K'],
      [['Ctrl+K'], 'Go to a view or any name in the profile, or do what a button does'],
      [['Esc'], 'Leave the search, close the details'],
      [['?'], 'This list'],
    ],
  ]
  return [
    everywhere,
    TABLES,
    ...all.flatMap(({ id, title }): KeySection[] => {
      const keys = OWN_KEYS[id]
      return keys === undefined ? [] : [[title, keys]]
    }),
  ]
}

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close() // the backdrop
      }}
    >
      <div class="help-body">
        <header>
          <h2 id="help-title">Keys and mouse</h2>
          <button type="button" class="button is-plain" aria-label="Close" onClick={() => dialog.current?.close()}>
            ✕
          </button>
        </header>
        {keySections().map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([names, meaning]) => (
                <div key={meaning}>
                  <dt>
                    {names.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <p class="soft">Figures with a “?” open their definition. Values show all digits when pointed at.</p>
      </div>
    </dialog>
  )
}
