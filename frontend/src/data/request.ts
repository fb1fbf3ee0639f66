/** Asks the server. Addresses are relative to the document's base, so any prefix, proxy or experiment path works. */
import type { Profile } from '../wire/profile'
import type { ErrorReply, Hangs, RunsReply, WaitReply } from '../wire/wire'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** The server answered, and said no. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
  ) {
    super(message)
  }
}

/** No answer at all: the server is gone, or the network. */
export class UnreachableError extends Error {}

/** Not our answer but that of a proxy in front, which wants to know again who asks. */
export class SignedOutError extends UnreachableError {}

const WAIT_S = 1 // how long the server may wait for a profile before it says how far it is

const SIGNED_OUT = [401, 403, 407] // our own 403 says why, as JSON

export function addressFor(path: string, query: Query = {}): string {
  const url = new URL(`api/v1/${path}`, document.baseURI)
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value))
  return url.href
}

/** What answers: a server, or in a report the file itself. */
type Source = (path: string, query: Query, signal: AbortSignal | undefined, waitS: number) => Promise<Response>

let source: Source = fromServer
/** From now on `carried` answers, and nobody else is asked. */
export function answerFrom(carried: Source): void {
  source = carried
}

let lost = (): void => undefined

/** A question without an answer for so long asks whether the server answers at all. */
export const LATE_MS = 5000

/** Whoever watches the server hears at once that a question had no answer, and after a while that one has none yet. */
export function whenLost(act: () => void): void {
  lost = act
}

async function get(path: string, query: Query, signal: AbortSignal | undefined, waitS = 0): Promise<Response> {
  const late = setTimeout(lost, LATE_MS)
  try {
    const response = await source(path, query, signal, waitS)
    if (response.ok) return response
    throw await errorOf(response)
  } catch (error) {
    if (error instanceof UnreachableError) lost()
    throw error
  } finally {
    clearTimeout(late)
  }
}

async function fromServer(
  path: string,
  query: Query,
  signal: AbortSignal | undefined,
  waitS: number,
): Promise<Response> {
  let response: Response
  try {
    // Our server never redirects; a proxy's way to its own page must not be followed as if it were an answer.
    response = await fetch(addressFor(path, query), {
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
      ...(waitS > 0 ? { headers: { Prefer: `wait=${waitS}` } } : {}),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new UnreachableError('The server does not answer.')
  }
  if (response.type === 'opaqueredirect' || (response.ok && isPage(response))) throw signedOut()
  return response
}

function isPage(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/html') === true
}

function signedOut(): SignedOutError {
  return new SignedOutError('Something in front of the server asks to sign in again.')
}

export async function errorOf(response: Response): Promise<ApiError | UnreachableError> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as ErrorReply
    return new ApiError(response.status, error.kind, error.message)
  } catch {
    if (SIGNED_OUT.includes(response.status)) return signedOut()
    // A proxy's own page, not our error: a gateway that lost its server is a server that is gone.
    if ([502, 503, 504].includes(response.status)) return new UnreachableError('The server does not answer.')
    return new ApiError(response.status, 'HttpError', `The server answered ${response.status} ${response.statusText}.`)
  }
}

/** What the log directories hold: the one question that is about no profile. */
export async function askRuns(): Promise<RunsReply> {
  return (await (await get('runs', {}, undefined)).json()) as RunsReply
}

/** Who did not come, from dumps of flight recorders beside the run's profiles. */
export async function askHang(run: string, signal: AbortSignal): Promise<Hangs> {
  return (await (await get('hang', { run }, signal)).json()) as Hangs
}

/** What stands behind the "?" of a view, by name: the server's own words. */
export async function askDefinitions(view: string): Promise<Readonly<Record<string, string>>> {
  return (await (await get('definitions', { view }, undefined)).json()) as Readonly<Record<string, string>>
}

/** Has the server read a file once more that could not be read; how far that is, every question about it says. */
export async function askToTryAgain(profile: Profile): Promise<void> {
  await get('choices', { ...profile, again: true }, undefined)
}

export interface PollOptions {
  readonly signal?: AbortSignal
  readonly onWaiting?: (waiting: WaitReply) => void
  /** Between two questions, growing to four times this; small files are there after the first. */
  readonly everyMs?: number
}

/**
 * Asks until the profile is loaded. `read` makes the value of the final reply. From the second time on the server is asked to
 * wait for it: the answer comes when it is there, not when we ask next. A server that does not wait is asked less and less often.
 */
export async function poll<T>(
  path: string,
  query: Query,
  read: (response: Response) => Promise<T>,
  { signal, onWaiting, everyMs = 250 }: PollOptions = {},
): Promise<T> {
  for (let wait = 0, waitS = 0; ; wait = Math.min(Math.max(wait * 1.5, everyMs), everyMs * 4), waitS = WAIT_S) {
    const asked = performance.now()
    const response = await get(path, query, signal, waitS)
    if (response.status !== 202) return read(response)
    onWaiting?.((await response.json()) as WaitReply)
    await pause(Math.max(asked + wait - performance.now(), 0), signal)
  }
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new DOMException('aborted', 'AbortError'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}
