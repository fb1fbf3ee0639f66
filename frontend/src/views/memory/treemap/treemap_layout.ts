/** A treemap whose rectangles are as square as can be: rows of tiles, each begun along the shorter side of what is left. Pure. */

export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Rectangles with areas in proportion to `values` (above 0, largest first), in their order; together they fill the box. */
export function squarify(values: readonly number[], width: number, height: number): readonly Rect[] {
  const total = values.reduce((sum, value) => sum + value, 0)
  if (total <= 0 || width <= 0 || height <= 0) return values.map(() => ({ x: 0, y: 0, width: 0, height: 0 }))
  const areas = values.map((value) => (value / total) * width * height)
  const rects: Rect[] = []
  let left: Rect = { x: 0, y: 0, width, height }
  for (let first = 0; first < areas.length;) {
    const side = Math.min(left.width, left.height)
    let end = first + 1
    let sum = areas[first] ?? 0
    let now = worst(areas[first] ?? 0, areas[first] ?? 0, sum, side)
    while (end < areas.length) {
      const next = areas[end] ?? 0
      const then = worst(areas[first] ?? 0, next, sum + next, side)
      if (then > now) break
      now = then
      sum += next
      end++
    }
    left = lay(areas.slice(first, end), sum, left, rects)
    first = end
  }
  return rects
}

/** The longest side over the shortest of the row's most oblong tile. */
function worst(largest: number, smallest: number, sum: number, side: number): number {
  const thickness = sum / side
  return Math.max(largest / thickness / thickness, (thickness * thickness) / Math.max(smallest, Number.MIN_VALUE))
}

/** Puts a row of tiles along the shorter side; gives what is left of the box. */
function lay(areas: readonly number[], sum: number, box: Rect, rects: Rect[]): Rect {
  const isTall = box.width >= box.height // the row stands upright at the left
  const thickness = sum / (isTall ? box.height : box.width)
  let along = 0
  for (const area of areas) {
    const length = area / thickness
    rects.push(
      isTall
        ? { x: box.x, y: box.y + along, width: thickness, height: length }
        : { x: box.x + along, y: box.y, width: length, height: thickness },
    )
    along += length
  }
  return isTall
    ? { ...box, x: box.x + thickness, width: Math.max(0, box.width - thickness) }
    : { ...box, y: box.y + thickness, height: Math.max(0, box.height - thickness) }
}
