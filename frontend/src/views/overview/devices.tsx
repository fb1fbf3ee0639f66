/** Each device: how busy it was, and how well its kernels use it, as far as that was recorded. */
import { exactNs, formatBytes, formatShare, plural, threeDigits } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import type { DeviceRow, Overview } from '../../wire/wire'
import * as define from './definitions'

const MOST_WITHOUT_SCROLLING = 4
const UNKNOWN = 'unknown'

interface Estimate {
  readonly title: string
  readonly of: string
  readonly definition: string
  readonly text: (device: DeviceRow) => string | undefined
  /** What the figure leaves open. */
  readonly hint?: (device: DeviceRow, of: string) => string | undefined
}

const ESTIMATES: readonly Estimate[] = [
  {
    title: 'SM eff.',
    of: 'SM efficiency',
    definition: define.sm_efficiency,
    text: ({ sm_efficiency: share }) => (share === null ? undefined : formatShare(share)),
  },
  {
    title: 'Occup.',
    of: 'occupancy',
    definition: define.occupancy_percent,
    text: ({ occupancy_percent: percent }) => (percent === null ? undefined : `${threeDigits(percent)} %`),
  },
  {
    title: 'Tensor',
    of: 'tensor core use',
    definition: define.matrix_core_share,
    text: ({ matrix_core_share: share, matrix_core_unknown_share: unknown }) =>
      share === null ? undefined : share === 0 && unknown !== 0 ? UNKNOWN : formatShare(share),
    hint: ({ matrix_core_unknown_share: share }, of) =>
      share === null || share === 0 ? undefined : `${of} unknown for ${formatShare(share)} of kernel time`,
  },
]

export function Devices({ overview: { devices, memory } }: { readonly overview: Overview }) {
  if (devices.length === 0) return null
  const shown = ESTIMATES.filter(({ text }) => devices.some((device) => text(device) !== undefined))
  const absent = ESTIMATES.filter((estimate) => !shown.includes(estimate))
  const first = devices.every((device) => device.name === devices[0]?.name) ? devices[0] : undefined
  const peaks = memory.map((each) => `${each.title} ${formatBytes(each.peak_allocated_bytes)}`)
  // What one line of figures leaves open is said; of several devices each cell says it.
  const open = shown.map(({ of, hint }) => (devices.length > 1 || first === undefined ? undefined : hint?.(first, of)))
  const words = [
    first === undefined ? undefined : (first.name ?? 'name not recorded'),
    peaks.length === 0 ? undefined : `Peak memory: ${peaks.join(', ')}`,
    ...open,
    absent.length === 0 ? undefined : `${absent.map(({ of }) => of).join(' and ')} not recorded`,
  ]
  return (
    <section class="devices" aria-label="Devices">
      <div tabIndex={devices.length > MOST_WITHOUT_SCROLLING ? 0 : -1}>
        <table class="legend">
          <thead>
            <tr>
              <th scope="col">{devices.length === 1 ? 'Device' : plural(devices.length, 'device')}</th>
              <Head title="Busy" of="Device busy" definition={define.utilization} />
              {shown.map(({ title, of, definition }) => (
                <Head key={title} title={title} of={of} definition={definition} />
              ))}
            </tr>
          </thead>
          <tbody>
            {devices.map((device) => (
              <Device key={device.index} device={device} estimates={shown} isNamed={first === undefined} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">{words.filter((word) => word !== undefined).join(' · ')}</p>
    </section>
  )
}

interface HeadProps {
  readonly title: string
  readonly of: string
  readonly definition: string
}

function Head({ title, of, definition }: HeadProps) {
  return (
    <th scope="col">
      {title}
      <Definition of={of} text={definition} />
    </th>
  )
}

interface DeviceProps {
  readonly device: DeviceRow
  readonly estimates: readonly Estimate[]
  /** Its name stands here, not once for all devices. */
  readonly isNamed: boolean
}

function Device({ device, estimates, isNamed }: DeviceProps) {
  const { index, name, busy_ns: busy, window_ns: window, memory_bytes: memory } = device
  const facts = [
    name ?? 'name not recorded',
    memory === null ? 'memory not recorded' : formatBytes(memory),
    plural(device.streams, 'stream'),
  ]
  return (
    <tr>
      <th scope="row">
        <PlaceLink to={{ devices: String(index) }} title={`${facts.join(', ')}. Click to count only this device`}>
          {isNamed ? `${index}: ${name ?? 'name not recorded'}` : `device ${index}`}
        </PlaceLink>
      </th>
      <td title={`${exactNs(busy)} of ${exactNs(window)}`}>{formatShare(device.utilization)}</td>
      {estimates.map(({ title, of, text, hint }) => {
        const why = hint?.(device, of)
        return (
          <td key={title} title={why}>
            {text(device) ?? 'not recorded'}
            {why !== undefined && text(device) !== UNKNOWN && <span class="soft">*</span>}
          </td>
        )
      })}
    </tr>
  )
}
