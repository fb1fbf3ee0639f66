/** A reply of the server as a signal a component can draw: waiting, there, or failed; the old content stays meanwhile. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'

import type { Profile } from '../wire/profile'
import type { WaitReply } from '../wire/wire'
import { ask } from './ask'
import type { Answer, Params, Question } from './ask'
import { busy } from './busy'
import { keep, keptAnswer } from './kept'
import { ApiError, UnreachableError, addressFor } from './request'
import { runs, versionOf, whyNoProfile } from './runs'

export interface Reply<T> {
  /** The last value for this question, or an earlier one while `pending`. */
  readonly value: T | undefined
  readonly pending: boolean
  /** The value answers an earlier question, perhaps about another profile. */
  readonly isEarlier?: boolean
  /** The profile still loads on the server. */
  readonly waiting: WaitReply | undefined
  /** Why there is no value; a server that is gone is no failure, the frame's banner says it. */
  readonly error: string | undefined
  /** The server does not take the question: a filter that cannot be read, or names what is not in the profile. */
  readonly isRefused?: boolean
}

const REFUSED = [400, 404] // cannot be read; names what this profile does not have
const FIRST: Reply<never> = { value: undefined, pending: true, waiting: undefined, error: undefined }

/**
 * Asks whenever the question changes or the profile's files do, and drops the question that came before. Not asked: undefined.
 * `others`: another text where what else the answer is of has changed.
 */
export function useReply<Q extends Question>(
  question: Q,
  profile: Profile,
  params: Params<Q> | undefined,
  others = '',
): ReadonlySignal<Reply<Answer<Q>>> {
  type Value = Answer<Q>
  const reply = useMemo(() => signal<Reply<Value>>(FIRST), [])
  const shown = useRef('') // what the value answers
  const nothing = whyNoProfile(runs.value.reply, profile)
  const address = params === undefined ? undefined : addressFor(question, { ...profile, ...params })
  useEffect(() => {
    if (address === undefined || params === undefined) return
    if (nothing !== undefined) {
      reply.value = { value: undefined, pending: false, waiting: undefined, error: nothing }
      return
    }
    const stop = new AbortController()
    const before = keptAnswer(address) as Value | undefined
    // Another question's answer stays on screen for a moment, dimmed by the view, rather than a blank page.
    reply.value = {
      value: before ?? reply.value.value,
      pending: true,
      isEarlier: before === undefined,
      waiting: undefined,
      error: undefined,
    }
    const done = busy()
    ask(question, profile, params, {
      signal: stop.signal,
      onWaiting: (waiting) => {
        done() // the view shows how far it is: no bar besides
        // The same profile's files have changed: what is there stays. Of another one nothing does.
        const value = before ?? (shown.current === address ? reply.value.value : undefined)
        reply.value = { ...reply.value, value, waiting }
      },
    })
      .then((value) => {
        keep(address, value)
        shown.current = address
        reply.value = { value, pending: false, waiting: undefined, error: undefined }
      })
      .catch((error: unknown) => {
        if (stop.signal.aborted) return
        if (error instanceof UnreachableError) reply.value = { ...reply.value, pending: true }
        else {
          reply.value = {
            value: undefined,
            pending: false,
            waiting: undefined,
            error: sentence(error),
            isRefused: isRefusal(error),
          }
        }
      })
      .finally(done)
    return () => {
      stop.abort()
      done()
    }
  }, [address, nothing, versionOf(profile), others])
  return reply
}

/** Whether the same question would be refused again. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && REFUSED.includes(error.status)
}

export function sentence(error: unknown): string {
  if (error instanceof ApiError || error instanceof Error) return error.message
  return 'Something went wrong in the page.'
}
