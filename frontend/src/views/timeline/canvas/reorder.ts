/** A drag of a name to where its track or group is to lie. A mouse begins at once, a finger after it has rested: before, it scrolls. */
import { arrangementChanges } from '../store/place'
import type { TimelineStore } from '../store/store'

const BEGIN_PX = 5
const REST_MS = 350
const EDGE_PX = 28 // so near to an edge of what is seen it scrolls
const SCROLL_PX = 8 // a frame

/** To be called when a name is pressed; `key` is `5` for a track and `g0` for a group. */
export function reorder(store: TimelineStore, key: string, event: PointerEvent): void {
  const row = event.currentTarget as HTMLElement
  const isBeside =
    (event.target as Element).closest('.tl-grip, .tl-track-tools, .tl-more, .tl-frames, .tl-note') !== null
  if (event.button !== 0 || isBeside) return
  const isTouch = event.pointerType === 'touch'
  const list = row.closest('ul')
  const scroller = row.closest<HTMLElement>('.tl-scroller')
  if (list === null || scroller === null) return
  const stop = new AbortController()
  const { signal } = stop
  const { moved } = store.hand
  const rest = isTouch ? setTimeout(() => begin(), REST_MS) : undefined
  let y = event.clientY
  let frame: number | undefined

  const begin = (): void => {
    moved.value = { key }
    row.setPointerCapture(event.pointerId)
    frame = requestAnimationFrame(scroll)
  }
  const look = (): void => {
    const drop = store.picture.dropAt(key, y - list.getBoundingClientRect().top)
    if (drop?.line !== moved.value?.drop?.line || drop?.other !== moved.value?.drop?.other) moved.value = { key, drop }
  }
  const scroll = (): void => {
    frame = requestAnimationFrame(scroll)
    const { top, bottom } = scroller.getBoundingClientRect()
    const by = y < top + EDGE_PX ? -SCROLL_PX : y > bottom - EDGE_PX ? SCROLL_PX : 0
    if (by === 0) return
    scroller.scrollTop += by
    look()
  }
  const end = (isDropped: boolean): void => {
    const { value } = moved
    stop.abort()
    clearTimeout(rest)
    if (frame !== undefined) cancelAnimationFrame(frame)
    moved.value = undefined
    if (value === undefined) return
    // The click that ends a drag is none: it would fold what was moved.
    window.addEventListener('click', swallow, { capture: true, once: true })
    setTimeout(() => window.removeEventListener('click', swallow, { capture: true }))
    if (isDropped && value.drop !== undefined) store.link.go(arrangementChanges(store.picture.dropped(key, value.drop)))
  }

  const on = <K extends keyof WindowEventMap>(type: K, hear: (event: WindowEventMap[K]) => void): void =>
    window.addEventListener(type, hear, { signal, capture: true, passive: false })
  on('pointermove', (now) => {
    if (now.pointerId !== event.pointerId) return
    y = now.clientY
    if (moved.value !== undefined) look()
    else if (Math.hypot(now.clientX - event.clientX, y - event.clientY) < BEGIN_PX) return
    else if (isTouch) end(false)
    else {
      begin()
      look()
    }
  })
  on('pointerup', () => end(true))
  on('pointercancel', () => end(false))
  on('touchmove', (touch) => moved.value !== undefined && touch.preventDefault())
  on('contextmenu', (menu) => moved.value !== undefined && menu.preventDefault())
  on('keydown', (press) => {
    if (press.code !== 'Escape' || moved.value === undefined) return
    press.stopPropagation() // the selection stays
    end(false)
  })
}

function swallow(event: MouseEvent): void {
  event.stopPropagation()
  event.preventDefault()
}
