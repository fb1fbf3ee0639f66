/** Each device: how busy it was, and how well its kernels use it, as far as that was recorded. */
import { exactNs, formatBytes, formatShare, plural } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import type { DeviceRow, Overview } from '../../wire/wire'
import { DEVICE_ROW } from './row_figures'

const MOST_WITHOUT_SCROLLING = 4

export function Devices({ overview: { devices, memory } }: { readonly overview: Overview }) {
  if (devices.length === 0) return null
  const first = devices.every((device) => device.name === devices[0]?.name) ? devices[0] : undefined
  const all = columnsOf<DeviceRow, typeof DEVICE_ROW>(DEVICE_ROW, {
    index: {
      ...(devices.length > 1 ? { title: plural(devices.length, 'device') } : {}),
      draw: (device) => <DeviceLink device={device} isNamed={first === undefined} />,
    },
    utilization: {
      title: 'Busy',
      draw: ({ utilization, busy_ns: busy, window_ns: window }) => (
        <span title={`${exactNs(busy)} of ${exactNs(window)}`}>{formatShare(utilization)}</span>
      ),
    },
    sm_efficiency: { title: 'SM eff.' },
    occupancy_percent: { title: 'Occup.' },
    matrix_core_share: { title: 'Tensor', draw: matrixShare },
  })
  const columns = all.filter((column) => devices.some((device) => column.value(device) !== null))
  const absent = all.filter((column) => !columns.includes(column))
  const peaks = memory.map((each) => `${each.title} ${formatBytes(each.peak_allocated_bytes)}`)
  const words = [
    first === undefined ? undefined : (first.name ?? 'name not recorded'),
    peaks.length === 0 ? undefined : `Peak memory: ${peaks.join(', ')}`,
    // What one line of figures leaves open is said; of several devices each cell says it.
    devices.length > 1 || first === undefined ? undefined : openIn(first),
    absent.length === 0
      ? undefined
      : `Not recorded: ${absent.map(({ id }) => DEVICE_ROW[id as keyof typeof DEVICE_ROW].title).join(', ')}`,
  ]
  return (
    <section class="devices" aria-label="Devices">
      <div tabIndex={devices.length > MOST_WITHOUT_SCROLLING ? 0 : -1}>
        <FigureTable class="legend" rows={devices} columns={columns} explained={DEVICE_ROW} />
      </div>
      <p class="soft">{words.filter((word) => word !== undefined).join(' · ')}</p>
    </section>
  )
}

/** What the names of kernels leave open. */
function openIn({ matrix_core_unknown_share: share }: DeviceRow): string | undefined {
  if (share === null || share === 0) return undefined
  return `tensor core use unknown for ${formatShare(share)} of kernel time`
}

function matrixShare(device: DeviceRow) {
  const { matrix_core_share: share } = device
  const open = openIn(device)
  if (share === null) return undefined
  if (open === undefined) return formatShare(share)
  return (
    <span title={open}>
      {share === 0 ? 'unknown' : formatShare(share)}
      {share !== 0 && <span class="soft">*</span>}
    </span>
  )
}

interface DeviceProps {
  readonly device: DeviceRow
  /** Its name stands here, not once for all devices. */
  readonly isNamed: boolean
}

function DeviceLink({ device: { index, name, memory_bytes: memory, streams }, isNamed }: DeviceProps) {
  const called = name ?? 'name not recorded'
  const facts = [called, memory === null ? 'memory not recorded' : formatBytes(memory), plural(streams, 'stream')]
  return (
    <PlaceLink to={{ devices: String(index) }} title={`${facts.join(', ')}. Click to count only this device`}>
      {isNamed ? `${index}: ${called}` : `device ${index}`}
    </PlaceLink>
  )
}
