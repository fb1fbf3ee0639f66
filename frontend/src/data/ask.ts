/** Questions about a profile. What a question takes and what is answered stands in the wire's `Questions`. */
import type { Profile } from '../wire/profile'
import type { Questions } from '../wire/wire'
import { poll } from './request'
import type { PollOptions } from './request'

export type Question = keyof Questions
export type Params<Q extends Question> = Questions[Q]['params']
export type Answer<Q extends Question> = Questions[Q]['reply']

/** Asks until the profile is loaded, and for the answer. */
export async function ask<Q extends Question>(
  question: Q,
  profile: Profile,
  params: Params<Q>,
  options: PollOptions = {},
): Promise<Answer<Q>> {
  // What the server sends is what its Structs say: `wire.ts` is made from them.
  return poll(question, { ...profile, ...params }, async (response) => (await response.json()) as Answer<Q>, options)
}
