/** Links from one view to another. What a target must forget for them, its face says. */
import type { Changes } from '../state/hash'
import type { Profile } from '../wire/profile'
import type { Face } from './face'
import { FACES } from './faces'

/** Views that are a table. */
export type TableView = 'operators' | 'kernels' | 'modules'

/**
 * Where a table view shows a certain row: what would hide it there (search, grouping, kind) is undone. Filters stay. `wanted`
 * without the view's name: `tablePlace('kernels', { kind: 'copy' })`.
 */
export function tablePlace(view: TableView, wanted: Changes = {}): Changes {
  const chosen = Object.entries(wanted).map(([key, value]) => [`${view}.${key}`, value])
  const hiding = FACES.find(({ id }) => id === view)?.hiding ?? []
  return { view, ...undone(hiding), ...(Object.fromEntries(chosen) as Changes) }
}

/** The kernels view with all work of this kind, as events and tables name kinds. */
export function kernelsOf(kind: string, wanted: Changes = {}): Changes {
  return tablePlace('kernels', { kind: kind === 'copy' || kind === 'set' ? kind : undefined, ...wanted })
}

/** Other steps: what shows a stretch of time shows them, wherever it was before. */
export function stepChanges(steps: string | undefined): Changes {
  return { steps, ...undone(allOf('stretch')) }
}

export const OPENING_VIEW = 'overview'

/** What a profile opens with. Filters stay where they may hold there too. */
export function opening({ run, worker, span }: Profile): Changes {
  return { view: OPENING_VIEW, run, worker, span, ...spanChanges() }
}

/** All events of this name in the timeline, and the first of them in sight. `timeline.seek` is gone once that is done: a link to a
search shows what whoever made it has seen. */
export function soughtInTimeline(q: string, isRegex = false): Changes {
  return { view: 'timeline', 'timeline.q': q, 'timeline.regex': isRegex ? '1' : undefined, 'timeline.seek': '1' }
}

/** What belongs to one span only and goes with it: a window in time, a step, an event. */
export function spanChanges(): Changes {
  return { steps: undefined, ...undone(allOf('positions')) }
}

function allOf(what: 'positions' | 'stretch'): readonly string[] {
  return FACES.flatMap((face: Face) => face[what] ?? [])
}

function undone(keys: readonly string[]): Changes {
  return Object.fromEntries(keys.map((key) => [key, undefined]))
}
