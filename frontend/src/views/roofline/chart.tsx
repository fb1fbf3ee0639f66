/** The chart; the table below it says the same to who cannot see it. */
import { useMemo } from 'preact/hooks'

import { categoryOf } from '../../base/categories'
import { formatFlops, formatNs, formatRate, formatShare, threeDigits } from '../../base/units'
import { insideName } from '../../state/filters'
import { at, go } from '../../state/place'
import { heightOf, useWidth } from '../../widgets/use_width'
import type { Roofline, RooflineRow } from '../../wire/wire'
import { GAP, MARGIN, STRIP, plotOf } from './plot'
import { keyOf, nameOf } from './key'

const HEIGHT = 340
const FIRST_WIDTH = 1000

export function Chart({ roofline }: { readonly roofline: Roofline }) {
  const [box, width] = useWidth<HTMLDivElement>(FIRST_WIDTH)
  const height = heightOf(HEIGHT)
  const plot = useMemo(() => plotOf(roofline, { width, height }), [roofline, width, height])
  const right = width - MARGIN.right
  const chosen = at('roofline.row')
  return (
    <div ref={box} class="roofline-chart">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label="FLOP/s of each row over its FLOPs per byte, under the device's peaks. The table below has the figures."
      >
        {plot.yTicks.map((tick) => (
          <g key={tick.value}>
            <line class="grid" x1={plot.left} x2={right} y1={tick.at} y2={tick.at} />
            <text class="tick is-y" x={plot.left - 8} y={tick.at + 4}>
              {formatFlops(tick.value)}/s
            </text>
          </g>
        ))}
        {plot.xTicks.map((tick) => (
          <g key={tick.value}>
            <line class="grid" x1={tick.at} x2={tick.at} y1={MARGIN.top} y2={plot.bottom} />
            <text class="tick is-x" x={tick.at} y={plot.bottom + 15}>
              {tick.value < 1 ? String(tick.value) : threeDigits(tick.value)}
            </text>
          </g>
        ))}
        <rect
          class="strip"
          x={MARGIN.left}
          y={MARGIN.top}
          width={STRIP - GAP}
          height={Math.max(plot.bottom - MARGIN.top, 0)}
        />
        {plot.stripTicks.map((tick) => (
          <text key={tick.value} class="tick is-y" x={MARGIN.left - 8} y={tick.at + 4}>
            {formatRate(tick.value)}
          </text>
        ))}
        <text class="tick is-x" x={MARGIN.left + (STRIP - GAP) / 2} y={plot.bottom + 15}>
          copies
        </text>
        <text class="tick is-x" x={(plot.left + right) / 2} y={plot.bottom + 30}>
          FLOP / byte
        </text>
        {plot.dots.map(({ row, x, y, radius }) => {
          const key = keyOf(row)
          const color = categoryOf(row.category)?.color ?? 'var(--c-other)'
          return (
            <circle
              key={key}
              class={chosen === key ? 'dot is-chosen' : 'dot'}
              cx={x}
              cy={y}
              r={radius}
              style={{ stroke: color, fill: row.is_most ? 'transparent' : color }}
              onClick={(event) =>
                go(event.shiftKey && !IS_REPORT ? { inside: insideName(row.name) } : { 'roofline.row': key })
              }
            >
              <title>{words(row)}</title>
            </circle>
          )
        })}
        {plot.slope !== undefined && (
          <line class="roof" x1={plot.slope[0]} y1={plot.slope[1]} x2={plot.slope[2]} y2={plot.slope[3]} />
        )}
        {plot.roofs.map((roof) => (
          <g key={roof.title}>
            <line class={roof.isBest ? 'roof is-best' : 'roof'} x1={roof.x} x2={right} y1={roof.y} y2={roof.y} />
            <text class="tick is-roof" x={right} y={roof.y + (roof.isBest ? 12 : -4)}>
              {roof.title}
            </text>
          </g>
        ))}
      </svg>
      {plot.nHidden > 0 && <p class="soft">{plot.nHidden} short rows are in the table alone.</p>}
    </div>
  )
}

function words(row: RooflineRow): string {
  const bound = row.is_most ? 'at most ' : ''
  const rate = row.flops_per_s === null || row.flops_per_s === 0 ? '' : `, ${bound}${formatFlops(row.flops_per_s)}/s`
  const bytes = row.bytes_per_s === null ? '' : `, ${formatRate(row.bytes_per_s)}`
  const roof = row.roof_share === null ? '' : `, ${formatShare(row.roof_share)} of the roof`
  const lost = row.lost_ns === null ? '' : `, ${formatNs(row.lost_ns)} lost`
  return `${nameOf(row)}: ${formatNs(row.total_ns)}${lost}${rate}${bytes}${roof}. Click: the row; Shift+click: only this.`
}
