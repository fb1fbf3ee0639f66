/** A measure of all ranks, over steps, hosts, places of the layout or kinds of collectives; the longer side lies across. */
import '../../widgets/panel/tooltip.css'

import { useMemo, useRef, useState } from 'preact/hooks'

import { useJointReply } from '../../data/joint'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import { Definition } from '../../widgets/panel/popup'
import { useWidth } from '../../widgets/use_width'
import type { RanksMatrix, RanksTable } from '../../wire/wire'
import { ofShownJob } from '../of_job'
import { AsTable } from './as_table'
import * as define from './definitions'
import {
  AXES,
  MEASURES,
  OF_COLLECTIVES,
  areCollectives,
  areOfDimensions,
  awayOf,
  axesFor,
  isTold,
  largestFirst,
  ofSteps,
  shownCell,
} from './matrix'
import type { AxesId, MeasureId, ShownMatrix, Spot } from './matrix'
import { onlyOf, placeOfLink, rankAt } from './map_chosen'
import type { Pointed } from './map_chosen'
import { AxisNames, CHARACTER_PX, ScaleLegend } from './map_frame'
import { furthest, isIn, movedBy, reveal } from './map_keys'
import type { Keyed } from './map_keys'
import { MapTable } from './map_table'
import { said } from './map_words'
import { dimensionsLeft, narrowedMap } from './only'
import { placeOfPanel } from './rank_links'
import { areaOf, cellsOf, colorOf, isStrong, scaleOf } from './scale'
import type { Cells, Level, Place, Scale } from './scale'
import { Waiting } from './waiting'

const AXIS = 18
const LEAST_LEFT = 76
const MOST_LEFT = 190
const WORTH_A_COLOR = 0.02 // of the step: what is less is no straggler
const WORTH_A_COLOR_OF_LINKS = 30 // percent: 70 % of the usual are slow
const VALUE_PX = 58 // room for "+12.3 ms"
const VALUE_HEIGHT = 16
const MOST_VALUES = 600

const SCALES = [
  { id: 'plain', label: 'its unit' },
  { id: 'percent', label: 'percent of the median' },
] as const

interface HeatMapProps {
  /** Narrowed to what is chosen of the `whole`. */
  readonly table: RanksTable
  readonly whole: RanksTable
  readonly run: string
}

export function HeatMap({ table, whole, run }: HeatMapProps) {
  const isTable = at('ranks.as') === 'table'
  // What a slow link costs is in nobody's own work.
  const usually = table.slow_link === null ? 'excess' : 'transfer'
  const first = isTold(whole, usually) ? usually : 'computation'
  const chosen = MEASURES.find(({ id }) => id === at('ranks.measure'))?.id ?? first
  const usual = axesFor(table)
  const axes = AXES.find(({ id }) => id === at('ranks.axes'))?.id ?? usual
  const isOfCollectives = areCollectives(axes)
  const isWithout = isOfCollectives ? !OF_COLLECTIVES.includes(chosen) : chosen === 'rate'
  const measure = !isWithout ? chosen : isOfCollectives ? 'wait' : first
  const label = (id: MeasureId) => MEASURES.find((one) => one.id === id)?.label
  const hasMap = table.steps.length > 0
  return (
    <section aria-label="Ranks and steps">
      <header class="ranks-header">
        <h2>
          Ranks: {label(measure)}
          <Definition of="what is measured" text={`${define.excess_ns}\n${define.work_ns}\n${define.measure}`} />
        </h2>
        {hasMap && (
          <>
            <Select
              label="Measure"
              value={measure}
              options={MEASURES.filter(({ id }) =>
                isOfCollectives && id !== 'rate' ? OF_COLLECTIVES.includes(id) : id === measure || isTold(whole, id),
              )}
              onChoose={(id) =>
                go({
                  'ranks.measure': id === first ? undefined : id,
                  ...(id === 'rate' && !isOfCollectives && { 'ranks.axes': 'kind' }),
                })
              }
            />
            <Select
              label="Over"
              value={axes}
              options={AXES}
              onChoose={(id) => go({ 'ranks.axes': id === usual ? undefined : id })}
            />
            <Select
              label="In"
              value={isPercent() ? 'percent' : 'plain'}
              options={SCALES}
              onChoose={(id) => go({ 'ranks.in': id === 'percent' ? id : undefined })}
            />
            <button
              type="button"
              class="button is-small"
              aria-pressed={isSorted()}
              title="In the order of the means of what is measured"
              onClick={() => go({ 'ranks.order': isSorted() ? undefined : 'value' })}
            >
              Largest first
            </button>
            <AsTable picture="Map" />
            {measure !== chosen && (
              <span class="soft">
                {isOfCollectives ? 'Collectives have' : 'A rank has'} no “{label(chosen)}” of{' '}
                {isOfCollectives ? 'their' : 'its'} own: this is {label(measure)}.
              </span>
            )}
            {!areOfDimensions(measure) && dimensionsLeft(table, whole) !== undefined && (
              <span class="soft">Of all dimensions.</span>
            )}
          </>
        )}
      </header>
      {!hasMap ? (
        <p class="is-absent">Steps: not recorded.</p>
      ) : measure === 'excess' && axes === 'step' && !isPercent() ? ( // what 100 % is, the server says
        <Shown table={table} matrix={ofSteps(table)} isTable={isTable} />
      ) : (
        <Asked table={table} whole={whole} run={run} measure={measure} axes={axes} isTable={isTable} />
      )}
    </section>
  )
}

