/** Own work of a rank in steps, dots over the band of its peers and their median. The table below it has the same values. */
import { exactNs, formatNs } from '../../base/units'
import type { RankStepRow } from '../../wire/wire'

const WIDTH = 380
const HEIGHT = 96
const LEFT = 56
const FOOT = 16

interface OwnTimeChartProps {
  readonly steps: readonly RankStepRow[]
  readonly chosen: number | undefined
}

export function OwnTimeChart({ steps, chosen }: OwnTimeChartProps) {
  const known = steps.filter(({ work_ns: own }) => own !== null)
  const values = known.flatMap((row) =>
    [row.work_ns, row.peers_least_ns, row.peers_most_ns].filter((value): value is number => value !== null),
  )
  if (values.length === 0)
    return (
      <p class="is-absent">Own work: not recorded. No collective could be matched, and so nobody knows what is wait.</p>
    )
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const room = Math.max(most - least, most * 0.02, 1)
  const x = (place: number): number => LEFT + ((place + 0.5) / known.length) * (WIDTH - LEFT)
  const y = (ns: number): number => 8 + (1 - (ns - least) / room) * (HEIGHT - FOOT - 16)
  const wide = Math.min(18, (WIDTH - LEFT) / known.length)
  const every = Math.max(1, Math.ceil((known.length * 34) / (WIDTH - LEFT)))
  return (
    <svg
      class="ranks-own"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label="Own work of the rank and of its peers in steps. The table has the same values."
    >
      <text class="is-left" x={LEFT - 8} y={y(least + room) + 4}>
        {formatNs(least + room)}
      </text>
      <text class="is-left" x={LEFT - 8} y={y(least) + 4}>
        {formatNs(least)}
      </text>
      {known.map((row, place) => {
        const { number, work_ns: own, peers_least_ns: low, peers_work_ns: middle, peers_most_ns: high } = row
        return (
          <g key={number}>
            <title>{`step ${number}: ${exactNs(own ?? 0)}${middle === null ? '' : `, peers ${exactNs(middle)} in the median`}`}</title>
            {low !== null && high !== null && (
              <rect
                class="is-band"
                x={x(place) - wide / 2}
                y={y(high)}
                width={wide}
                height={Math.max(y(low) - y(high), 1)}
              />
            )}
            {middle !== null && <path class="is-middle" d={`M${x(place) - wide / 2} ${y(middle)}h${wide}`} />}
            <circle class={number === chosen ? 'is-chosen' : ''} cx={x(place)} cy={y(own ?? 0)} r={4} />
            {place % every === 0 && (
              <text x={x(place)} y={HEIGHT - 3}>
                {number}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}
