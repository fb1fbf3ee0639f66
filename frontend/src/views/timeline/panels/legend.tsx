/** What the colours mean, those of all views; each is a switch. Kinds that have rows of their own take their rows away, others turn grey. */
import './legend.css'

import { exactCount } from '../../../base/units'
import { KERNEL_CATEGORIES } from '../../../base/categories'
import { VARIABLES } from '../../../draw/paint/palette'
import { TEXTURES } from '../../../draw/paint/textures'
import type { Texture } from '../../../draw/paint/textures'
import { Popup } from '../../../widgets/panel/popup'
import { paintsInSight } from '../store/in_sight'
import type { TimelineStore } from '../store/store'

const WORDS: readonly (readonly [paint: string, words: string])[] = [
  ['operator', 'Operator'],
  ['annotation', 'Named range'],
  ['data_loader', 'Data loader'],
  ['python', 'Python, nn.Module'],
  ['runtime', 'Runtime or driver call'],
  ...KERNEL_CATEGORIES.filter(({ id }) => id !== 'other').map(({ id, title }) => [id, title] as const),
  ['kernel', 'Other kernel'],
  ['sync', 'Synchronisation'],
  ['overhead', 'Profiler overhead'],
  ['mark', 'Allocation, mark'],
]

/** Of the colours in sight: the variable of the page that holds it, what it means, and its texture. */
export function legendOf(
  stores: readonly TimelineStore[],
): readonly (readonly [color: string, words: string, texture: Texture | null])[] {
  const seen = new Set(stores.flatMap((store) => [...paintsInSight(store)]))
  return WORDS.flatMap(([paint, words]) =>
    seen.has(paint) ? [[variable(paint), words, TEXTURES[paint] ?? null] as const] : [],
  )
}

/** The words of a colour. */
export function paintWords(paint: string): string {
  return WORDS.find(([id]) => id === paint)?.[1] ?? (paint === 'other' ? 'Other' : paint)
}

function variable(paint: string): string {
  return VARIABLES[paint] ?? '--text-soft'
}

/** Colours of which the profile has events. A click leaves one out or takes it back, with Shift it leaves out all others. */
export function Legend({ store }: { readonly store: TimelineStore }) {
  const { paints, n_of_paint: counts } = store.tracks
  const { off } = store.picture.arrangement.value
  const all = WORDS.flatMap(([paint, words]) => {
    const n = counts[paints.indexOf(paint)] ?? 0
    const key = paint === 'mark' ? 'marks' : paint // as the rows are called
    return n > 0 ? [{ paint, words, n, key }] : []
  })
  const nOff = all.filter(({ key }) => off.has(key)).length
  return (
    <Popup
      isKept
      label={nOff === 0 ? 'Colours' : `Colours, ${nOff} off`}
      content={() => (
        <div class="tl-legend" role="group" aria-label="Colours">
          {all.map(({ paint, words, n, key }) => (
            <button
              key={paint}
              type="button"
              class="button is-plain"
              aria-label={`${words}: shown`}
              aria-pressed={!off.has(key)}
              title={`${exactCount(n)} in the file. Shift+click: this alone`}
              onClick={(event) => {
                if (event.shiftKey) store.leaveOut(all.map((each) => each.key).filter((each) => each !== key))
                else store.toggle('off', key)
              }}
            >
              <span
                class={`tl-swatch ${TEXTURES[paint] === undefined ? '' : `is-${TEXTURES[paint]}`}`}
                style={{ backgroundColor: `var(${variable(paint)})` }}
              />
              {words}
            </button>
          ))}
          {nOff > 0 && (
            <button type="button" class="button" onClick={() => store.leaveOut([])}>
              Show all
            </button>
          )}
          <p class="soft">
            Striped, dotted: no computation. Paler: less of its time. Grey: left out; what is kept has a strong lower
            edge. A click leaves a colour out.
          </p>
        </div>
      )}
    />
  )
}