function isPercent(): boolean {
  return at('ranks.in') === 'percent'
}

function isSorted(): boolean {
  return at('ranks.order') === 'value'
}

interface AskedProps extends HeatMapProps {
  readonly measure: MeasureId
  readonly axes: AxesId
  readonly isTable?: boolean
}

export function Asked({ table, whole, run, measure, axes, isTable }: AskedProps) {
  const { value, error } = useJointReply('view/ranks/matrix', {
    ...ofShownJob(run),
    measure,
    axes,
    dimensions: areOfDimensions(measure) ? dimensionsLeft(table, whole) : undefined,
  }).value
  if (value === undefined) return <Waiting error={error} />
  return <Shown table={table} matrix={narrowedMap(value.result, table)} isTable={isTable} />
}

interface ShownProps {
  readonly table: RanksTable
  readonly matrix: ShownMatrix
  readonly isTable: boolean | undefined
}

function Shown({ table, matrix, isTable }: ShownProps) {
  const said = matrix.reason ?? (matrix.values.flat().some(Boolean) ? null : 'none: 0 for every rank')
  if (said !== null) return <p class="is-absent">{said}</p>
  const isOfLinks = matrix.axes === 'link'
  const sorted = isSorted() && !isOfLinks ? largestFirst(matrix) : matrix
  const shown = { ...sorted, isPercent: isPercent() && !isOfLinks }
  return isTable === true ? <MapTable matrix={shown} /> : <Picture table={table} matrix={shown} />
}

