import { formatNs } from '../../base/units'
import type { Column } from '../../widgets/table/column'

/** Of a device's own clock, ns. */
const DEVICE_NS = 1000

/** How long somebody waited, or `under 1.2 µs`, where that is less than clocks can tell. `error`: of the hosts' clocks. */
export function waited(ns: number, error: number | null = null): string {
  return shortWait(ns, error) ?? formatNs(ns)
}

/** The columns, and those of waits say so. */
export function withShortWaits<R>(columns: readonly Column<R>[], error: number | null): readonly Column<R>[] {
  return columns.map((column) =>
    column.draw === undefined && /^(exposed_)?wait_ns$|^caused_/.test(column.id)
      ? { ...column, draw: (row) => shortWait(column.value(row) as number | null, error) }
      : column,
  )
}

/** Of a cell; null of what the table says as it is. */
export function shortWait(ns: number | null, error: number | null): string | null {
  const least = Math.max(DEVICE_NS, error ?? 0)
  return ns !== null && ns > 0 && ns < least ? `under ${formatNs(least)}` : null
}
