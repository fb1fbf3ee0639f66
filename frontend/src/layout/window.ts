/** Which rows of a long list are in sight. All rows are of one height, in pixels. */

export const ROW_HEIGHT = 28 // --row in theme.css

export interface RowWindow {
  readonly first: number
  /** One after the last. */
  readonly end: number
}

const AROUND = 8 // rows drawn above and below, so that a quick scroll shows no gap

export function rowsInSight(scrollTop: number, height: number, rowHeight: number, count: number): RowWindow {
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight) - AROUND, count))
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + AROUND)
  return { first, end: Math.max(first, end) }
}

/** The scroll position that brings `row` into sight, moving as little as possible. */
export function scrollToRow(row: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop
}
