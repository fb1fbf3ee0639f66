/** A matrix as cells in their colours: what is under the pointer or keys, what a click opens, what a drag leaves, what is copied. */
import '../../../widgets/panel/tooltip.css'

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { go } from '../../../state/place'
import { Menu } from '../../../widgets/panel/menu'
import type { MenuAt } from '../../../widgets/panel/menu'
import { useWidth } from '../../../widgets/use_width'
import type { RanksTable } from '../../../wire/wire'
import { onlyOf, placeOfLink, rankAt } from './map_chosen'
import type { Pointed } from './map_chosen'
import { copies } from './map_copy'
import { AxisNames, CHARACTER_PX, ScaleLegend, nameWidth, turnedHeight } from './map_frame'
import { furthest, movedBy, namedAt, reveal, spotOf } from './map_keys'
import type { Keyed, Named } from './map_keys'
import { said } from './map_words'
import { awayOf, nameOfColumn, shownCell, stepAt } from './matrix'
import type { ShownMatrix, Spot } from './matrix'
import { placeOfPanel } from '../rank_links'
import { areaOf, cellsOf, colorOf, isStrong, scaleOf } from './scale'
import type { Cells, Level, Place, Scale } from './scale'

const AXIS = 18
const LEAST_LEFT = 76
const MOST_LEFT = 190
const WORTH_A_COLOR = 0.02 // of the step: what is less is no straggler
const WORTH_A_COLOR_OF_LINKS = 30 // percent: 70 % of the usual are slow
const VALUE_PX = 58 // room for "+12.3 ms"
const VALUE_HEIGHT = 16
const MOST_VALUES = 600
const MOST_FOLDS_DOWN = 24
const MOST_ROWS_DOWN = 40 // with names, of folds and what is open: more do not fit into a window

interface PictureProps {
  readonly table: RanksTable
  readonly matrix: ShownMatrix
  /** Without what stands for several of its cells: rows that are folded, and a mean. */
  readonly plain: ShownMatrix
  readonly onFold: (row: number) => void
}

