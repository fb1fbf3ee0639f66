/** What a right click offers, or the key for it. */
import './menu.css'

import { useEffect, useRef } from 'preact/hooks'

import { copyText } from '../links/clipboard'

export interface MenuItem {
  readonly label: string
  /** What is copied. */
  readonly text?: () => string
  readonly run?: () => void
}

export interface MenuAt {
  readonly x: number
  readonly y: number
  readonly items: readonly MenuItem[]
}

const EDGE = 8 // px that stay free at the window's edge
const ROW = 16 // px from the pointer, for the row that was clicked to be seen

export function Menu({ at, onClose }: { readonly at: MenuAt; readonly onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const before = document.activeElement
    element.showPopover()
    const [left, top] = besidePointer(at, element.offsetWidth, element.offsetHeight)
    element.style.left = `${left}px`
    element.style.top = `${top}px`
    element.querySelector('button')?.focus()
    const closeOutside = (event: PointerEvent): void => {
      if (!(event.target instanceof Node && element.contains(event.target))) element.hidePopover()
    }
    document.addEventListener('pointerdown', closeOutside, true)
    return () => {
      document.removeEventListener('pointerdown', closeOutside, true)
      // What had the focus has it again, unless a click gave it to something else.
      // A button that is hidden may keep it until the next frame.
      const { activeElement: now } = document
      const isLost = now === document.body || element.contains(now)
      if (isLost && (before instanceof HTMLElement || before instanceof SVGElement))
        before.focus({ preventScroll: true })
    }
  }, [at])
  return (
    <div
      ref={box}
      // Not "auto": where a menu comes when the button goes down, releasing it would count as a click outside.
      popover="manual"
      class="popup menu"
      role="menu"
      onToggle={(event) => {
        if ((event as unknown as { newState: string }).newState === 'closed') onClose()
      }}
      onKeyDown={(event) => {
        moveFocus(event)
        if (event.key === 'Escape' || event.key === 'Tab') box.current?.hidePopover()
      }}
    >
      {at.items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          class="menu-item"
          onClick={() => {
            // Close first: the old way of copying needs the focus.
            box.current?.hidePopover()
            if (item.text !== undefined) void copyText(item.text())
            item.run?.()
          }}
        >
          {item.label}
        </button>
      ))}
    </div>
  )
}

/** Where there is no room it opens to the other side, and not over what was clicked, whose name stands to the left of the pointer. */
export function besidePointer(
  { x, y }: Omit<MenuAt, 'items'>,
  width: number,
  height: number,
): readonly [number, number] {
  const [right, bottom] = [window.innerWidth - EDGE - width, window.innerHeight - EDGE - height]
  const gap = x > right ? ROW : 0
  const left = x > right ? Math.max(x - width, EDGE) : x
  return [left, y + gap <= bottom ? y + gap : Math.max(Math.min(y - ROW - height, bottom), EDGE)]
}

function moveFocus(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation()
  const step =
    event.key === 'ArrowDown' ? 'nextElementSibling' : event.key === 'ArrowUp' ? 'previousElementSibling' : null
  if (step === null) return
  event.preventDefault()
  const next = document.activeElement?.[step]
  if (next instanceof HTMLElement) next.focus()
}
