/** What the colours mean: those of all views. */
import { KERNEL_CATEGORIES } from '../../../base/categories'
import { VARIABLES } from '../../../draw/paint/palette'
import { Popup } from '../../../widgets/panel/popup'

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

/** Each variable of the page that holds a colour of the picture, and what it means. */
export const LEGEND = WORDS.map(([paint, words]) => [VARIABLES[paint] ?? '--text-soft', words] as const)

/** The words of a colour. */
export function paintWords(paint: string): string {
  return WORDS.find(([id]) => id === paint)?.[1] ?? (paint === 'other' ? 'Other' : paint)
}

export function Legend() {
  return (
    <Popup
      label="Colours"
      content={() => (
        <ul class="tl-legend">
          {WORDS.map(([paint, words]) => (
            <li key={paint}>
              <span class="tl-swatch" style={{ background: `var(${VARIABLES[paint] ?? '--text-soft'})` }} /> {words}
            </li>
          ))}
          <li class="soft">Paler: less of its time. Grey: left out; what a filter keeps has a strong lower edge.</li>
        </ul>
      )}
    />
  )
}
