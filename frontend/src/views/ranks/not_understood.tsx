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

/** `shows`: tables that this job has. */
export function NotUnderstood({ shows }: { readonly shows: readonly string[] }) {
  const named = [
    ['show', at('ranks.show'), shows],
    ['measure', at('ranks.measure'), MEASURES.map(({ id }) => id)],
    ['axes', at('ranks.axes'), AXES.map(({ id }) => id)],
  ] as const
  const said = [
    ...named.flatMap(([name, value, known]) =>
      value === undefined || known.some((id) => id === value) ? [] : [`${name}=${value}`],
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
