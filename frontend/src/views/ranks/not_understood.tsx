/** What the link names and nothing here is called: another table, measure or list is never shown in silence. */
import { at } from '../../state/place'
import { AXES, MEASURES } from './map/matrix'

/** What narrows collectives one by one, and what of it is a number. */
const EACH: Readonly<Record<string, RegExp>> = {
  dimension: /./,
  kind: /./,
  n_ranks: /^\d+$/,
  bytes: /^\d+$/,
  ranks: /\d/,
  steps: /\d/,
  begun: /^\d+-\d+(,\d+-\d+)*$/,
}

/** `foo` and `bytes=x` of what is asked of collectives. */
function strange(which: string | undefined): readonly string[] {
  return [...new URLSearchParams(which)].flatMap(([name, value]) =>
    EACH[name]?.test(value) === true ? [] : [value === '' ? name : `${name}=${value}`],
  )
}

interface NotUnderstoodProps {
  /** Tables that this job has. */
  readonly shows: readonly string[]
  /** What can lie beside it; undefined where that is not known, or said elsewhere. */
  readonly besides: readonly string[] | undefined
}

export function NotUnderstood({ shows, besides }: NotUnderstoodProps) {
  const named = [
    ['show', at('ranks.show'), shows],
    ['measure', at('ranks.measure'), MEASURES.map(({ id }) => id)],
    ['axes', at('ranks.axes'), AXES.map(({ id }) => id)],
    ...(besides === undefined ? [] : [['beside', at('ranks.beside'), besides] as const]),
  ] as const
  const said = [
    ...named.flatMap(([name, value, known]) =>
      value === undefined || known.some((id) => id === value) ? [] : [`${name}=${value.replace('\t', ', recording ')}`],
    ),
    ...strange(at('ranks.each')).map((words) => `each=${words}`),
  ]
  if (said.length === 0) return null
  return (
    <p class="view-note" role="status">
      Nothing here is called {said.join(', ')}: left out.
    </p>
  )
}
