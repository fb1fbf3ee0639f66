/** What the log directories hold, asked again and again: often while something is being scanned or loaded, seldom otherwise. */
import { computed, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

import type { Profile } from '../wire/profile'
import type { RunsReply, SpanState, WorkerState } from '../wire/wire'
import { LATE_MS, SignedOutError, UnreachableError, askRuns, askToTryAgain, pause, whenLost } from './request'

const BUSY_MS = 1000
const CALM_MS = 10_000
const GONE_MS = 3000

export interface RunsState {
  readonly reply: RunsReply | undefined
  /** Since when nobody answers; the page goes on showing what it has. */
  readonly gone: boolean
  /** It takes questions and does not answer: busy, or stopped. What was asked is answered when it goes on. */
  readonly late: boolean
  /** It is a proxy that does not let us through: signing in again helps. */
  readonly signedOut: boolean
  readonly error: string | undefined
  /** Grows with each return of a lost server, and when something is to be tried again: then views ask again. */
  readonly returns: number
}

const state = signal<RunsState>({
  reply: undefined,
  gone: false,
  late: false,
  signedOut: false,
  error: undefined,
  returns: 0,
})
let wake = new AbortController()

export const runs: ReadonlySignal<RunsState> = state

/** Asks now instead of at the next turn. */
export function askAgain(): void {
  wake.abort()
}

/** Reads a profile once more that could not be read; its views ask again. */
export async function tryAgain(profile: Profile): Promise<void> {
  await askToTryAgain(profile).catch(() => undefined) // the views say what is wrong
  state.value = { ...state.value, returns: state.value.returns + 1 }
}

/** Asks until the document goes; at once when another question had no answer. */
export async function watchRuns(): Promise<never> {
  whenLost(() => {
    if (!state.value.gone) askAgain()
  })
  for (;;) {
    await askOnce()
    wake = new AbortController()
    await pause(waitMs(), wake.signal).catch(() => undefined)
  }
}

export async function askOnce(): Promise<void> {
  // TensorBoard gives a hidden tab no height: nobody looks, nobody asks.
  if (window.innerHeight === 0 && state.value.reply !== undefined) return
  const { reply: before, gone, returns } = state.value
  const late = setTimeout(() => (state.value = { ...state.value, late: true }), LATE_MS)
  try {
    const reply = await askRuns()
    const isNew = gone || state.value.late || JSON.stringify(reply) !== JSON.stringify(before)
    if (isNew)
      state.value = {
        reply,
        gone: false,
        late: false,
        signedOut: false,
        error: undefined,
        returns: gone ? returns + 1 : returns,
      }
  } catch (error) {
    const isGone = error instanceof UnreachableError
    const isOut = error instanceof SignedOutError
    const said = isGone ? undefined : String(error)
    state.value = { reply: before, gone: isGone, late: false, signedOut: isOut, error: said, returns }
  } finally {
    clearTimeout(late)
  }
}

function waitMs(): number {
  const { reply, gone } = state.value
  if (gone) return GONE_MS
  if (reply === undefined || reply.scanning || reply.runs.length === 0) return BUSY_MS
  const isMoving = reply.runs.some((run) =>
    run.workers.some((worker) => worker.spans.some((span) => span.state === 'queued' || span.state === 'loading')),
  )
  return isMoving ? BUSY_MS : CALM_MS
}

/** The worker a profile names, when the server knows it. */
export function workerOf(
  reply: RunsReply | undefined,
  { run, worker }: { readonly run: string; readonly worker: string | undefined },
): WorkerState | undefined {
  return reply?.runs.find((each) => each.name === run)?.workers.find((each) => each.name === worker)
}

/** The span a profile names, when the server knows it. */
export function spanOf(reply: RunsReply | undefined, profile: Profile): SpanState | undefined {
  return workerOf(reply, profile)?.spans.find((each) => each.name === profile.span)
}

/** Somebody ended its opening, in the server's words: nothing is wrong with it. */
export function isCancelled(reason: string | null): boolean {
  return /was cancelled/.test(reason ?? '')
}

/** Why nothing can be asked of it alone, in the server's words: dumps of flight recorders, or a summary without its profile. */
export function whyNoProfile(reply: RunsReply | undefined, profile: Profile): string | undefined {
  const span = spanOf(reply, profile)
  return span?.no_profile === true ? (span.error ?? 'There is no profile.') : undefined
}

const versions = new Map<string, string>()

/** Changes when profiles come, go or change, and when a lost server is back: then what is about many asks again. */
export const catalogueVersion: ReadonlySignal<string> = computed(() => {
  const { reply, returns } = runs.value
  const spans = (reply?.runs ?? []).flatMap((run) =>
    run.workers.flatMap((worker) =>
      worker.spans.map((span) => [run.name, worker.name, span.name, span.size_bytes, ...span.files].join(' ')),
    ),
  )
  return [returns, ...spans].join('\n')
})

/** Changes when the files of a profile do, and when a lost server is back: then its views ask again. Not when it is deleted. */
export function versionOf(profile: Profile): string {
  const { reply, returns } = state.value
  const span = spanOf(reply, profile)
  const names = JSON.stringify(profile)
  if (span !== undefined) versions.set(names, [returns, span.size_bytes, ...span.files].join(' '))
  return versions.get(names) ?? String(returns)
}
