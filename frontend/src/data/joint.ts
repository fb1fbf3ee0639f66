/** A reply about many profiles as a signal. They answer one after the other: what is there is drawn, the rest is asked for again. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import type { JointReply } from '../wire/wire'
import type { Answer, Params, Question } from './ask'
import { busy } from './busy'
import { keep, keptAnswer } from './kept'
import { sentence } from './reply'
import { UnreachableError, addressFor, pause, poll } from './request'
import type { Query } from './request'
import { catalogueVersion } from './runs'

const AGAIN_MS = 1000

/** The questions about many. */
export type JointQuestion = {
  [Q in Question]: Answer<Q> extends JointReply<unknown> ? Q : never
}[Question]

export interface JointState<T> {
  /** The last value, of an earlier question until this one has its first; beside an error it is an earlier one's. */
  readonly value: T | undefined
  readonly error: string | undefined
}

/** Asks until nobody is to come, while somebody looks; and from the start when the question or the files change. Not asked: undefined. */
export function useJointReply<Q extends JointQuestion>(
  question: Q,
  params: Params<Q> | undefined,
): ReadonlySignal<JointState<Answer<Q>>> {
  type Value = Answer<Q>
  const state = useMemo(() => signal<JointState<Value>>({ value: undefined, error: undefined }), [])
  const query: Query | undefined = params && Object.fromEntries(Object.entries(params))
  const address = query && addressFor(question, query)
  useEffect(() => {
    if (address === undefined || query === undefined) return
    const stop = new AbortController()
    state.value = { value: (keptAnswer(address) as Value | undefined) ?? state.value.value, error: undefined }
    const done = busy()
    const ask = async (): Promise<void> => {
      for (;;) {
        const read = async (response: Response): Promise<Value> => (await response.json()) as Value
        const value = await poll(question, query, read, { signal: stop.signal })
        done() // the rows say how far they are: no bar besides
        keep(address, value)
        state.value = { value, error: undefined }
        if (value.n_pending === 0) return
        do await pause(AGAIN_MS, stop.signal)
        while (!isSeen())
      }
    }
    ask()
      .catch((error: unknown) => {
        // A server that is gone is the frame's to say; once it is back, the version is another one.
        if (stop.signal.aborted || error instanceof UnreachableError) return
        state.value = { value: state.value.value, error: sentence(error) }
      })
      .finally(done)
    return () => {
      stop.abort()
      done()
    }
  }, [address, catalogueVersion.value])
  return state
}

/** TensorBoard gives a hidden tab no height. */
function isSeen(): boolean {
  return window.innerHeight > 0 && !document.hidden
}
