/** Round marks on a time axis. Far into a long trace they count from a round origin, so that words stay short. */

const UNITS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const

export interface TimeAxis {
  readonly step: number
  /** First mark at or before the window. */
  readonly first: number
  /** What the words count from; 0 is the start of the trace. */
  readonly origin: number
  readonly unit: string
  readonly unitNs: number
  readonly digits: number
}

/** Marks at least `minPx` apart for a window that begins `from` ns after the trace's start. */
export function timeAxis(from: number, nsPerPx: number, widthPx: number, minPx: number): TimeAxis {
  const rough = Math.max(nsPerPx * minPx, 1)
  const power = 10 ** Math.floor(Math.log10(rough) + 1e-9)
  const step = power * (rough <= power * 1.000001 ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10)
  const last = from + nsPerPx * widthPx
  const coarse = 1000 * step * (step >= 1e6 ? 1 : 10)
  const origin = last > 10 * coarse ? Math.floor(from / coarse) * coarse : 0
  const largest = Math.max(last - origin, step)
  const [unitNs, unit] = UNITS.find(([size]) => largest >= size) ?? [1, 'ns']
  return {
    step,
    first: Math.floor(from / step) * step,
    origin,
    unit,
    unitNs,
    digits: Math.max(0, Math.ceil(Math.log10(unitNs / step) - 1e-9)),
  }
}

export function markWords(axis: TimeAxis, t: number): string {
  const value = (t - axis.origin) / axis.unitNs
  const words = `${value.toFixed(axis.digits)} ${axis.unit}`
  return axis.origin === 0 ? words : `+${words}`
}

/** The origin in words with all its digits, `1.2116 s` or `40.95 ms`. */
export function originWords(origin: number): string {
  const [ns, unit] = origin < 1e9 ? UNITS[1] : UNITS[0]
  return `${Number((origin / ns).toFixed(9))} ${unit}`
}
