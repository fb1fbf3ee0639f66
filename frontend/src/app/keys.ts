/** Keys of the frame. By `event.code`, so that they lie where they lie on every layout; views have their own. */
import { go } from '../state/place'
import { FACES } from '../views/faces'
import { openHelp } from './help'
import { shownView } from './slot/shown_view'

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Listens until the document goes. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (document.querySelector('dialog[open]') !== null) return
    if (act(event)) event.preventDefault()
  })
}

function act(event: KeyboardEvent): boolean {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1]
  // `/` and `?` also by what they write: on many layouts they lie elsewhere.
  if (event.key === '?' || (event.code === 'Slash' && event.shiftKey)) {
    openHelp()
    return true
  }
  if (event.key === '/' || event.code === 'Slash') return focusSearch()
  const view = digit === undefined || event.shiftKey ? undefined : FACES[Number(digit) - 1]
  if (view === undefined) return false
  go({ view: view.id })
  return true
}

const SEARCH_TRIES = 20
const SEARCH_EVERY_MS = 100

/** The search of the view that is shown; views without one send to the operators. A view that still loads is waited for. */
export function focusSearch(): true {
  if (shownView()?.canSearch !== true) go({ view: 'operators' })
  tryFocus(SEARCH_TRIES)
  return true
}

function tryFocus(tries: number): void {
  const input = document.querySelector<HTMLInputElement>('main [data-search]')
  if (input !== null) {
    input.focus()
    input.select()
  } else if (tries > 0) setTimeout(() => tryFocus(tries - 1), SEARCH_EVERY_MS)
}
