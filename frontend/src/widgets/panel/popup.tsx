/** A button and what it opens. The browser's own popover: top layer, Esc and a click outside close it, focus returns. */
import './popup.css'

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { words } from '../words'
import { coded } from './said'

const GAP_PX = 4

interface PopupProps {
  readonly label: ComponentChildren
  /** Read out instead of the label where that is only a sign. */
  readonly name?: string
  readonly title?: string
  readonly class?: string
  /** Words that readers say as soon as it opens. */
  readonly isSaid?: boolean
  /** Its buttons are there while it is closed too: the palette finds them. */
  readonly isKept?: boolean
  readonly content: (close: () => void) => ComponentChildren
}

export function Popup({
  label,
  name,
  title,
  class: className = 'button',
  isSaid = false,
  isKept = false,
  content,
}: PopupProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)

  useLayoutEffect(() => {
    if (isOpen && button.current !== null && box.current !== null) place(box.current, button.current)
  })

  // Of what is open: the browser closes it, and no view takes the key for its own, whatever has the focus.
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const keep = (event: KeyboardEvent): void => {
      const shown = box.current
      // Asked of the box itself: that it closed is told later, and the next Escape may come before it.
      if (event.key !== 'Escape' || shown === null || !shown.matches(':popover-open')) return
      if (!shown.contains(event.target as Node)) event.stopPropagation()
    }
    document.addEventListener('keydown', keep, true)
    return () => document.removeEventListener('keydown', keep, true)
  }, [isOpen])

  return (
    <>
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        class={className}
        popovertarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={name}
        title={title}
      >
        {label}
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        class="popup"
        role="dialog"
        aria-labelledby={`${id}-button`}
        aria-live={isSaid ? 'polite' : 'off'}
        // Before it is shown: `toggle` comes a moment later, and a quick Escape would be the view's.
        onBeforeToggle={(event) => isOpening(event) && setOpen(true)}
        onToggle={(event) => {
          // Only now it has a size; what was open keeps its content until the focus has gone back.
          if (!isOpening(event)) setOpen(false)
          else if (button.current !== null) place(event.currentTarget, button.current)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.stopPropagation() // the browser closes it; the view keeps its selection
        }}
      >
        {(isOpen || isKept) && content(() => box.current?.hidePopover())}
      </div>
    </>
  )
}

function isOpening(event: Event): boolean {
  return (event as unknown as { newState: string }).newState === 'open'
}

/** Under its button or, where there is more room, above it, moved left as far as it must be; what has no room there scrolls. */
function place(box: HTMLElement, button: HTMLElement): void {
  const { scrollTop, style } = box
  style.maxHeight = ''
  style.left = '0' // as wide as it likes, not as the room right of where it was
  const at = button.getBoundingClientRect()
  const left = Math.max(4, Math.min(at.left, window.innerWidth - box.offsetWidth - 8))
  const [below, above] = [window.innerHeight - at.bottom - 2 * GAP_PX, at.top - 2 * GAP_PX]
  const isBelow = box.offsetHeight <= below || below >= above
  style.maxHeight = `${isBelow ? below : above}px`
  style.left = `${left}px`
  style.top = isBelow ? `${at.bottom + GAP_PX}px` : ''
  style.bottom = isBelow ? '' : `${window.innerHeight - at.top + GAP_PX}px`
  box.scrollTop = scrollTop
}

/** "?" beside a figure: its definition, in place, with backticks around code; of several each begins a line. `text`: see `words`. */
export function Definition({ of, text }: { readonly of: string; readonly text: string }) {
  words(text) // asked for as soon as the "?" is there, so that it opens at once
  return (
    <Popup
      class="definition"
      isSaid
      label="?"
      name={`What is ${of}?`}
      content={() => (
        <div class="definition-text">
          <strong>{of}</strong>
          <p>{coded(words(text))}</p>
        </div>
      )}
    />
  )
}
