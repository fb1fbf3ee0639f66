/** A button and what it opens. The browser's own popover: top layer, Esc and a click outside close it, focus returns. */
import './popup.css'

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

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

/** Under its button, moved left and up as far as it must be to stay in the window. */
function place(box: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const left = Math.max(4, Math.min(at.left, window.innerWidth - box.offsetWidth - 8))
  const below = at.bottom + 4
  const top = below + box.offsetHeight > window.innerHeight ? Math.max(4, at.top - box.offsetHeight - 4) : below
  box.style.left = `${left}px`
  box.style.top = `${top}px`
}

/** "?" beside a figure: its definition, in place. `text` is that of the view's definitions.md, with backticks around code. */
export function Definition({ of, text }: { readonly of: string; readonly text: string }) {
  return (
    <Popup
      class="definition"
      isSaid
      label="?"
      name={`What is ${of}?`}
      content={() => (
        <div class="definition-text">
          <strong>{of}</strong>
          <p>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</p>
        </div>
      )}
    />
  )
}
