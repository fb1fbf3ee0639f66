/** Between the tracks and what lies below: dragged, or moved by the arrow keys. The link keeps which share of the height is below. */
import './splitter.css'

import { at } from '../../../state/place'
import { drag } from '../canvas/drag'
import { PAGE_LINK } from '../store/link'

const KEY = 'timeline.below'
const LEAST = 10 // per cent of the height
const MOST = 80
const BY_KEY = 4
const KEYS: Readonly<Record<string, number>> = { ArrowUp: BY_KEY, ArrowDown: -BY_KEY, Home: 100, End: -100 }

/** Per cent of the height; undefined: as much as what is there takes, within limits. */
export function shareBelow(): number | undefined {
  const share = Number(at(KEY))
  return share > 0 ? within(share) : undefined
}

function within(share: number): number {
  return Math.min(Math.max(Math.round(share * 10) / 10, LEAST), MOST)
}

export function Splitter() {
  const seen = (grip: HTMLElement): number =>
    (100 * (grip.nextElementSibling?.clientHeight ?? 0)) / (grip.parentElement?.clientHeight ?? 1)
  // What lies around it leaves less than the link says, and changes when the window does.
  const say = (grip: HTMLElement | null): void => grip?.setAttribute('aria-valuenow', seen(grip).toFixed())
  const set = (share: number): void => PAGE_LINK.adjust({ [KEY]: String(within(share)) })
  return (
    <div
      ref={say}
      class="tl-split"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label="Height of what lies below"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onFocus={(event) => say(event.currentTarget)}
      title="Drag, or ↑ ↓, to make room. Double click: as at first"
      onPointerDown={(event) => {
        const grip = event.currentTarget
        const before = seen(grip)
        drag(event, (_, dy) => set(before - (100 * dy) / (grip.parentElement?.clientHeight ?? 1)))
      }}
      onDblClick={() => PAGE_LINK.adjust({ [KEY]: undefined })}
      onKeyDown={(event) => {
        const by = KEYS[event.key]
        if (by === undefined) return
        set(seen(event.currentTarget) + by)
        event.preventDefault()
      }}
    />
  )
}
