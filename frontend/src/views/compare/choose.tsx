/** Which profiles are A and B: a picker for each, one more, and the other way round. */
import { runs } from '../../data/runs'
import { filterText } from '../../state/filters'
import { go } from '../../state/place'
import { Picker } from '../../widgets/choose/picker'
import type { Entry } from '../../widgets/choose/picker'
import type { Recordings } from '../compare_items'
import type { RunState } from '../../wire/wire'
import { formatItems, parseItems, swapped, withItem } from './items'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

export function Choose({ items }: { readonly items: readonly Recordings[] }) {
  const entries = entriesOf(runs.value.reply?.runs ?? [])
  const places = [
    ...items.keys(),
    ...(items.length < 2 ? Array.from({ length: 2 - items.length }, (_, i) => items.length + i) : []),
  ]
  const choose = (place: number, id: string | undefined): void =>
    moveTo(withItem(items, place, id === undefined ? undefined : parseItems(id)[0]))
  return (
    <div class="compare-choose">
      {places.map((place) => {
        const id = formatItems(items.slice(place, place + 1))
        return (
          <span class="compare-item" key={place}>
            <Picker
              name={nameOf(place)}
              label={labelOf(items[place], entries)}
              chosen={id}
              entries={entries}
              onChoose={(chosen) => choose(place, chosen)}
            />
            {place > 1 && (
              <button
                type="button"
                class="button is-small"
                aria-label={`Remove ${nameOf(place)}`}
                onClick={() => choose(place, undefined)}
              >
                ×
              </button>
            )}
          </span>
        )
      })}
      {items.length >= 2 && (
        <>
          <Picker
            name="add"
            label="one more"
            chosen={undefined}
            entries={entries}
            onChoose={(chosen) => choose(items.length, chosen)}
          />
          <button type="button" class="button" title="X" onClick={() => moveTo(swapped(items))}>
            ⇄ Swap
          </button>
        </>
      )}
    </div>
  )
}

/** Of other rows: what was opened and zoomed to. */
export const ANEW = { 'compare.toggled': undefined, 'compare.zoom': undefined }

/** Other items: rows that were opened are no longer those. */
export function moveTo(items: readonly Recordings[]): void {
  go({ 'compare.items': formatItems(items), 'compare.pair': undefined, ...ANEW })
}

function nameOf(place: number): string {
  return LETTERS[place] ?? String(place + 1)
}

/** As its picker calls it: of one run there may be several. */
export function saidOf({ run, worker, span }: Recordings): string {
  return labelOf({ run, worker, span }, entriesOf(runs.value.reply?.runs ?? []))
}

function labelOf(item: Recordings | undefined, entries: readonly Entry[]): string {
  if (item === undefined) return 'choose'
  const { also, steps, ...profile } = item
  const id = formatItems([profile])
  const label = entries.find((entry) => entry.id === id)?.label ?? Object.values(profile).join(' · ')
  const some = steps === undefined ? label : `${label} · ${filterText('steps', steps)}`
  return also === undefined ? some : `${some} and ${also.length} more`
}

/** Every profile; what names it beyond its run only where there are several. */
function entriesOf(all: readonly RunState[]): readonly Entry[] {
  return all.flatMap((run) =>
    run.workers.flatMap((worker) =>
      worker.spans
        .filter((span) => !span.foreign && !span.no_profile)
        .map((span, place) => ({
          id: formatItems([{ run: run.name, worker: worker.name, span: span.name }]) ?? '',
          label: [
            run.name,
            ...(run.workers.length > 1 ? [worker.label] : []),
            ...(worker.spans.length > 1 ? [span.label ?? `span ${place + 1}`] : []),
          ].join(' · '),
          hint: span.files[0],
          bad: span.state === 'failed',
        })),
    ),
  )
}
