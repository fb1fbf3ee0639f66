/** All pipelines of a job as small bars on one scale: whose bubble is larger. A click shows one. */
import { formatNs, formatShare } from '../../../base/units'
import { go } from '../../../state/place'
import { Definition } from '../../../widgets/panel/popup'
import { useRoving } from '../../../widgets/use_roving'
import type { MicroBatches } from '../../../wire/wire'
import * as define from '../definitions'

const MOST = 64

/** In the order of their ranks, as replicas are numbered: the list beside them has the worst first. */
export function PipelineBars({ of }: { readonly of: MicroBatches }) {
  const box = useRoving<HTMLSpanElement>()
  const pipelines = [...of.choices].sort((a, b) => a.rank - b.rank).slice(0, MOST)
  const shares = pipelines.map(({ bubble_share: share }) => share)
  const most = Math.max(...shares)
  return (
    <p class="ranks-legend">
      <span>
        bubble of each pipeline, {formatShare(Math.min(...shares))} to {formatShare(most)} of the window{' '}
        <Definition of="the bubble of a pipeline" text={define.choices_bubble_share} />
      </span>
      <span ref={box} class="ranks-pipelines" role="group" aria-label="Bubble of each pipeline">
        {pipelines.map(({ rank, title, bubble_ns: longest, bubble_share: share }) => {
          const said = `${title}: bubble ${formatShare(share)} of the window, the longest ${formatNs(longest)}`
          return (
            <button
              key={rank}
              type="button"
              title={said}
              aria-label={said}
              aria-pressed={of.rows.some((row) => row.rank === rank)}
              onClick={() => go({ 'ranks.pipe': String(rank) })}
            >
              <i style={{ height: `${(100 * share) / (most || 1)}%` }} />
            </button>
          )
        })}
      </span>
    </p>
  )
}
