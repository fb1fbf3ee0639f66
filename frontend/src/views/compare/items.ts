/** What is compared, as the link and the server have it: a line each, as `compareItems` writes it. */
import { compareItems } from '../compare_items'
import type { Recordings } from '../compare_items'
import type { Profile } from '../../wire/profile'
import type { RunState } from '../../wire/wire'

const MOST = 50

/** The first is the baseline. What is no profile is left out. */
export function parseItems(text: string | undefined): readonly Recordings[] {
  const items: { readonly first: Recordings; readonly also: Profile[] }[] = []
  for (const line of (text ?? '').split('\n')) {
    const isMore = line.startsWith('\t')
    const [run, worker, span, steps, more] = (isMore ? line.slice(1) : line).split('\t')
    if (run === undefined || worker === undefined || span === undefined || more !== undefined || run === '') continue
    if (isMore) items.at(-1)?.also.push({ run, worker, span })
    else items.push({ first: { run, worker, span, ...(steps !== undefined && { steps }) }, also: [] })
  }
  return items.slice(0, MOST).map(({ first, also }) => (also.length === 0 ? first : { ...first, also }))
}

/** The items of the link; where it has none, the profile that it is about is A. */
export function itemsOf(
  text: string | undefined,
  shown: { readonly [K in keyof Profile]?: Profile[K] | undefined },
  runs: readonly RunState[],
): readonly Recordings[] {
  const items = parseItems(text)
  if (items.length > 0 || shown.run === undefined) return items
  const run = runs.find(({ name }) => name === shown.run)
  const worker = run?.workers.find(({ name }) => name === (shown.worker ?? run.opens))
  const span = worker?.spans.find(({ name }) => name === (shown.span ?? worker.opens))
  return run === undefined || worker === undefined || span === undefined
    ? items
    : [{ run: run.name, worker: worker.name, span: span.name }]
}

/** Two and more; undefined for none, as the link has it. */
export function formatItems(items: readonly Recordings[]): string | undefined {
  return items.length === 0 ? undefined : compareItems(items)
}

/** The second becomes the baseline and the other way round. */
export function swapped(items: readonly Recordings[]): readonly Recordings[] {
  const [a, b, ...others] = items
  return a === undefined || b === undefined ? items : [b, a, ...others]
}

/** With another profile in this place; behind the last it is one more, and undefined takes it away. */
export function withItem(
  items: readonly Recordings[],
  place: number,
  item: Recordings | undefined,
): readonly Recordings[] {
  return [...items.slice(0, place), ...(item === undefined ? [] : [item]), ...items.slice(place + 1)]
}
