/** The figures that have a chart of their own: the fields of a point. */
import { formatBytes, formatNs, formatNumber, formatShare } from '../../base/units'
import type { LevelChange, TrendPoint } from '../../wire/wire'
import * as define from './definitions'

export interface ChartOf {
  readonly id: NonNullable<LevelChange['figure']>
  readonly title: string
  readonly value: (point: TrendPoint) => number | null
  readonly format: (value: number) => string
  readonly definition: string
}

export const CHARTS: readonly ChartOf[] = [
  {
    id: 'step_time',
    title: 'Step time',
    value: (point) => point.step_ns,
    format: formatNs,
    definition: `${define.step_ns}\n${define.p5_ns}`,
  },
  { id: 'busy', title: 'Busy', value: (point) => point.busy_share, format: formatShare, definition: define.busy_share },
  {
    id: 'waiting_for_host',
    title: 'Waiting for the host',
    value: (point) => point.waiting_for_host_ns,
    format: formatNs,
    definition: define.waiting_for_host_ns,
  },
  {
    id: 'exposed_communication',
    title: 'Exposed communication',
    value: (point) => point.exposed_communication_ns,
    format: formatNs,
    definition: define.exposed_communication_ns,
  },
  {
    id: 'data_loader',
    title: 'Data loader',
    value: (point) => point.data_loader_ns,
    format: formatNs,
    definition: define.data_loader_ns,
  },
  {
    id: 'peak_memory',
    title: 'Peak memory',
    value: (point) => point.peak_bytes,
    format: formatBytes,
    definition: define.peak_bytes,
  },
  {
    id: 'kernels',
    title: 'Kernels a step',
    value: (point) => point.kernels,
    format: formatNumber,
    definition: define.kernels,
  },
  {
    id: 'launches',
    title: 'Launch calls a step',
    value: (point) => point.launches,
    format: formatNumber,
    definition: define.launches,
  },
  { id: 'mfu', title: 'MFU', value: (point) => point.mfu, format: formatShare, definition: define.mfu },
]
