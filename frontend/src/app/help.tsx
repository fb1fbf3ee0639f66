/** The keys, and how to record. A modal dialog: the browser keeps the focus in it and gives it back. */
import { useEffect, useRef } from 'preact/hooks'

import { VIEWS } from './views'

type Key = readonly [keys: readonly string[], meaning: string]

const KEYS: readonly (readonly [title: string, keys: readonly Key[]])[] = [
  [
    'Everywhere',
    [
      [VIEWS.map((_, index) => String(index + 1)), VIEWS.map((view) => view.title).join(', ')],
      [['/'], 'Search'],
      [['Esc'], 'Leave the search, close the details'],
      [['?'], 'This list'],
    ],
  ],
  [
    'Tables',
    [
      [['↑', '↓', 'Page', 'Home', 'End'], 'Move from row to row'],
      [['Enter'], 'Open the details of a row'],
      [['Right click'], 'Copy name, value, row or link'],
    ],
  ],
  [
    'Timeline',
    [
      [['W', 'S'], 'Zoom in and out'],
      [['A', 'D'], 'Move left and right'],
      [['F'], 'Zoom to the selection'],
      [['0'], 'Show everything'],
      [['B'], 'Draw the stretch to zoom to'],
      [['E', 'Alt+drag'], 'Draw an area to sum up by name'],
      [['M'], 'Mark the selection'],
      [['.', ','], 'Next and previous event'],
      [['[', ']'], 'Follow an arrow back and forth'],
      [['Enter', 'Shift+Enter'], 'Next and previous search result'],
    ],
  ],
]

export function Help({ onClose }: { readonly onClose: () => void }) {
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
          <h2 id="help-title">Keys</h2>
          <button type="button" class="button is-plain" aria-label="Close" onClick={() => dialog.current?.close()}>
            ✕
          </button>
        </header>
        {KEYS.map(([title, keys]) => (
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
