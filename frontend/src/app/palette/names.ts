/** Names of the profile: where each has a row, and in the timeline. */
import { useEffect, useState } from 'preact/hooks'

import { ask } from '../../data/ask'
import { at, go } from '../../state/place'
import { soughtInTimeline, tablePlace } from '../../views/links'
import { HOME } from '../../views/timeline_link'
import type { Profile } from '../../wire/profile'
import type { TrackEvent } from '../../wire/wire'
import { partsOf } from './match'
import type { Command } from './match'

const FIND_AFTER_MS = 150
const LOOKED_AT = 2000 // events whose names are listed

/** What is said of a name that is not in the list. */
export function noneFound(isServerGone: boolean): string {
  if (isServerGone) return 'Names are searched when the server answers again.'
  return `${IS_REPORT ? 'No view, operator, kernel or module' : 'Nothing'} is called that.`
}

/** Each name that holds the text, where it has a row, and in the timeline. */
export function useNames(text: string): readonly Command[] {
  const [found, setFound] = useState<readonly Command[]>([])
  useEffect(() => {
    const stop = new AbortController()
    const { run, worker, span } = { run: at('run'), worker: at('worker'), span: at('span') }
    if (text.length < 2 || run === undefined || worker === undefined || span === undefined) {
      setFound([])
      return undefined
    }
    const timer = setTimeout(() => {
      const profile = { run, worker, span }
      const asked = !IS_REPORT
        ? ask('view/timeline/search', profile, { ...soughtFor(text), limit: LOOKED_AT }, stop).then(({ hits }) =>
            commandsOf(hits),
          )
        : inTables(profile, text.toLowerCase())
      asked.then((commands) => stop.signal.aborted || setFound(commands)).catch(() => undefined) // what is typed next asks again
    }, FIND_AFTER_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return found
}

/** Of several words a name has one after the other: `all reduce` is all_reduce, allreduce and AllReduce. */
export function soughtFor(text: string): { readonly q: string; readonly regex?: true } {
  const parts = partsOf(text).map((part) => part.replace(/[^\w\s]/g, '\\$&'))
  return parts.length > 1 ? { q: parts.join('.*'), regex: true } : { q: text }
}

/** A report has no search, but the tables. */
export async function inTables(profile: Profile, text: string): Promise<readonly Command[]> {
  const found = await Promise.all(
    (['operators', 'kernels', 'modules'] as const).map(async (view) => {
      const reply = await ask(`view/${view}`, profile, {}).catch(() => undefined) // it had no room for this one
      return (reply?.result?.rows ?? [])
        .filter(({ name }) => partsOf(text).every((part) => name.toLowerCase().includes(part)))
        .map(({ name }) => ({ words: name, about: view, act: () => go(tablePlace(view, { row: name })) }))
    }),
  )
  return found.flat()
}

export function commandsOf(hits: readonly TrackEvent[]): readonly Command[] {
  const names = new Map(hits.map((hit) => [`${hit.kind} ${hit.name}`, hit]))
  return [...names.values()].flatMap(({ name, kind }) => {
    const home = HOME[kind]
    return [
      ...(home === undefined ? [] : [{ words: name, about: home, act: () => go(tablePlace(home, { row: name })) }]),
      { words: name, about: `${kind.replaceAll('_', ' ')} in the timeline`, act: () => go(soughtInTimeline(name)) },
    ]
  })
}
