/** What is compared, as the link and the server have it: a line each, of run, worker and span with tabs between. */
import { compareItems } from '../links'
import type { Profile } from '../../wire/profile'
import type { RunState } from '../../wire/wire'

const MOST = 50

/** The first is the baseline. What is no profile is left out. */
export function parseItems(text: string | undefined): readonly Profile[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.split('\t'))
    .flatMap(([run, worker, span, more]) =>
      run === undefined || worker === undefined || span === undefined || more !== undefined || run === ''
        ? []
        : [{ run, worker, span }],
    )
    .slice(0, MOST)
}

/** The items of the link; where it has none, the profile that it is about is A. */
export function itemsOf(
  text: string | undefined,
  shown: { readonly [K in keyof Profile]?: Profile[K] | undefined },
  runs: readonly RunState[],
): readonly Profile[] {
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
export function formatItems(items: readonly Profile[]): string | undefined {
  return items.length === 0 ? undefined : compareItems(items)
}

/** The second becomes the baseline and the other way round. */
export function swapped(items: readonly Profile[]): readonly Profile[] {
  const [a, b, ...others] = items
  return a === undefined || b === undefined ? items : [b, a, ...others]
}

/** With another profile in this place; behind the last it is one more, and undefined takes it away. */
export function withItem(items: readonly Profile[], place: number, item: Profile | undefined): readonly Profile[] {
  return [...items.slice(0, place), ...(item === undefined ? [] : [item]), ...items.slice(place + 1)]
}
