/** What a report says of the events that it has no more of than a picture in which they are merged. */
import { exactCount, formatShare, plural } from '../../../base/units'

/** Of how many events an answer is, out of how many. A server's answer is of all and says neither. */
export interface Inside {
  readonly n_inside: number
  readonly n_all: number
  /** Some of an area is merged: of these nothing tells when exactly they run, so neither what runs at once. */
  readonly is_about?: boolean
}

/** Behind a figure that has no room for a sentence. */
export function insideShare(reply: object): string {
  const { n_inside: n, n_all: all } = reply as Inside
  return n >= all ? '' : ` in ${formatShare(n / all)} of events`
}

export function insideWords(reply: object, done: 'searched' | 'summed up'): string {
  const { n_inside: n, n_all: all } = reply as Inside
  return n >= all
    ? `All ${plural(all, 'event')} ${done}.`
    : `${exactCount(n)} of ${plural(all, 'event')} ${done}: the others are in this report only merged with their neighbours. All of them: tb-plugin serve`
}
