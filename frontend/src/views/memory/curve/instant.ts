/** An instant in words, with as many digits as tell it from others of the same range: `1.09903 s` where 400 µs are shown. */

const UNITS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
] as const
const PARTS = 1000 // of a range, that are told apart

export function instantWords(ns: number, range: readonly [number, number]): string {
  const [size, unit] = UNITS.find(([least]) => range[1] >= least) ?? [1, 'ns']
  const digits = Math.ceil(Math.log10((size * PARTS) / Math.max(range[1] - range[0], 1)))
  return `${(ns / size).toFixed(Math.max(0, Math.min(digits, Math.log10(size))))} ${unit}`
}
