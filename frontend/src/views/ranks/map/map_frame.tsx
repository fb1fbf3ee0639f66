/** What stands around the map: names of its rows and columns, and what its colours mean. */
import { Names } from '../../../base/names'
import { formatNs, signedShare } from '../../../base/units'
import { MapHistogram } from './map_histogram'
import { areCollectives, isDeviation, isLessWorse, isUntold, shownIn } from './matrix'
import type { Fold, ShownMatrix } from './matrix'
import { LETTER_PX, LINE_PX, colorOf, everyOf, firstNamed, withRoom } from './scale'
import type { Cells, Scale } from './scale'

export const CHARACTER_PX = 6.6
const USUAL = 100 // percent
const STOPS = 9 // of the gradient: colours are not even in values
const ASCENT_PX = 9 // above it nothing is drawn
const FREE_PX = 4 // between the title and the first cell
const LEAST_LETTERS = 14 // of a name below
const MOST_TURNED = 24 // letters of one that is turned: a row of the map less in sight for each four more

interface NamesProps {
  readonly cells: Cells
  readonly left: number
  readonly across: readonly string[]
  readonly down: readonly string[]
  readonly title: string
  /** A click on the name of a row that stands for several: `isRowsAcross` says where these names are. */
  readonly onFold?: (row: number) => void
  readonly areRowsAcross: boolean
  /** Undefined: the row is what it is. */
  readonly foldAt: (row: number) => Pick<Fold, 'isOpen'> | undefined
  /** Names that are not cut as long as there is room: of hosts the end tells as much as the beginning. */
  readonly areWhole: boolean
  /** Those below, from the bottom up. */
  readonly areTurned: boolean
}

/** That the longest name below takes, px. */
export function nameWidth(names: readonly string[]): number {
  return Math.max(...names.map(pxOf), pxOf(' '))
}

/** How far names that are turned reach down, px. */
export function turnedHeight(names: readonly string[]): number {
  return Math.min(Math.max(...names.map((name) => name.length)), MOST_TURNED) * CHARACTER_PX + 2 * FREE_PX
}

function pxOf(name: string): number {
  return name.length * LETTER_PX + 8
}

export function AxisNames({
  cells: { width, height },
  left,
  across,
  down,
  title,
  areRowsAcross,
  foldAt,
  onFold,
  areWhole,
  areTurned,
}: NamesProps) {
  const folding = (row: number, isOfRows: boolean) =>
    isOfRows && foldAt(row) !== undefined
      ? { 'data-fold': '', onClick: (event: MouseEvent) => (event.stopPropagation(), onFold?.(row)) }
      : {}
  const most = Math.max(Math.floor(width / LETTER_PX) - 1, LEAST_LETTERS)
  const wide = areTurned ? MOST_TURNED : areWhole ? Infinity : most
  const longest = Math.min(Math.max(...across.map((name) => name.length), 1), wide)
  const [everyX, everyY] = [everyOf(width, longest * LETTER_PX + 8), everyOf(height, LINE_PX)]
  const names = new Names([...across, ...down])
  const first = firstNamed(names.cut(across[0] ?? '', longest), everyX, width)
  // What is open is named first, so that it is seen whose ranks these are; of what is not open each before the ranks of one.
  const turnOf = (row: number): number => [true, false, undefined].indexOf(foldAt(row)?.isOpen)
  const px = areTurned ? () => LINE_PX : pxOf
  const some =
    areWhole && areRowsAcross
      ? withRoom(across.map(px), width, turnOf, [-FREE_PX, across.length * width + FREE_PX])
      : null
  const lines = down.map(() => LINE_PX)
  const someDown = areWhole && !areRowsAcross ? withRoom(lines, height, turnOf, [-LINE_PX, Infinity]) : null
  const isNamedAcross = (x: number) => some?.has(x) ?? (x % everyX === first && x + everyX / 2 < across.length)
  const isNamedDown = (y: number) => someDown?.has(y) ?? y % everyY === 0
  const cut = (name: string, characters: number) => {
    const short = names.cut(name, characters)
    return [short, short !== name && <title>{name}</title>]
  }
  const below = down.length * height
  const placed = (x: number) => {
    const middle = left + (x + 0.5) * width
    if (!areTurned) return { x: middle, y: below + 13 }
    const [at, top] = [middle + FREE_PX, below + FREE_PX] // its letters are as high to both sides of the middle
    return { x: at, y: top, transform: `rotate(-90 ${at} ${top})`, class: 'is-left' }
  }
  return (
    <g class="ranks-names">
      {down.map(
        (name, y) =>
          isNamedDown(y) && (
            <text
              key={name}
              class="is-left"
              x={left - 8}
              y={Math.max((y + 0.5) * height + 4, ASCENT_PX)}
              {...folding(y, !areRowsAcross)}
            >
              {cut(name, Math.floor((left - 14) / CHARACTER_PX))}
            </text>
          ),
      )}
      <text class="is-left" x={left - 8} y={below + 13}>
        {title}
      </text>
      {/* None reaches into the title, or out of the picture. */}
      {across.map(
        (name, x) =>
          isNamedAcross(x) && (
            <text key={name} {...placed(x)} {...folding(x, areRowsAcross)}>
              {cut(name, longest)}
            </text>
          ),
      )}
    </g>
  )
}

/** From the least to the most there is. */
export function ScaleLegend({
  scale,
  matrix,
}: {
  readonly scale: Scale
  /** Without what stands for several of its cells. */
  readonly matrix: ShownMatrix
}) {
  const { low, high, levelOf } = scale
  const { unit, axes, least_told_ns: least } = matrix
  const end = (away: number): string => shownAway(matrix, away)
  const colors = Array.from({ length: STOPS }, (_, at) => colorOf(levelOf(low + (at * (high - low)) / (STOPS - 1))))
  const held = axes === 'step' || areCollectives(axes) ? `the ${axes}` : 'all'
  const of = isDeviation(matrix) ? 'its peers' : held
  const from =
    isDeviation(matrix) && matrix.isPercent === true
      ? 'of the median own time, against its peers'
      : unit === 'percent'
        ? 'of the usual bus rate'
        : `from the median of ${of}`
  return (
    <span>
      {end(low)}
      <span class="ranks-key">
        {low < high && <MapHistogram matrix={matrix} scale={scale} named={end} />}
        <span class="ranks-scale" style={{ background: `linear-gradient(90deg, ${colors.join()})` }} />
      </span>
      {end(high)} <span class="soft">{from}</span>
      {least !== null && matrix.values.some((row) => row.some((value) => isUntold(matrix, value))) && (
        <span class="soft"> · under {formatNs(least)}: less than clocks can tell</span>
      )}
    </span>
  )
}

/** Of a colour: how far what has it is from the median. */
export function shownAway(matrix: ShownMatrix, away: number): string {
  const far = isLessWorse(matrix) ? -away : away
  if (matrix.axes === 'link') return `${USUAL + far} %`
  if (matrix.isPercent === true) return signedShare(far / 100)
  if (isUntold(matrix, Math.abs(far))) return `within ${shownIn('ns', matrix.least_told_ns ?? 0)}`
  return `${far < 0 ? '−' : far > 0 ? '+' : ''}${shownIn(matrix.unit, Math.abs(far))}`
}
