/** A reply of the server as a signal a component can draw: waiting, there, or failed; the old content stays meanwhile. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { busy } from './busy'
import { ApiError, UnreachableError, addressFor, pollJson } from './request'
import type { Query, Waiting } from './request'

export interface Reply<T> {
  /** The last value for this question, or an earlier one while `pending`. */
  readonly value: T | undefined
  readonly pending: boolean
  /** The profile still loads on the server. */
  readonly waiting: Waiting | undefined
  /** Why there is no value; a server that is gone is no failure, the frame's banner says it. */
  readonly error: string | undefined
}

const KEPT = 24 // views x profiles somebody goes back and forth between; each is some 100 kB at most
const kept = new Map<string, unknown>()

/** Forgets what was answered before: files have changed. */
export function forgetReplies(): void {
  kept.clear()
}

const FIRST: Reply<never> = { value: undefined, pending: true, waiting: undefined, error: undefined }

/** Asks whenever path or query change, drops the question that came before, and asks again when `again` changes. */
export function useReply<T>(path: string, query: Query, again: number | string = 0): ReadonlySignal<Reply<T>> {
  const reply = useMemo(() => signal<Reply<T>>(FIRST), [])
  const address = addressFor(path, query)
  useEffect(() => {
    const stop = new AbortController()
    const before = kept.get(address) as T | undefined
    // Another question's answer stays on screen for a moment, dimmed by the view, rather than a blank page.
    reply.value = { value: before ?? reply.value.value, pending: true, waiting: undefined, error: undefined }
    const done = busy()
    pollJson<T>(path, query, {
      signal: stop.signal,
      onWaiting: (waiting) => {
        done() // the view shows how far it is: no bar besides
        reply.value = { ...reply.value, value: before, waiting }
      },
    })
      .then((value) => {
        keep(address, value)
        reply.value = { value, pending: false, waiting: undefined, error: undefined }
      })
      .catch((error: unknown) => {
        if (stop.signal.aborted) return
        if (error instanceof UnreachableError) reply.value = { ...reply.value, pending: true }
        else reply.value = { value: undefined, pending: false, waiting: undefined, error: sentence(error) }
      })
      .finally(done)
    return () => {
      stop.abort()
      done()
    }
  }, [address, again])
  return reply
}

function keep(address: string, value: unknown): void {
  kept.delete(address)
  kept.set(address, value)
  const oldest = kept.keys().next()
  if (kept.size > KEPT && oldest.done !== true) kept.delete(oldest.value)
}

function sentence(error: unknown): string {
  if (error instanceof ApiError || error instanceof Error) return error.message
  return 'Something went wrong in the page.'
}
