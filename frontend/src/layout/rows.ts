/** Which rows of a list of any length are in sight, and where they stand. All are of one height, in pixels. */

export const ROW_HEIGHT = 28 // --row in theme.css

const AROUND = 8 // rows drawn above and below, so that a quick scroll shows no gap
/** Browsers have a highest element (Firefox: 17.9 million px). A longer list scrolls faster than the pointer instead. */
const MOST_PX = 8_000_000

const DRAW_EVERY = 4 * ROW_HEIGHT // scrolling less than this draws nothing anew: those rows are there

export interface RowsPlace {
  readonly first: number
  /** One after the last. */
  readonly end: number
  /** Pixels of empty space above and below the rows drawn. */
  readonly before: number
  readonly after: number
}

/** What is drawn when `height` pixels of rows are seen `top` pixels down. */
export function placeOf(top: number, height: number, count: number): RowsPlace {
  const total = Math.min(count * ROW_HEIGHT, MOST_PX)
  const at = rowAt(top, height, count)
  const first = Math.max(0, Math.min(Math.floor(at) - AROUND, count))
  const end = Math.min(count, Math.ceil(at + height / ROW_HEIGHT) + AROUND)
  // The row at the top edge stands there, whatever the scale: at both ends of the list this is the list's own edge.
  const before = Math.max(0, Math.min(top - (at - first) * ROW_HEIGHT, total - (end - first) * ROW_HEIGHT))
  return { first, end: Math.max(first, end), before, after: Math.max(0, total - before - (end - first) * ROW_HEIGHT) }
}

/** The scroll position that brings a row into sight, moving as little as possible. */
export function scrollFor(row: number, top: number, height: number, count: number): number {
  if (count * ROW_HEIGHT <= MOST_PX) return scrollToRow(row, top, height)
  const now = rowAt(top, height, count)
  const rows = height / ROW_HEIGHT
  const wanted = row < now ? row : row + 1 > now + rows ? row + 1 - rows : now
  return (Math.min(wanted, count - rows) / (count - rows)) * (MOST_PX - height)
}

/** The row at the top edge, with its fraction. */
function rowAt(top: number, height: number, count: number): number {
  if (count * ROW_HEIGHT <= MOST_PX) return top / ROW_HEIGHT
  return (top / (MOST_PX - height)) * (count - height / ROW_HEIGHT)
}

function scrollToRow(row: number, top: number, height: number): number {
  const at = row * ROW_HEIGHT
  if (at < top) return at
  return at + ROW_HEIGHT > top + height ? at + ROW_HEIGHT - height : top
}

/** The scroll position that is drawn for: the same for a few rows on, where rows scroll by pixels. */
export function drawnTop(top: number, count: number): number {
  return count * ROW_HEIGHT <= MOST_PX ? Math.floor(top / DRAW_EVERY) * DRAW_EVERY : top
}