export function Picture({ table, matrix, plain, onFold }: PictureProps) {
  const [box, width] = useWidth<HTMLDivElement>(900)
  const [pointed, setPointed] = useState<Pointed>()
  const pressed = useRef<Pointed | undefined>(undefined)
  const [chosen, setChosen] = useState<{ readonly to: Named; readonly from: Named }>()
  const { rows, columns } = matrix
  const [menu, setMenu] = useState<MenuAt>()
  const isOfLinks = matrix.axes === 'link'
  const [opens, alone] = isOfLinks ? ['rows of its hosts', 'hosts'] : ['rank against its peers', 'ranks']
  const areRowsAcross =
    rows.length > columns.length - (matrix.hasMean === true ? 1 : 0) && !haveNoRoomAcross(matrix, width)
  const named = matrix.folds === undefined ? rows.map(withoutWord) : rows // beside hosts it is said what is a rank
  const [across, down] = areRowsAcross ? [named, prefixed(matrix)] : [columns, rows]
  const title = areRowsAcross ? matrix.row_title : matrix.column_title
  const longest = Math.max(...down.map((name) => name.length), title.length)
  const left = Math.min(Math.max(longest * CHARACTER_PX + 14, LEAST_LEFT), MOST_LEFT)
  const areNamed = matrix.folds !== undefined && !areRowsAcross && rows.length <= MOST_ROWS_DOWN
  const cells = cellsOf(across.length, down.length, width - left, areNamed)
  const areTurned = matrix.folds !== undefined && areRowsAcross && nameWidth(across) > cells.width
  const placeOf = ({ row, column }: Spot): Place => (areRowsAcross ? [row, column] : [column, row])
  const spotAt = (x: number, y: number): Spot => (areRowsAcross ? { row: x, column: y } : { row: y, column: x })
  const scale = useMemo(() => scaleOfMap(table, plain), [plain, table])
  const drawn = useMemo(
    () => <Drawn cells={cells} left={left} scale={scale} matrix={matrix} spotAt={spotAt} />,
    [matrix, scale, cells.width, cells.height, left],
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
    else if (rank !== null) go(placeOfPanel(rank, stepAt(matrix, here.column)))
  }
  const namedOf = (place: Place): Named => namedAt(matrix, spotAt(...place))
  const placeNow = (of: Named | undefined): Place | undefined => {
    const spot = of && spotOf(matrix, of)
    return spot && placeOf(spot)
  }
  const [to, from] = [placeNow(chosen?.to), placeNow(chosen?.from)]
  const keyed: Keyed | undefined = to && { to, from: from ?? to }
  const choosePlaces = (of: Keyed): void => setChosen({ to: namedOf(of.to), from: namedOf(of.from) })
  const foldAt = (row: number) => matrix.folds?.[row]
  const begun = (): Keyed => {
    const to = furthest(cells, (x, y) => awayOf(matrix, spotAt(x, y)))
    return { to, from: to }
  }
  const onKey = (event: KeyboardEvent) => {
    const { to, from } = keyed ?? begun()
    const next = movedBy(event.key, to, cells)
    if (next !== undefined) {
      choosePlaces({ to: next, from: event.shiftKey ? from : next })
      setPointed(undefined)
      if (box.current !== null) reveal(box.current, left, areaOf(cells, left, next, next))
    } else if (event.key === ' ' && foldAt(spotAt(...to).row) !== undefined) {
      onFold(spotAt(...to).row)
    } else if (event.key === 'Enter') {
      choose(spotAt(...from), spotAt(...to))
      choosePlaces({ to, from: to })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  // What is out of sight to the right fades.
  const look = (): void => {
    const { current: element } = box
    if (element === null) return
    const more = element.scrollWidth - element.clientWidth - element.scrollLeft
    element.classList.toggle('has-more', more > 1)
  }
  useLayoutEffect(look)
  const area: readonly Place[] | undefined =
    pointed === undefined ? keyed && [keyed.from, keyed.to] : [placeOf(pressed.current ?? pointed), placeOf(pointed)]
  return (
    <>
      <div ref={box} class="ranks-map" onScroll={look}>
        <svg
          width={left + cells.across * cells.width}
          height={cells.down * cells.height + (areTurned ? turnedHeight(across) : AXIS)}
          role="application"
          tabindex={0} // as SVG spells it
          aria-label={`Map of ${rows.length} by ${columns.length} values. Arrow keys choose one, Enter shows the ${opens}; several with Shift and Enter: these ${alone} alone. ${matrix.folds === undefined ? '' : 'Space shows the ranks of a row. '}The table has the same.`}
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
          onFocus={() => keyed === undefined && choosePlaces(begun())}
          onBlur={({ relatedTarget: to }) => {
            if ((to as Element | null)?.matches('.ranks-panel') !== true) setChosen(undefined) // else keys are back in a moment
          }}
          onKeyDown={onKey}
          onContextMenu={(event) => {
            const here = event.button === 2 ? under(event) : keyed && { ...spotAt(...keyed.to), ...middleOf(event) }
            if (here === undefined) return
            event.preventDefault()
            setMenu({ x: here.clientX, y: here.clientY, items: copies(table, matrix, here) })
          }}
        >
          <AxisNames
            {...{ cells, left, across, down, title, areRowsAcross, areTurned, foldAt, onFold }}
            areWhole={matrix.folds !== undefined}
          />
          {drawn}
          {matrix.hasMean === true && <path class="ranks-apart" d={edgeOfMean(cells, left, areRowsAcross)} />}
          {area?.[0] && area[1] && <rect class="ranks-pointed" {...areaOf(cells, left, area[0], area[1])} />}
        </svg>
      </div>
      {menu !== undefined && <Menu at={menu} onClose={() => setMenu(undefined)} />}
      {pointed !== undefined && menu === undefined && (
        <p class="tooltip" style={besideOf(pointed)}>
          {said(table, matrix, pointed)}
        </p>
      )}
      <p class="ranks-legend">
        <ScaleLegend scale={scale} matrix={plain} />
        <span class={keyed ? undefined : 'soft'} role="status">
          {keyed === undefined
            ? `A click shows the ${opens}, a drag these ${alone} alone.${matrix.folds === undefined ? '' : ` A click on the name of a ${matrix.row_title} opens or closes it.`}`
            : said(table, matrix, spotAt(...keyed.to))}
        </span>
      </p>
    </>
  )
}

function scaleOfMap(table: RanksTable, matrix: ShownMatrix): Scale {
  const least =
    matrix.axes === 'link'
      ? WORTH_A_COLOR_OF_LINKS
      : matrix.isPercent === true
        ? 100 * WORTH_A_COLOR
        : WORTH_A_COLOR * (matrix.unit === 'ns' ? (table.longest_step_ns ?? 0) : (matrix.middle[0] ?? 0))
  const away = matrix.values.flatMap((row, at) => row.map((_, column) => awayOf(matrix, { row: at, column })))
  return scaleOf(away, least)
}

/** Where the mean stands apart from what it is of. */
function edgeOfMean({ across, down, width, height }: Cells, left: number, areRowsAcross: boolean): string {
  return areRowsAcross
    ? `M${left} ${(down - 1) * height - 0.5}h${across * width}`
    : `M${left + (across - 1) * width - 0.5} 0v${down * height}`
}

/** Of the key for the menu. */
function middleOf({ currentTarget }: MouseEvent): Pick<Pointed, 'clientX' | 'clientY'> {
  const chosen = (currentTarget as Element).querySelector('.ranks-pointed')?.getBoundingClientRect()
  return { clientX: chosen?.right ?? 0, clientY: chosen?.bottom ?? 0 }
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

/** Names of a few hosts or stages, longer than each has room for side by side, stand one below the other. */
function haveNoRoomAcross({ rows, folds }: ShownMatrix, width: number): boolean {
  const nFolds = folds?.filter((fold) => fold !== undefined).length ?? 0
  if (nFolds === 0 || nFolds > MOST_FOLDS_DOWN || rows.length > MOST_ROWS_DOWN) return false
  return nameWidth(rows) > cellsOf(rows.length, 1, width - MOST_LEFT).width
}

function prefixed(matrix: ShownMatrix): readonly string[] {
  return matrix.columns.map((name, at) => (matrix.axes === 'host' ? name : nameOfColumn(matrix, at)))
}

/** `<1.00 µs` where "under 1.00 µs" has no room, nothing where that has none. */
function fitting(text: string | null, width: number): string | null {
  const words = [text, text?.replace('under ', '<')]
  return words.find((each) => (each?.length ?? 0) * CHARACTER_PX <= width) ?? null
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
      const text = hasValues ? fitting(shownCell(matrix, spot), width) : null
      if (text !== null && level !== null) texts.push({ x, y, text, on: level })
    }
  return (
    <g class="ranks-cells">
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
    </g>
  )
}
