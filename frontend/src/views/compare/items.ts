/** What is compared, as the link and the server have it: a line each, of run, worker and span with tabs between. */
import { compareItems } from '../links'
import type { Profile } from '../../wire/profile'

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
