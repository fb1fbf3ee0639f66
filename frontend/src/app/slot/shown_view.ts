/** Which view is shown where the link names none. */
import { signal } from '@preact/signals'

import { runs } from '../../data/runs'
import type { Place } from '../../state/hash'
import { place } from '../../state/place'
import { OPENING_VIEW } from '../../views/links'
import type { RunsReply } from '../../wire/wire'
import { viewNamed } from '../views'
import type { ViewEntry } from '../views'

/** Undefined while it is not known how many runs there are. */
export function shownView(): ViewEntry | undefined {
  return viewNamed(place.value['view']) ?? viewNamed(firstView(runs.value.reply, place.value))
}

let drawn: string | undefined

/** The view that is in the slot: the one before while the shown one is on its way. */
export function drawnView(): string | undefined {
  return drawn
}

export function noteDrawn(id: string | undefined): void {
  drawn = id
}

/** The view that a link asked for in vain, and the one shown instead. */
const replaced = signal<{ readonly asked: string; readonly shown: string } | undefined>(undefined)

/** Keeps what the link asks for in vain: the link is about to name what is shown. */
export function noteUnknownView(shown: string): void {
  const asked = place.value['view']
  if (asked !== undefined && viewNamed(asked) === undefined) replaced.value = { asked, shown }
}

/** The name asked for where `shown` stands in for it. */
export function askedInVain(shown: string | undefined): string | undefined {
  return replaced.value?.shown === shown ? replaced.value?.asked : undefined
}

/** Of several runs their table; of one, and of one that the link names, its overview, or who hangs where it left no profile. */
export function firstView(reply: RunsReply | undefined, { run }: Place): string | undefined {
  const shown = reply?.runs.find(({ name }) => name === (run ?? reply.opens))
  const opening = shown?.workers[0]?.spans[0]?.no_profile === true ? 'ranks' : OPENING_VIEW
  if (run !== undefined) return opening
  if (reply === undefined) return undefined
  if (reply.runs.length > 1) return 'runs'
  return reply.scanning ? undefined : opening
}
