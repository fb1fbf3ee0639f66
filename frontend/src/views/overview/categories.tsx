/** What the devices work on in the steps: one bar, of which what is empty is idle, and its parts in words. */
import { exactNs, formatNs, formatShare } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import type { Overview } from '../../wire/wire'
import * as define from './definitions'
import { ofCategory, sum } from './parts'

export function Categories({ overview: { categories, devices, steps } }: { readonly overview: Overview }) {
  if (categories.length === 0) return null
  const busy = sum(devices, (device) => device.busy_ns)
  const outside = sum(devices, (device) => device.busy_outside_ns)
  return (
    <section class="category-line" aria-label="Device time by category">
      <h2>
        Device time by category{steps.length > 0 && ', in the steps'}
        <Definition of="device time by category" text={define.categories} />
        <span class="soft" title={exactNs(busy)}>
          {formatNs(busy)} of {formatNs(sum(devices, (device) => device.window_ns))}
          {outside > 0 && `; outside these steps ${formatNs(outside)} more`}
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
