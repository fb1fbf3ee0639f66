/** Keys of the frame. By `event.code`, so that they lie where they lie on every layout; views have their own. */
import { isElsewhere } from '../state/hash'
import { go } from '../state/place'
import { FACES } from '../views/faces'
import { openHelp, openPalette } from './help'
import { drawnView, shownView } from './slot/shown_view'

export function isTyping(target: EventTarget | null): boolean {
  const { isContentEditable = false, tagName = '' } = (target ?? {}) as Partial<HTMLElement> // TensorBoard's are of another window
  return isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(tagName)
}

/** In TensorBoard keys go to its document until ours is clicked: what nobody there types into is passed on, and the focus taken. */
export function takeKeysOf(parent: Window | undefined): void {
  if (parent === undefined) return
  const stop = new AbortController()
  const pass = (event: KeyboardEvent): void => {
    const isHidden = window.innerHeight === 0 || isElsewhere(parent.location.hash)
    if (isHidden || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    if (PARENTS_OWN.includes(event.code)) return
    window.focus()
    const { code, key, shiftKey } = event
    const ours = new KeyboardEvent(event.type, { code, key, shiftKey, bubbles: true, cancelable: true })
    if (!(document.activeElement ?? document.body).dispatchEvent(ours)) event.preventDefault()
  }
  for (const type of ['keydown', 'keyup'] as const)
    parent.document.addEventListener(type, pass, { signal: stop.signal })
  window.addEventListener('pagehide', () => stop.abort())
}

const PARENTS_OWN: readonly string[] = ['Tab', 'Enter', 'Space', 'ShiftLeft', 'ShiftRight']

/** Listens until the document goes. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (document.querySelector('dialog[open]') !== null) return
    if ((event.ctrlKey || event.metaKey) && event.code === 'KeyK') {
      openPalette()
      event.preventDefault() // some browsers search with it
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
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

const SEARCH_TRIES = 10
const SEARCH_EVERY_MS = 100

/** The search of the view that is shown, which is waited for while it loads; where there is none all names of the profile. */
export function focusSearch(): true {
  if (shownView()?.canSearch === true) tryFocus(SEARCH_TRIES)
  else openPalette()
  return true
}

function tryFocus(tries: number): void {
  const input = document.querySelector<HTMLInputElement>('main [data-search]')
  if (input !== null) {
    input.focus()
    input.select()
  } else if (tries > 0 && !isThere()) setTimeout(() => tryFocus(tries - 1), SEARCH_EVERY_MS)
  else openPalette() // what it shows now has none, or is why it has nothing
}

function isThere(): boolean {
  return drawnView() === shownView()?.id && document.querySelector('main :is(.is-late, progress)') === null
}
