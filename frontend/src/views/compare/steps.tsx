/** A dot for each step of both sides on one axis: which steps there are, and which stand apart. A dot leads to its step. */
import { exactNs, formatNs } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import type { Item } from '../../wire/wire'
import { timelineAt } from '../timeline_link'

const MOST = 200 // of each side; a line of more dots is a bar

export function Steps({ a, b }: { readonly a: Item; readonly b: Item }) {
  const lasting = [...a.steps, ...b.steps].map((step) => step.lasted_ns)
  const [least, most] = [Math.min(...lasting), Math.max(...lasting)]
  return (
    <section class="compare-steps" aria-label="Steps">
      {[a, b].map((item, side) => (
        <div class="compare-dots" key={side}>
          <strong>{side === 0 ? 'A' : 'B'}</strong>
          <div class="compare-axis">
            {item.steps.slice(0, MOST).map((step) => {
              const profile = item.members[step.recording]
              const title = `step ${step.number}: ${exactNs(step.lasted_ns)}${step.outlier ? ', much longer than the others' : ''}`
              return (
                <span
                  key={`${step.recording} ${step.number}`}
                  class={`compare-dot${step.outlier ? ' is-outlier' : ''}`}
                  style={{ left: `${(100 * (step.lasted_ns - least)) / Math.max(most - least, 1)}%` }}
                >
                  {profile !== undefined && (
                    <PlaceLink to={timelineAt(profile, step.start_ns, step.lasted_ns)} title={title}>
                      <span class="sr-only">{title}</span>
                    </PlaceLink>
                  )}
                </span>
              )
            })}
          </div>
          <span class="soft">
            {formatNs(Math.min(...item.steps.map((step) => step.lasted_ns)))} –{' '}
            {formatNs(Math.max(...item.steps.map((step) => step.lasted_ns)))}
          </span>
        </div>
      ))}
    </section>
  )
}
