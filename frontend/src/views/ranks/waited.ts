import { formatNs } from '../../base/units'

/** Of a device's own clock, ns. */
const DEVICE_NS = 1000

/** How long somebody waited, or `under 1.2 µs`, where that is less than clocks can tell. `error`: of the hosts' clocks. */
export function waited(ns: number, error: number | null = null): string {
  return shortWait(ns, error) ?? formatNs(ns)
}

/** Of a cell; null of what the table says as it is. */
export function shortWait(ns: number | null, error: number | null): string | null {
  const least = Math.max(DEVICE_NS, error ?? 0)
  return ns !== null && ns > 0 && ns < least ? `under ${formatNs(least)}` : null
}
