/** Keys of the map: from cell to cell, and to the one that differs most. */
import type { ShownMatrix, Spot } from './matrix'
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

/** A cell by what its row and column are: it stays the same where rows come, go or are sorted. */
export type Named = readonly [row: string, column: string]

export function namedAt(matrix: ShownMatrix, { row, column }: Spot): Named {
  return [rowName(matrix, row), matrix.columns[column] ?? '']
}

/** Undefined where it is not on the map, which others may have narrowed. */
export function spotOf(matrix: ShownMatrix, [name, under]: Named): Spot | undefined {
  const row = matrix.rows.findIndex((_, at) => rowName(matrix, at) === name)
  const column = matrix.columns.indexOf(under)
  return row < 0 || column < 0 ? undefined : { row, column }
}

function rowName({ folds, rows }: ShownMatrix, row: number): string {
  return folds?.[row]?.name ?? rows[row] ?? ''
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