function Picture({ table, matrix }: Omit<ShownProps, 'isTable'>) {
  const [box, width] = useWidth<HTMLDivElement>(900)
  const [pointed, setPointed] = useState<Pointed>()
  const pressed = useRef<Pointed | undefined>(undefined)
  const [chosen, setChosen] = useState<Keyed>()
  const { rows, columns, values } = matrix
  const isOfLinks = matrix.axes === 'link'
  const [opens, alone] = isOfLinks ? ['rows of its hosts', 'hosts'] : ['rank against its peers', 'ranks']
  const areRowsAcross = rows.length > columns.length
  const [across, down] = areRowsAcross ? [rows.map(withoutWord), prefixed(matrix)] : [columns, rows]
  const title = areRowsAcross ? matrix.row_title : matrix.column_title
  const longest = Math.max(...down.map((name) => name.length), title.length)
  const left = Math.min(Math.max(longest * CHARACTER_PX + 14, LEAST_LEFT), MOST_LEFT)
  const cells = cellsOf(across.length, down.length, width - left)
  const placeOf = ({ row, column }: Spot): Place => (areRowsAcross ? [row, column] : [column, row])
  const spotAt = (x: number, y: number): Spot => (areRowsAcross ? { row: x, column: y } : { row: y, column: x })
  const scale = useMemo(
    () =>
      scaleOf(
        values.flatMap((row, at) => row.map((_, column) => awayOf(matrix, { row: at, column }))),
        isOfLinks
          ? WORTH_A_COLOR_OF_LINKS
          : matrix.isPercent === true
            ? 100 * WORTH_A_COLOR
            : WORTH_A_COLOR * (matrix.unit === 'ns' ? (table.longest_step_ns ?? 0) : (matrix.middle[0] ?? 0)),
      ),
    [matrix, table],
  )
  const drawn = useMemo(
    () => <Drawn cells={cells} left={left} scale={scale} matrix={matrix} spotAt={spotAt} />,
    [matrix, cells.width, cells.height, left],
  )
  const under = ({ currentTarget, clientX, clientY }: MouseEvent): Pointed | undefined => {
    const area = (currentTarget as Element).getBoundingClientRect()
    const x = Math.floor((clientX - area.left - left) / cells.width)
    const y = Math.floor((clientY - area.top) / cells.height)
    return x < 0 || y < 0 || x >= cells.across || y >= cells.down ? undefined : { ...spotAt(x, y), clientX, clientY }
  }
  const choose = (from: Spot, here: Spot) => {
    const rank = rankAt(matrix, here)
    if (from.row !== here.row || from.column !== here.column) go(onlyOf(from, here, matrix))
    else if (isOfLinks) go(placeOfLink(here, matrix))
    else if (rank !== null) go(placeOfPanel(rank, stepAt(matrix, here)))
  }
  // As long as it is on the map, which others may have narrowed.
  const keyed = chosen !== undefined && isIn(cells, chosen.to) && isIn(cells, chosen.from) ? chosen : undefined
  const begun = (): Keyed => {
    const to = furthest(cells, (x, y) => awayOf(matrix, spotAt(x, y)))
    return { to, from: to }
  }
  const onKey = (event: KeyboardEvent) => {
    const { to, from } = keyed ?? begun()
    const next = movedBy(event.key, to, cells)
    if (next !== undefined) {
      setChosen({ to: next, from: event.shiftKey ? from : next })
      setPointed(undefined)
      if (box.current !== null) reveal(box.current, left, areaOf(cells, left, next, next))
    } else if (event.key === 'Enter') {
      choose(spotAt(...from), spotAt(...to))
      setChosen({ to, from: to })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const area: readonly Place[] | undefined =
    pointed === undefined ? keyed && [keyed.from, keyed.to] : [placeOf(pressed.current ?? pointed), placeOf(pointed)]
  return (
    <>
      <div ref={box} class="ranks-map">
        <svg
          width={left + cells.across * cells.width}
          height={cells.down * cells.height + AXIS}
          role="application"
          tabindex={0} // as SVG spells it
          aria-label={`Map of ${rows.length} by ${columns.length} values. Arrow keys choose one, Enter shows the ${opens}; several with Shift and Enter: these ${alone} alone. The table has the same.`}
          onMouseDown={(event) => {
            pressed.current = under(event)
            event.preventDefault() // no text is selected
          }}
          onMouseMove={(event) => {
            if (event.buttons === 0) pressed.current = undefined
            setPointed(under(event))
          }}
          onMouseLeave={() => setPointed(undefined)}
          onClick={(event) => {
            const here = under(event)
            const from = pressed.current ?? here
            pressed.current = undefined
            if (here !== undefined && from !== undefined) choose(from, here)
          }}
          onFocus={() => setChosen((before) => before ?? begun())}
          onBlur={({ relatedTarget: to }) => {
            if ((to as Element | null)?.matches('.ranks-panel') !== true) setChosen(undefined) // else keys are back in a moment
          }}
          onKeyDown={onKey}
        >
          <AxisNames cells={cells} left={left} across={across} down={down} title={title} />
          {drawn}
          {area?.[0] && area[1] && <rect class="ranks-pointed" {...areaOf(cells, left, area[0], area[1])} />}
        </svg>
      </div>
      {pointed !== undefined && (
        <p class="tooltip" style={besideOf(pointed)}>
          {said(table, matrix, pointed)}
        </p>
      )}
      <p class="ranks-legend">
        <ScaleLegend scale={scale} matrix={matrix} />
        <span class={keyed ? undefined : 'soft'} role="status">
          {keyed === undefined
            ? `A click shows the ${opens}, a drag these ${alone} alone.`
            : said(table, matrix, spotAt(...keyed.to))}
        </span>
      </p>
    </>
  )
}

/** The corner of a box that is not under the pointer and not out of the window. */
function besideOf({ clientX: x, clientY: y }: Pointed) {
  const [width, height] = [window.innerWidth, window.innerHeight]
  const side = x < width / 2 ? { left: `${x + 12}px` } : { right: `${width - x + 12}px` }
  return {
    position: 'fixed',
    ...side,
    ...(y < height / 2 ? { top: `${y + 16}px` } : { bottom: `${height - y + 12}px` }),
  }
}

/** `rank 5` as `5`, where the axis says what it is. */
function withoutWord(name: string): string {
  return name.startsWith('rank ') ? name.slice('rank '.length) : name
}

function prefixed({ axes, columns }: RanksMatrix): readonly string[] {
  return axes === 'step' ? columns.map((name) => `step ${name}`) : columns
}

function stepAt({ axes, columns }: RanksMatrix, { column }: Spot): number | undefined {
  return axes === 'step' ? Number(columns[column]) : undefined
}

interface DrawnProps {
  readonly cells: Cells
  readonly left: number
  readonly scale: Scale
  readonly matrix: ShownMatrix
  readonly spotAt: (x: number, y: number) => Spot
}

/** One path a colour, however many cells there are. */
function Drawn({ cells: { across, down, width, height }, left, scale, matrix, spotAt }: DrawnProps) {
  const paths = new Map<number | null, string[]>()
  const texts: { readonly x: number; readonly y: number; readonly text: string; readonly on: Level }[] = []
  const gap = width > 6 && height > 6 ? 1 : 0
  const hasValues = width >= VALUE_PX && height >= VALUE_HEIGHT && across * down <= MOST_VALUES
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const spot = spotAt(x, y)
      const away = awayOf(matrix, spot)
      const level = away === null ? null : scale.levelOf(away)
      const path = paths.get(level) ?? []
      if (path.length === 0) paths.set(level, path)
      path.push(`M${left + x * width} ${y * height}h${width - gap}v${height - gap}h${gap - width}z`)
      const text = hasValues ? shownCell(matrix, spot) : null
      if (text !== null && level !== null) texts.push({ x, y, text, on: level })
    }
  return (
    <>
      {[...paths].map(([level, path]) => (
        <path key={level} fill={colorOf(level)} d={path.join('')} />
      ))}
      {texts.map(({ x, y, text, on }) => (
        <text
          key={`${x} ${y}`}
          class={`ranks-value${isStrong(on) ? ' is-strong' : ''}`}
          x={left + (x + 0.5) * width}
          y={(y + 0.5) * height + 4}
        >
          {text}
        </text>
      ))}
    </>
  )
}
