/** The figures that a module can be judged by. */
import { exactBytes, exactNs, formatBytes, formatNs } from '../../base/units'
import type { ModuleRow, Modules } from '../../wire/wire'

export interface Metric {
  readonly id: string
  readonly label: string
  readonly side: 'device' | 'host'
  readonly unit: 'ns' | 'bytes'
  /** Of the row with all below it; 0 where it has none. */
  readonly total: (row: ModuleRow) => number
  readonly own: (row: ModuleRow) => number
}

const SIDES = ['device', 'host'] as const
const TITLES = { device: 'Device', host: 'Host' } as const

const TIMES: readonly Metric[] = SIDES.flatMap((side) => [
  time(side, 'total', 'total_ns', 'self_ns'),
  time(side, 'forward', 'forward_total_ns', 'forward_self_ns'),
  time(side, 'backward', 'backward_total_ns', 'backward_self_ns'),
])

const MEMORY: readonly Metric[] = SIDES.map((side) => ({
  id: `${side}_allocated`,
  label: `${TITLES[side]} memory allocated`,
  side,
  unit: 'bytes',
  total: (row) => row[`${side}_memory`]?.allocated_total_bytes ?? 0,
  own: (row) => row[`${side}_memory`]?.allocated_self_bytes ?? 0,
}))

type Time = keyof ModuleRow['device']

function time(side: Metric['side'], phase: string, total: Time, own: Time): Metric {
  return {
    id: `${side}_${phase}`,
    label: phase === 'total' ? `${TITLES[side]} time` : `${TITLES[side]} time, ${phase}`,
    side,
    unit: 'ns',
    total: (row) => row[side]?.[total] ?? 0,
    own: (row) => row[side]?.[own] ?? 0,
  }
}

/** Those that this profile recorded, the usual one first. */
export function metricsOf(modules: Modules): readonly Metric[] {
  const { has_device, has_backward } = modules
  return [
    ...TIMES.filter(({ id, side }) => (has_device || side === 'host') && (has_backward || id.endsWith('_total'))),
    ...MEMORY.filter(({ side }) => modules[`has_${side}_memory`]),
  ]
}

export function shortOf(metric: Metric, value: number): string {
  return metric.unit === 'ns' ? formatNs(value) : formatBytes(value)
}

export function exactOf(metric: Metric, value: number): string {
  return metric.unit === 'ns' ? exactNs(value) : exactBytes(value)
}
