/** Own time above the median of the peers, of every rank in every step; the longer of both lies across. Its twin is a table. */
import { useMemo, useState } from 'preact/hooks'

import { exactNs, formatNs, signedNs } from '../../base/units'
import { at, go } from '../../state/place'
import { Definition } from '../../widgets/panel/popup'
import { useWidth } from '../../widgets/use_width'
import type { RanksTable } from '../../wire/wire'
import * as define from './definitions'
import { MapTable } from './map_table'
import { placeOfPanel } from './rank_links'
import { EDGES, cellsOf, everyOf, scaleOf } from './scale'
import type { Cells, Scale } from './scale'

const LEFT = 76
const AXIS = 18
const WORTH_A_COLOR = 0.02 // of the step: what is less is no straggler
const VALUE_PX = 58 // room for "+12.3 ms"
const VALUE_HEIGHT = 16
const MOST_VALUES = 600

interface HeatMapProps {
  readonly table: RanksTable
}

export function HeatMap({ table }: HeatMapProps) {
  const isTable = at('ranks.as') === 'table'
  const hasWaits = table.steps.some((step) => step.excess_ns.length > 0)
  return (
    <section aria-label="Ranks and steps">
      <header class="ranks-header">
        <h2>
          Own time of ranks in steps, above the median
          <Definition of="own time above the median" text={`${define.own_ns} ${define.excess_ns}`} />
        </h2>
        {hasWaits && (
          <button
            type="button"
            class="button is-small"
            aria-pressed={isTable}
            onClick={() => go({ 'ranks.as': isTable ? undefined : 'table' })}
          >
            {isTable ? 'Map' : 'Table'}
          </button>
        )}
      </header>
      {!hasWaits ? (
        <p class="is-absent">
          {table.steps.length === 0
            ? 'Steps: not recorded.'
            : 'Own time: not recorded. It is the step less the wait, and no collective could be matched.'}
        </p>
      ) : isTable ? (
        <MapTable table={table} />
      ) : (
        <Picture table={table} />
      )}
    </section>
  )
}

interface Spot {
  readonly rank: number // index
  readonly step: number // index
}

function Picture({ table }: HeatMapProps) {
  const [box, width] = useWidth<HTMLDivElement>(900)
  const [pointed, setPointed] = useState<Spot>()
  const { ranks, steps } = table
  const areRanksAcross = ranks.length > steps.length
  const cells = areRanksAcross
    ? cellsOf(ranks.length, steps.length, width - LEFT)
    : cellsOf(steps.length, ranks.length, width - LEFT)
  const spotAt = (x: number, y: number): Spot => (areRanksAcross ? { rank: x, step: y } : { rank: y, step: x })
  const valueAt = (x: number, y: number): number | null => valueOf(table, spotAt(x, y))
  const scale = useMemo(
    () =>
      scaleOf(
        steps.flatMap((step) => step.excess_ns),
        WORTH_A_COLOR * (table.longest_step_ns ?? 0),
      ),
    [table],
  )
  const drawn = useMemo(() => <Drawn cells={cells} scale={scale} valueAt={valueAt} />, [table, cells.width])
  const spotUnder = (event: MouseEvent): Spot | undefined => {
    const area = (event.currentTarget as Element).getBoundingClientRect()
    const x = Math.floor((event.clientX - area.left - LEFT) / cells.width)
    const y = Math.floor((event.clientY - area.top) / cells.height)
    return x < 0 || y < 0 || x >= cells.across || y >= cells.down ? undefined : spotAt(x, y)
  }
  const names = { rank: ranks.map(({ rank }) => String(rank)), step: steps.map(({ number }) => String(number)) }
  return (
    <>
      <div ref={box} class="ranks-map">
        <svg
          width={LEFT + cells.across * cells.width}
          height={cells.down * cells.height + AXIS}
          role="img"
          aria-label={`Own time above the median of ${ranks.length} ranks in ${steps.length} steps. The table has the same values.`}
          onMouseMove={(event) => setPointed(spotUnder(event))}
          onMouseLeave={() => setPointed(undefined)}
          onClick={(event) => {
            const spot = spotUnder(event)
            const rank = spot === undefined ? undefined : ranks[spot.rank]
            if (spot !== undefined && rank !== undefined) go(placeOfPanel(rank.rank, steps[spot.step]?.number))
          }}
        >
          <Names
            cells={cells}
            across={areRanksAcross ? names.rank : names.step}
            down={areRanksAcross ? names.step.map((name) => `step ${name}`) : names.rank.map((name) => `rank ${name}`)}
            title={areRanksAcross ? 'rank' : 'step'}
          />
          {drawn}
          {pointed !== undefined && (
            <rect
              class="ranks-pointed"
              x={LEFT + (areRanksAcross ? pointed.rank : pointed.step) * cells.width}
              y={(areRanksAcross ? pointed.step : pointed.rank) * cells.height}
              width={cells.width}
              height={cells.height}
            />
          )}
        </svg>
      </div>
      <p class="ranks-legend">
        <ScaleLegend scale={scale} />
        <span class="soft">
          {pointed === undefined ? 'A click shows the rank in that step against its peers.' : said(table, pointed)}
        </span>
      </p>
    </>
  )
}

