/** How long events take, as bars over logarithmic bins, with the same as a table behind a button. */
import './histogram.css'

import { useId, useState } from 'preact/hooks'

import { exactNs, formatNs, formatShare, plural } from '../../base/units'
import type { Bin, Spread } from '../../wire/wire'
import { Definition } from '../panel/popup'
import { SmallTable, TimeCell } from '../panel/small_table'
import { useWidth } from '../use_width'

const HEIGHT = 72
const AXIS = 16
const GAP = 1
const LABEL_PX = 58 // room for "1.25 ms"

interface HistogramProps {
  /** What each event is: "Host time of a call". */
  readonly of: string
  readonly definition?: string
  readonly spread: Spread
  /** A variable of theme.css. */
  readonly color: string
}

export function Histogram({ of, definition, spread, color }: HistogramProps) {
  const [box, width] = useWidth<HTMLDivElement>(320)
  const [isTable, setTable] = useState(false)
  const heading = useId()
  return (
    <section class="histogram" aria-labelledby={heading}>
      <h3 id={heading}>
        {of}
        {definition !== undefined && <Definition of={of} text={definition} />}
        <button
          type="button"
          class="button is-plain histogram-switch"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Chart' : 'Table'}
        </button>
      </h3>
      <p class="soft">
        median <Time ns={spread.median_ns} /> · mean <Time ns={spread.mean_ns} /> · 95 % below{' '}
        <Time ns={spread.p95_ns} /> · <Time ns={spread.min_ns} /> to <Time ns={spread.max_ns} />
      </p>
      <div ref={box}>
        {isTable ? <Bins spread={spread} /> : <Bars of={of} spread={spread} color={color} width={width} />}
      </div>
    </section>
  )
}

function Time({ ns }: { readonly ns: number }) {
  return (
    <span class="value" title={exactNs(ns)}>
      {formatNs(ns)}
    </span>
  )
}

interface BarsProps extends Omit<HistogramProps, 'definition'> {
  readonly width: number
}

function Bars({ of, spread, color, width }: BarsProps) {
  const { bins } = spread
  const most = Math.max(...bins.map((bin) => bin.count))
  const step = width / bins.length
  const labelEvery = Math.max(1, Math.ceil(LABEL_PX / step))
  return (
    <svg
      width={width}
      height={HEIGHT + AXIS}
      role="img"
      aria-label={`${of}: ${plural(spread.count, 'event')}, median ${formatNs(spread.median_ns)}. The table has the same bins.`}
    >
      {bins.map((bin, index) => {
        const height = bin.count === 0 ? 0 : Math.max(2, (bin.count / most) * HEIGHT)
        return (
          <g key={bin.start_ns} transform={`translate(${index * step} 0)`}>
            <title>{describe(bin, spread)}</title>
            <rect width={step} height={HEIGHT} fill="transparent" />
            <rect y={HEIGHT - height} width={Math.max(1, step - GAP)} height={height} fill={color} />
            {index % labelEvery === 0 && (index === 0 || (index + 1) * step + LABEL_PX / 2 < width) && (
              <text x={0} y={HEIGHT + AXIS - 3}>
                {formatNs(bin.start_ns)}
              </text>
            )}
          </g>
        )
      })}
      <line x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
    </svg>
  )
}

function Bins({ spread }: { readonly spread: Spread }) {
  return (
    <SmallTable first="from" columns={['to below', 'events', 'time']}>
      {spread.bins
        .filter((bin) => bin.count > 0)
        .map((bin) => (
          <tr key={bin.start_ns}>
            <td class="is-text">{formatNs(bin.start_ns)}</td>
            <td>{formatNs(bin.end_ns)}</td>
            <td>{bin.count.toLocaleString('en-US')}</td>
            <TimeCell ns={bin.total_ns} />
          </tr>
        ))}
    </SmallTable>
  )
}

function describe(bin: Bin, spread: Spread): string {
  const share = spread.total_ns === 0 ? '' : `, ${formatShare(bin.total_ns / spread.total_ns)} of the time`
  return `${formatNs(bin.start_ns)} to ${formatNs(bin.end_ns)}: ${plural(bin.count, 'event')}, ${formatNs(bin.total_ns)}${share}`
}
