/** From a press on a grip until it is let go, `move` hears how far the pointer has come, px. */
export function drag(event: PointerEvent, move: (dx: number, dy: number) => void): void {
  const grip = event.currentTarget as HTMLElement
  const stop = new AbortController()
  const { signal } = stop
  grip.setPointerCapture(event.pointerId)
  grip.addEventListener('pointermove', (now) => move(now.clientX - event.clientX, now.clientY - event.clientY), {
    signal,
  })
  for (const end of ['pointerup', 'pointercancel']) grip.addEventListener(end, () => stop.abort(), { signal })
  event.preventDefault()
}
