/** Keys of the map: from cell to cell, and to the one that differs most. */
import type { Cells, Place, areaOf } from './scale'

const FAR = 10 // cells, of Page up and Page down

const MOVES: Readonly<Record<string, Place>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  PageUp: [-FAR, 0],
  PageDown: [FAR, 0],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
}

/** The cell that keys chose, and where Shift began: all between them are meant. */
export interface Keyed {
  readonly to: Place
  readonly from: Place
}

export function isIn({ across, down }: Cells, [x, y]: Place): boolean {
  return x < across && y < down
}

/** Undefined: no key of the map. */
export function movedBy(key: string, [x, y]: Place, { across, down }: Cells): Place | undefined {
  const move = MOVES[key]
  return move && [within(x + move[0], across), within(y + move[1], down)]
}

function within(place: number, size: number): number {
  return Math.min(Math.max(place, 0), size - 1)
}

/** Where the keys begin: what the map is looked at for. `away`: how far a cell is from the others, null where nothing is recorded. */
export function furthest({ across, down }: Cells, away: (x: number, y: number) => number | null): Place {
  let [found, most]: [Place, number] = [[0, 0], -1]
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const far = Math.abs(away(x, y) ?? 0)
      if (far > most) [found, most] = [[x, y], far]
    }
  return found
}

/** Scrolls a cell into what is seen right of the names, which are `left` wide. */
export function reveal(box: HTMLElement, left: number, { x, y, width, height }: ReturnType<typeof areaOf>): void {
  box.scrollLeft = Math.max(Math.min(box.scrollLeft, x - left), x + width - box.clientWidth)
  box.scrollTop = Math.max(Math.min(box.scrollTop, y), y + height - box.clientHeight)
}
