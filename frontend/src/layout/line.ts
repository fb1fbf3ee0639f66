/** The points of a small line chart, as an SVG path within `width` x `height`, from 0 up. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  const max = Math.max(...values)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, index) => {
      const y = max > 0 ? height - (value / max) * height : height
      return `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
