/** One figure over time. The table below says the same to who cannot see it. */
import { useMemo } from 'preact/hooks'

import { formatShare } from '../../base/units'
import { go } from '../../state/place'
import { Definition } from '../../widgets/panel/popup'
import { useWidth } from '../../widgets/use_width'
import type { LevelChange, TrendLine, TrendPoint } from '../../wire/wire'
import type { ChartOf } from './charts'
import { comparing, comparingLevels, hand, looked, openingOf, pointAt } from './hand'
import { MARGIN, nearest, plotOf } from './plot'
import type { Along, Dot } from './plot'

const HEIGHT = 150
const FIRST_WIDTH = 380
const MOST_DOTS = 400 // of more the lines alone are drawn
const MOST_WORDS = 6 // lines whose changes are written beside their ticks
const CROSS = 3.5
const EDGE = 24
const COLORS = [
  ...['--c-kernel', '--c-communication', '--c-reduction', '--c-attention', '--c-copy', '--c-matmul'],
  ...['--c-runtime', '--c-fused'],
]

export const MOST_COLORS = COLORS.length

/** Lines beyond the colours are grey: two of one colour would be taken for one. */
export function colorOf(line: number): string {
  return `var(${COLORS[line] ?? '--text-soft'})`
}

interface ChartProps {
  readonly lines: readonly TrendLine[]
  readonly chart: ChartOf
  readonly along: Along
  /** Lines of the run that is open: the others stand back. None: all alike. */
  readonly front: readonly boolean[]
  readonly baseline: readonly TrendPoint[]
}

export function Chart({ lines, chart, along, front, baseline }: ChartProps) {
  const [box, width] = useWidth<HTMLDivElement>(FIRST_WIDTH)
  const plot = useMemo(
    () => plotOf(lines, chart, along, { width, height: HEIGHT }, baseline),
    [lines, chart, along, width, baseline],
  )
  const place = looked(lines)
  const point = place === undefined ? undefined : pointAt(lines, place)
  const value = point === undefined ? null : chart.value(point)
  const dim = (line: number): string => (front[line] === false ? ' is-back' : '')
  const marked = plot.dots.find((dot) => dot.line === place?.line && dot.at === place.at)
  // Drawn anew only when it is another picture: the pointer moves sixty times a second.
  const still = useMemo(
    () => (
      <>
        {plot.marks.map((mark) => (
          <g key={mark.value}>
            <line class="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={mark.y} y2={mark.y} />
            <text class="tick" x={MARGIN.left - 6} y={mark.y + 4}>
              {chart.format(mark.value)}
            </text>
          </g>
        ))}
        {plot.baseline !== undefined && (
          <g class="baseline">
            <line x1={MARGIN.left} x2={width - MARGIN.right} y1={plot.baseline.y} y2={plot.baseline.y} />
            <title>@baseline: {chart.format(plot.baseline.value)}</title>
          </g>
        )}
        {plot.below.map(({ x, text }) => (
          <text key={text} class="below" x={x} y={HEIGHT - 7} text-anchor={anchorAt(x, width)}>
            {text}
          </text>
        ))}
        {plot.bands.map((band, line) => (
          <path key={line} class={`band${dim(line)}`} d={band} style={{ fill: colorOf(line) }} />
        ))}
        {plot.paths.map((path, line) => (
          <path key={line} class={`line${dim(line)}`} d={path} style={{ stroke: colorOf(line) }} />
        ))}
        {plot.ticks.map(({ x, line, change }, i) => (
          <g
            key={i}
            onContextMenu={(event) => {
              const to = comparingLevels(lines, { line, at: change.at })
              if (to === undefined || change.kind !== 'change') return
              event.preventDefault()
              go(to)
            }}
            class={`change${change.kind === 'change' ? '' : ` is-${change.kind}`}${dim(line)}`}
          >
            <line x1={x} x2={x} y1={MARGIN.top - 4} y2={HEIGHT - MARGIN.bottom} style={{ stroke: colorOf(line) }} />
            {(front[line] ?? lines.length <= MOST_WORDS) && change.kind === 'change' && (
              <text x={x} y={MARGIN.top - 8}>
                {wordsOf(change)}
              </text>
            )}
            <title>{change.why ?? `${chart.title} ${wordsOf(change)}`}</title>
          </g>
        ))}
        {plot.dots.length <= MOST_DOTS &&
          plot.dots.map((dot) => <Mark key={`${dot.line} ${dot.at}`} dot={dot} dim={dim(dot.line)} />)}
      </>
    ),
    [plot, chart, width, front],
  )
  const under = (event: MouseEvent): Dot | undefined => {
    const at = (event.currentTarget as Element).getBoundingClientRect()
    return nearest(plot.dots, event.clientX - at.left, event.clientY - at.top)
  }
  return (
    <div ref={box} class="trends-chart">
      <h3>
        {chart.title} <Definition of={chart.title} text={chart.definition} />
        <span class="trends-value">
          {value !== null ? chart.format(value) : point?.quality === 'pending' ? '…' : 'not recorded'}
        </span>
      </h3>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${chart.title} of each profile; the table below has the figures.`}
        onMouseMove={(event) => {
          const dot = under(event)
          if (dot !== undefined) hand.value = { line: dot.line, at: dot.at }
        }}
        onClick={(event) => {
          const dot = under(event)
          const to = dot && (event.shiftKey ? comparing(lines, dot) : openingOf(lines, dot))
          if (to !== undefined) go(to)
        }}
      >
        {still}
        {marked !== undefined && <circle class="hand" cx={marked.x} cy={marked.y} r={7} />}
      </svg>
    </div>
  )
}

/** Full: complete; hollow: few steps; a cross: trouble. */
function Mark({ dot: { x, y, line, quality }, dim }: { readonly dot: Dot; readonly dim: string }) {
  if (quality === 'trouble')
    return (
      <path
        class={`cross${dim}`}
        d={`M${x - CROSS} ${y - CROSS}l${2 * CROSS} ${2 * CROSS}m0 ${-2 * CROSS}l${-2 * CROSS} ${2 * CROSS}`}
      />
    )
  const color = colorOf(line)
  return (
    <circle
      class={`dot${dim}`}
      cx={x}
      cy={y}
      r={3}
      style={{ stroke: color, fill: quality === 'few' ? 'var(--bg)' : color }}
    />
  )
}

/** A text at an edge stays within the chart. */
function anchorAt(x: number, width: number): 'start' | 'middle' | 'end' {
  if (x > width - MARGIN.right - EDGE) return 'end'
  return x < MARGIN.left + EDGE ? 'start' : 'middle'
}

/** `▲ +11 %`, of what was 0 before `▲ new`. */
function wordsOf({ share, before, after }: LevelChange): string {
  const sign = (after ?? 0) > (before ?? 0) ? '▲' : '▼'
  if (share === null) return `${sign} new`
  return `${sign} ${share > 0 ? '+' : '−'}${formatShare(Math.abs(share))}`
}
