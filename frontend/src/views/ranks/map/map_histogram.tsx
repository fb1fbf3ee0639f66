/** Over the colours of the map: how many cells have them. A click leaves the ranks of a bar alone. */
import { plural } from '../../../base/units'
import { go } from '../../../state/place'
import { useRoving } from '../../../widgets/use_roving'
import { onlyRanks } from './map_chosen'
import { awayOf } from './matrix'
import type { ShownMatrix } from './matrix'
import { colorOf } from './scale'
import type { Scale } from './scale'

const BARS = 24
const HEIGHT = 26 // px
const LEAST = 2

export interface Bar {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly ranks: ReadonlySet<number>
}

/** Each as wide as another, from the least to the most there is. */
export function barsOf(matrix: ShownMatrix, { low, high }: Scale): readonly Bar[] {
  const width = (high - low) / BARS
  const bars = Array.from({ length: BARS }, (_, at) => ({
    from: low + at * width,
    to: low + (at + 1) * width,
    count: 0,
    ranks: new Set<number>(),
  }))
  matrix.values.forEach((row, at) =>
    row.forEach((_, column) => {
      const away = awayOf(matrix, { row: at, column })
      const bar = away === null ? undefined : bars[Math.min(Math.floor((away - low) / width), BARS - 1)]
      if (bar === undefined) return
      bar.count++
      const rank = matrix.ranks[at]?.[column] ?? null
      if (rank !== null) bar.ranks.add(rank)
    }),
  )
  return bars
}

interface HistogramProps {
  readonly matrix: ShownMatrix
  readonly scale: Scale
  readonly named: (away: number) => string
}

export function MapHistogram({ matrix, scale, named }: HistogramProps) {
  const box = useRoving<HTMLSpanElement>()
  const bars = barsOf(matrix, scale)
  const most = Math.max(...bars.map(({ count }) => count))
  return (
    <span ref={box} class="ranks-bars" role="group" aria-label="How many values lie where">
      {bars.map(({ from, to, count, ranks }) => {
        const said = `${plural(count, 'value')}, ${named(from)} to ${named(to)}`
        const style = {
          background: colorOf(scale.levelOf((from + to) / 2)),
          height: `${count === 0 ? 0 : Math.max(LEAST, Math.round((HEIGHT * count) / most))}px`,
        }
        return count === 0 || matrix.axes === 'link' ? (
          <span key={from} title={said}>
            <i style={style} />
          </span>
        ) : (
          <button
            key={from}
            type="button"
            title={`${said}. Click: these ranks alone`}
            aria-label={`${said}: these ranks alone`}
            onClick={() => go(onlyRanks(ranks))}
          >
            <i style={style} />
          </button>
        )
      })}
    </span>
  )
}
