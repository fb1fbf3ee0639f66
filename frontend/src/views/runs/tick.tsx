/** Rows that are ticked, in the link: two of them lead to what changed between them. */
import { at, go } from '../../state/place'
import { PlaceLink } from '../../widgets/links/place_link'
import type { Column } from '../../widgets/table/column'
import type { Profile } from '../../wire/profile'
import type { RunRow } from '../../wire/wire'
import { compareItems } from '../compare_items'
import * as define from './definitions'

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
  definition: define.ticked,
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
  const runs = [...new Set(chosen.map((line) => line.split('\t')[0] ?? ''))]
  return (
    <>
      {chosen.length === 1 && <span class="soft">A is chosen: tick what to compare with it</span>}
      {chosen.length > 1 && (
        <PlaceLink
          class="button"
          to={{
            view: 'compare',
            'compare.items': chosen.join('\n'),
            'compare.toggled': undefined,
            'compare.zoom': undefined,
          }}
        >
          Compare {chosen.length}
        </PlaceLink>
      )}
      <PlaceLink class="button" to={{ view: 'trends', 'trends.only': onlyThese(runs) }}>
        {runs.length === 0 ? 'Trends' : `Trends of ${runs.length}`}
      </PlaceLink>
    </>
  )
}

/** A regular expression for these names alone; undefined for none. */
export function onlyThese(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return `^(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`
}

function lineOf({ run, worker, span }: Profile): string {
  return compareItems([{ run, worker, span }])
}
