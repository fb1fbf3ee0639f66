/** Where the device time goes, by category: one bar of shares. A click keeps a category, a second click lets it go. */
import { KERNEL_CATEGORIES } from '../../base/categories'
import type { Category } from '../../base/categories'
import { exactCount, exactNs, formatNs, formatShare } from '../../base/units'
import { Definition } from '../../widgets/panel/popup'
import type { CategoryTotal } from '../../wire/wire'
import * as define from './definitions'

interface CategoryBarProps {
  readonly totals: readonly CategoryTotal[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string | undefined) => void
}

interface Part {
  readonly category: Category
  readonly total: CategoryTotal
  readonly share: number
}

export function CategoryBar({ totals, chosen, onChoose }: CategoryBarProps) {
  const all = Math.max(
    totals.reduce((sum, each) => sum + each.total_ns, 0),
    1,
  )
  const parts: Part[] = KERNEL_CATEGORIES.flatMap((category) => {
    const total = totals.find((each) => each.category === category.id)
    return total === undefined ? [] : [{ category, total, share: total.total_ns / all }]
  })
  if (parts.length < 2 && chosen === undefined) return null // one part of one says nothing
  const toggle = (id: string): void => onChoose(id === chosen ? undefined : id)
  return (
    <section class="kernel-bar" aria-label="Device time by category">
      <div class="kernel-track" aria-hidden="true">
        {parts.map(({ category, total, share }) => (
          <span
            key={category.id}
            class={chosen === undefined || chosen === category.id ? 'kernel-part' : 'kernel-part is-dimmed'}
            style={{ flexGrow: share, background: category.color }}
            title={`${category.title}: ${exactNs(total.total_ns)}, ${exactCount(total.count)} calls`}
            onClick={() => toggle(category.id)}
          />
        ))}
      </div>
      <div class="kernel-legend">
        {parts.map(({ category, total, share }) => (
          <button
            key={category.id}
            type="button"
            class="kernel-key"
            aria-pressed={category.id === chosen}
            title={`${category.definition} ${formatNs(total.total_ns)}, ${exactCount(total.count)} calls.`}
            onClick={() => toggle(category.id)}
          >
            <span class="swatch" style={{ background: category.color }} />
            {category.title} <span class="soft">{formatShare(share)}</span>
          </button>
        ))}
        <Definition of="device time by category" text={define.categories} />
      </div>
    </section>
  )
}
