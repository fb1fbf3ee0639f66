/** Rows that are ticked, in the link: two of them lead to what changed between them. */
import { at, go } from '../../state/place'
import { PlaceLink } from '../../widgets/links/place_link'
import type { Column } from '../../widgets/table/column'
import type { Profile } from '../../wire/profile'
import type { RunRow } from '../../wire/wire'
import { compareItems } from '../links'

const KEY = 'runs.ticked'
const MOST = 50

/** In the order in which they were ticked: the first is the baseline. */
function ticked(): readonly string[] {
  return (at(KEY) ?? '').split('\n').filter(Boolean)
}

export const TICK: Column<RunRow> = {
  id: 'ticked',
  title: 'Compare',
  kind: 'text',
  width: 92,
  value: (row) => (ticked().includes(lineOf(row)) ? 'yes' : 'no'),
  definition: '',
  draw: (row) => <Tick row={row} />,
}

function Tick({ row }: { readonly row: RunRow }) {
  const line = lineOf(row)
  const chosen = ticked()
  const place = chosen.indexOf(line)
  return (
    <label
      class="runs-tick"
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <input
        type="checkbox"
        checked={place >= 0}
        disabled={row.state === 'failed' || (place < 0 && chosen.length >= MOST)}
        aria-label={`Compare ${row.run} ${row.label}`}
        onChange={() => {
          const next = place >= 0 ? chosen.filter((other) => other !== line) : [...chosen, line]
          go({ [KEY]: next.length === 0 ? undefined : next.join('\n') })
        }}
      />
      {place >= 0 && <span aria-hidden="true">{String.fromCharCode(65 + (place % 26))}</span>}
    </label>
  )
}

/** What is to be done with the rows that are ticked. */
export function Ticked() {
  const chosen = ticked()
  if (chosen.length === 0) return null
  if (chosen.length === 1) return <span class="soft">A is chosen: tick what to compare with it</span>
  return (
    <PlaceLink
      class="button"
      to={{ view: 'compare', 'compare.items': chosen.join('\n'), 'compare.toggled': undefined }}
    >
      Compare {chosen.length}
    </PlaceLink>
  )
}

function lineOf({ run, worker, span }: Profile): string {
  return compareItems([{ run, worker, span }])
}
