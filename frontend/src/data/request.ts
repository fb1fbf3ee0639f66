/** Asks the server. Addresses are relative to the document's base, so any prefix, proxy or experiment path works. */

export type Query = Readonly<Record<string, string | number | undefined>>

/** How far a profile's loading is; `progress` is 0 to 1. */
export interface Waiting {
  readonly state: string
  readonly progress: number
  readonly stage: string
}

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

export function addressFor(path: string, query: Query = {}): string {
  const url = new URL(`api/v1/${path}`, document.baseURI)
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value))
  return url.href
}

async function get(path: string, query: Query, signal: AbortSignal | undefined): Promise<Response> {
  let response: Response
  try {
    response = await fetch(addressFor(path, query), signal === undefined ? {} : { signal })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new UnreachableError('The server does not answer.')
  }
  if (response.ok) return response
  throw await errorOf(response)
}

async function errorOf(response: Response): Promise<ApiError | UnreachableError> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { error: { kind: string; message: string } }
    return new ApiError(response.status, error.kind, error.message)
  } catch {
    // A proxy's own page, not our error: a gateway that lost its server is a server that is gone.
    if ([502, 503, 504].includes(response.status)) return new UnreachableError('The server does not answer.')
    return new ApiError(response.status, 'HttpError', `The server answered ${response.status} ${response.statusText}.`)
  }
}

export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await (await get(path, query, signal)).json()) as T
}

export interface PollOptions {
  readonly signal?: AbortSignal
  readonly onWaiting?: (waiting: Waiting) => void
  /** Between two questions, growing to four times this; small files are there after the first. */
  readonly everyMs?: number
}

/** Asks until the profile is loaded. `read` makes the value of the final reply. */
export async function poll<T>(
  path: string,
  query: Query,
  read: (response: Response) => Promise<T>,
  { signal, onWaiting, everyMs = 250 }: PollOptions = {},
): Promise<T> {
  for (let wait = everyMs; ; wait = Math.min(wait * 1.5, everyMs * 4)) {
    const response = await get(path, query, signal)
    if (response.status !== 202) return read(response)
    onWaiting?.((await response.json()) as Waiting)
    await pause(wait, signal)
  }
}

export async function pollJson<T>(path: string, query: Query, options: PollOptions = {}): Promise<T> {
  return poll(path, query, async (response) => (await response.json()) as T, options)
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
