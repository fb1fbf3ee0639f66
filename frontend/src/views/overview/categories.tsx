/** Device time by category: one bar, and its parts in words. */
import { exactNs, formatNs, formatShare } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import type { Overview } from '../../wire/wire'
import * as define from './definitions'
import { ofCategory } from './parts'

export function Categories({ overview: { categories, device_time_ns: all } }: { readonly overview: Overview }) {
  if (categories.length === 0) return null
  return (
    <section class="category-line" aria-label="Device time by category">
      <h2>
        Device time by category
        <Definition of="device time by category" text={define.categories} />
        <span class="soft" title={exactNs(all)}>
          {formatNs(all)}
        </span>
      </h2>
      <div class="category-bar" aria-hidden="true">
        {categories.map(({ category, share }) => (
          <span key={category} style={{ width: `${share * 100}%`, background: `var(--c-${category})` }} />
        ))}
      </div>
      <ul>
        {categories.map(({ category, category_title: title, time_ns: ns, share }) => (
          <li key={category}>
            <PlaceLink to={ofCategory(category)} title={`${title}: ${exactNs(ns)}`}>
              <span class="swatch" style={{ background: `var(--c-${category})` }} />
              {title} {formatShare(share)}
            </PlaceLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
