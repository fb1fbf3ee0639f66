/** Where a timeline keeps what a colleague would miss: the page's link, or, for a second timeline beside the first, a part of it. */
import { adjust, go, place } from '../../../state/place'
import type { Changes, Place } from '../../../state/hash'

const OWN = 'timeline.'

/** A timeline's keys are its own, `timeline.t0_ns`, whatever they are called in the page's link. */
export interface Link {
  readonly read: () => Place
  /** A step the back button takes back. */
  readonly go: (changes: Changes) => void
  /** A continuous change. */
  readonly adjust: (changes: Changes) => void
}

export const PAGE_LINK: Link = { read: () => place.value, go, adjust }

/** `timeline.row` stands in the page's link as `beside.row`. What is no timeline's own, as filters, this one does not have. */
export function partOf(name: string): Link {
  const start = `${name}.`
  const outside = (changes: Changes): Changes => renamed(changes, OWN, start)
  return {
    read: () => renamed(place.value, start, OWN),
    go: (changes) => go(outside(changes)),
    adjust: (changes) => adjust(outside(changes)),
  }
}

function renamed<T>(keys: Readonly<Record<string, T>>, from: string, to: string): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, value]) =>
      key.startsWith(from) ? [[to + key.slice(from.length), value] as const] : [],
    ),
  )
}
