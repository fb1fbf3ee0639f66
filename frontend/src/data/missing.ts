/** Which views said that a profile has no data for them, and why: the navigation dims those. Known once a view was asked. */
import { signal } from '@preact/signals'

import type { Profile } from '../wire/profile'

const sentences = signal<ReadonlyMap<string, string>>(new Map())

function keyOf(profile: Profile, view: string): string {
  return JSON.stringify([profile.run, profile.worker, profile.span, view])
}

export function missingIn(profile: Profile | undefined, view: string): string | undefined {
  return profile === undefined ? undefined : sentences.value.get(keyOf(profile, view))
}

export function noteMissing(profile: Profile, view: string, sentence: string | null): void {
  const key = keyOf(profile, view)
  if ((sentences.value.get(key) ?? null) === sentence) return
  const next = new Map(sentences.value)
  if (sentence === null) next.delete(key)
  else next.set(key, sentence)
  sentences.value = next
}
