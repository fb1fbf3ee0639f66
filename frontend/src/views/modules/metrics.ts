/** The times that a module can be judged by. */
import type { ModuleRow, Modules } from '../../data/wire'

export interface Metric {
  readonly id: string
  readonly label: string
  readonly side: 'device' | 'host'
  /** Of the row with all below it; 0 where it has none. */
  readonly total: (row: ModuleRow) => number
  readonly own: (row: ModuleRow) => number
}

const ALL: readonly Metric[] = (['device', 'host'] as const).flatMap((side) => [
  metric(side, 'total', 'total_ns', 'self_ns'),
  metric(side, 'forward', 'forward_total_ns', 'forward_self_ns'),
  metric(side, 'backward', 'backward_total_ns', 'backward_self_ns'),
])

type Time = keyof ModuleRow['device']

function metric(side: Metric['side'], phase: string, total: Time, own: Time): Metric {
  const title = side === 'device' ? 'Device' : 'Host'
  return {
    id: `${side}_${phase}`,
    label: phase === 'total' ? `${title} time` : `${title} time, ${phase}`,
    side,
    total: (row) => row[side]?.[total] ?? 0,
    own: (row) => row[side]?.[own] ?? 0,
  }
}

/** Those that this profile recorded, the usual one first. */
export function metricsOf({ has_device, has_backward }: Modules): readonly Metric[] {
  return ALL.filter(({ id, side }) => (has_device || side === 'host') && (has_backward || id.endsWith('_total')))
}
