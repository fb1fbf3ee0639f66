/** What a link to Compare asks it about. */
import type { Profile } from '../wire/profile'

/** A profile, with others that are recordings of the same program. */
export interface Recordings extends Profile {
  /** Of this one alone, `9`. */
  readonly steps?: string | undefined
  readonly also?: readonly Profile[]
}

/** What compare is asked about: a line each, of run, worker, span and perhaps steps with tabs between; of one more recording a tab before it. */
export function compareItems(items: readonly Recordings[]): string {
  const line = ({ run, worker, span, steps }: Recordings): string =>
    [run, worker, span, ...(steps === undefined ? [] : [steps])].join('\t')
  return items.flatMap((item) => [line(item), ...(item.also ?? []).map((one) => `\t${line(one)}`)]).join('\n')
}