interface DrawnProps {
  readonly cells: Cells
  readonly scale: Scale
  readonly valueAt: (x: number, y: number) => number | null
}

/** One path a colour, however many cells there are. */
function Drawn({ cells: { across, down, width, height }, scale, valueAt }: DrawnProps) {
  const paths = new Map<number | null, string[]>()
  const values: { readonly x: number; readonly y: number; readonly value: number }[] = []
  const gap = width > 6 && height > 6 ? 1 : 0
  const hasValues = width >= VALUE_PX && height >= VALUE_HEIGHT && across * down <= MOST_VALUES
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const value = valueAt(x, y)
      const level = value === null ? null : scale.levelOf(value)
      const path = paths.get(level) ?? []
      if (path.length === 0) paths.set(level, path)
      path.push(`M${LEFT + x * width} ${y * height}h${width - gap}v${height - gap}h${gap - width}z`)
      if (hasValues && value !== null) values.push({ x, y, value })
    }
  return (
    <>
      {[...paths].map(([level, path]) => (
        <path key={level} class={classOf(level)} d={path.join('')} />
      ))}
      {values.map(({ x, y, value }) => (
        <text
          key={`${x} ${y}`}
          class={`ranks-value${Math.abs(scale.levelOf(value)) === EDGES.length ? ' is-strong' : ''}`}
          x={LEFT + (x + 0.5) * width}
          y={(y + 0.5) * height + 4}
        >
          {signedNs(value)}
        </text>
      ))}
    </>
  )
}

function classOf(level: number | null): string {
  if (level === null) return 'ranks-cell is-none'
  return `ranks-cell ${level < 0 ? 'is-less' : 'is-more'}-${Math.abs(level)}`
}

interface NamesProps {
  readonly cells: Cells
  readonly across: readonly string[]
  readonly down: readonly string[]
  readonly title: string
}

function Names({ cells: { width, height }, across, down, title }: NamesProps) {
  const longest = Math.max(...across.map((name) => name.length), 1)
  const [everyX, everyY] = [everyOf(width, longest * 7 + 8), everyOf(height, 14)]
  return (
    <g class="ranks-names">
      {down.map(
        (name, y) =>
          y % everyY === 0 && (
            <text key={name} class="is-left" x={LEFT - 8} y={(y + 0.5) * height + 4}>
              {name}
            </text>
          ),
      )}
      <text class="is-left" x={LEFT - 8} y={down.length * height + 13}>
        {title}
      </text>
      {across.map(
        (name, x) =>
          x % everyX === 0 && (
            <text key={name} x={LEFT + (x + 0.5) * width} y={down.length * height + 13}>
              {name}
            </text>
          ),
      )}
    </g>
  )
}

/** What each colour begins at. */
function ScaleLegend({ scale }: { readonly scale: Scale }) {
  const levels = Array.from({ length: 2 * EDGES.length + 1 }, (_, index) => index - EDGES.length)
  const edge = formatNs((EDGES[0] ?? 0) * scale.limit)
  return (
    <span class="ranks-scale">
      <span class="soft">−{formatNs(scale.limit)}</span>
      {levels.map((level) => (
        <svg key={level} width="18" height="12" aria-hidden="true">
          <title>{meaningOf(level, scale)}</title>
          <rect class={classOf(level)} width="18" height="12" />
        </svg>
      ))}
      <span class="soft">
        +{formatNs(scale.limit)}, the middle within {edge} of the median
      </span>
    </span>
  )
}

function meaningOf(level: number, { limit }: Scale): string {
  if (level === 0) return `within ${formatNs((EDGES[0] ?? 0) * limit)} of the median`
  const from = formatNs((EDGES[Math.abs(level) - 1] ?? 0) * limit)
  const to = formatNs((EDGES[Math.abs(level)] ?? 1) * limit)
  return `${from} to ${to} ${level < 0 ? 'less' : 'more'} than the median`
}

function said(table: RanksTable, spot: Spot): string {
  const [rank, step] = [table.ranks[spot.rank], table.steps[spot.step]]
  if (rank === undefined || step === undefined) return ''
  const [excess, own, wait] = [step.excess_ns, step.own_ns, step.wait_ns].map((column) => column[spot.rank] ?? null)
  const where = `rank ${rank.rank}${rank.host === null ? '' : ` (${rank.host})`}, step ${step.number}`
  if (excess == null || own == null || wait == null) return `${where}: no such step`
  return `${where}: ${signedNs(excess)} (own time ${formatNs(own)}, exposed wait ${formatNs(wait)}; ${exactNs(excess)})`
}

function valueOf(table: RanksTable, { rank, step }: Spot): number | null {
  return table.steps[step]?.excess_ns[rank] ?? null
}
