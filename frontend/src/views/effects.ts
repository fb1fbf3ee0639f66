/** The column "effect of 10 %": each of its figures is a replay, so a table is asked for without it first. */
import type { ReadonlySignal } from '@preact/signals'

import type { Answer, Params, Question } from '../data/ask'
import { useReply, type Reply } from '../data/reply'
import type { Profile } from '../wire/profile'

type Table = 'view/operators' | 'view/kernels' | 'view/modules'

/** Of so many rows, those that last longest. */
const ROWS = 30

/** The answer, and in its place the one with effects once these are worked out. */
export function useWithEffects<Q extends Question & Table>(
  question: Q,
  profile: Profile,
  params: Params<Q>,
): Reply<Answer<Q>> {
  const plain: ReadonlySignal<Reply<Answer<Q>>> = useReply(question, profile, params)
  const isThere = plain.value.value !== undefined && !plain.value.pending
  const more: ReadonlySignal<Reply<Answer<Q>>> = useReply(
    question,
    profile,
    isThere ? { ...params, effects: ROWS } : undefined,
  )
  return isThere && more.value.value !== undefined && !more.value.pending ? more.value : plain.value
}

interface Effects {
  readonly no_effect: string | null
  readonly rows: readonly { readonly effect_ns: number | null }[]
}

/** How a table shows it: empty until it is asked for, and why where it cannot be told. */
export function effectColumns({ no_effect: why, rows }: Effects) {
  const isAsked = why !== null || rows.some((row) => row.effect_ns !== null)
  const how = { isKnown: () => isAsked, ...(why === null ? {} : { absent: `not known: ${why}` }) }
  return { effect_share: how, effect_ns: { ...how, hidden: true } }
}
