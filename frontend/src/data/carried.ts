/** Answers that a report carries with it: the page asks its own file instead of a server. `answers/report.py` writes them. */
import type { RunsReply } from '../wire/wire'
import type { Query } from './request'

/** What the file says of what it carries: `answers` by key, each a piece and a place in it. */
interface Index {
  readonly runs: RunsReply
  readonly questions: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly answers: Readonly<Record<string, readonly [piece: number, place: number]>>
  readonly windows: readonly CarriedWindow[]
}

export interface CarriedWindow {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly bucket_ns: number
  readonly piece: number
}

/** What a report has, for whoever answers more from it. */
export interface Carried {
  readonly ask: (path: string, query: Query) => Promise<Response>
  /** Replies for windows, as they were sent. */
  readonly pictures: () => Promise<readonly ArrayBuffer[]>
}

/** An answer to what is not carried itself, where there is one. */
export type More = (path: string, query: Query) => Promise<object | undefined>

const PROFILE = ['run', 'worker', 'span', 'again']
const WINDOW = 'view/timeline/window'
const VALUES = 'view/timeline/values'
const SENTENCE = 'Not in this report: open the profile with tb-plugin serve.'

/** `pieces` are base 64 of gzip, the index first. */
export async function carriedIn(
  pieces: readonly string[],
  moreFrom?: (carried: Carried) => More,
): Promise<Carried['ask']> {
  const index = (await json(pieces[0] ?? '')) as Index
  const opened = new Map<number, Promise<unknown>>()
  const piece = async (at: number): Promise<unknown> => {
    const found = opened.get(at) ?? json(pieces[at + 1] ?? '')
    opened.set(at, found)
    return found
  }
  const carriedValues = Object.keys(index.answers).find((key) => key.startsWith(`${VALUES}?`)) ?? '' // of the whole profile
  const pictures = async (): Promise<readonly ArrayBuffer[]> =>
    Promise.all(index.windows.map(async (each) => unpacked(pieces[each.piece + 1] ?? '')))
  const ask = async (path: string, query: Query): Promise<Response> => {
    if (path === 'runs') return Response.json(index.runs)
    const words = wordsOf(query, index.questions[path] ?? {})
    if (path === WINDOW) {
      const wanted = Object.keys(words).some((key) => !['t0_ns', 't1_ns', 'width_px', 'tracks'].includes(key))
        ? undefined // what filters leave
        : windowFor(index.windows, Number(words['t0_ns']), Number(words['t1_ns']), Number(words['width_px']))
      return wanted === undefined ? notCarried() : new Response(await unpacked(pieces[wanted.piece + 1] ?? ''))
    }
    const key = path === VALUES ? carriedValues : keyOf(path, words)
    const place = index.answers[key]
    if (place !== undefined) return Response.json(((await piece(place[0])) as unknown[])[place[1]])
    try {
      const answer = await more?.(path, query)
      return answer === undefined ? notCarried() : Response.json(answer)
    } catch (error) {
      return refusal(400, 'UsageError', String(error)) // no regular expression
    }
  }
  const more = moreFrom?.({ ask, pictures })
  return ask
}

/** What says something beside which profile, as `answers/report.py` writes it: nothing empty, nothing that holds anyway. */
function wordsOf(query: Query, defaults: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const said = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  )
  return Object.fromEntries(
    said.filter(([key, word]) => !PROFILE.includes(key) && word !== '' && word !== defaults[key]),
  )
}

function keyOf(path: string, words: Readonly<Record<string, string>>): string {
  const parts = Object.keys(words).sort().map((key) => `${key}=${words[key] ?? ''}`) // prettier-ignore
  return `${path}?${parts.join('&')}`
}

/** The coarsest picture that is fine enough, else the finest there is: of those that show the middle of what is asked for. */
export function windowFor(
  windows: readonly CarriedWindow[],
  t0: number,
  t1: number,
  widthPx: number,
): CarriedWindow | undefined {
  const third = (t1 - t0) / 3 // a screen on either side is asked for besides
  const [from, to] = [t0 + third, t1 - third]
  const showing = windows
    .filter((each) => each.t0_ns <= from && each.t1_ns >= to)
    .sort((a, b) => b.bucket_ns - a.bucket_ns)
  return showing.find((each) => each.bucket_ns <= (t1 - t0) / widthPx) ?? showing.at(-1)
}

function notCarried(): Response {
  return refusal(404, 'NotCarried', SENTENCE)
}

function refusal(status: number, kind: string, message: string): Response {
  return Response.json({ error: { kind, message } }, { status })
}

async function json(text: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await unpacked(text)))
}

async function unpacked(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
}
