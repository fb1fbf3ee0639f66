/** Round numbers for an axis from 0 to `max`: steps of 1, 2 or 5 times a power of ten. */
export function ticks(max: number, wanted: number): readonly number[] {
  if (!(max > 0)) return [0]
  const rough = max / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, index) => index * step)
}
