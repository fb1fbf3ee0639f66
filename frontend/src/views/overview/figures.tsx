import { exactNs, formatCount, formatNs, formatShare, plural } from '../../base/units'
import type { DeviceRow, Overview } from '../../data/wire'
import { sparkPath } from '../../layout/line'
import { Figure } from '../../widgets/figure'

const SPARK_WIDTH = 96
const SPARK_HEIGHT = 22

export function Figures({ overview }: { readonly overview: Overview }) {
  return (
    <div class="figures">
      <StepTime overview={overview} />
      <DeviceBusy devices={overview.devices} />
      <Communication devices={overview.devices} />
      <NotAttributed overview={overview} />
      <RecordedWindow overview={overview} />
    </div>
  )
}

const STEP_ENDS: Readonly<Record<Overview['steps_end'], string>> = {
  with_device_work: 'A step is a ProfilerStep range of the host, up to the end of the device work it launched.',
  with_host_range: 'A step is a ProfilerStep range of the host.',
}

function StepTime({ overview: { steps, average, steps_end: end } }: { readonly overview: Overview }) {
  const complete = steps.filter((step) => step.complete)
  const counted = complete.length > 0 ? complete : steps
  const times = counted.map((step) => step.duration_ns).sort((a, b) => a - b)
  const middle = median(times)
  const [least, most] = [times.at(0), times.at(-1)]
  const isNone = average === null || middle === undefined || least === undefined || most === undefined
  return (
    <Figure
      title="Step time"
      definition={`The median over complete steps. ${STEP_ENDS[end]} Below it the average, the shortest and the longest. Steps that the recording cut off do not count unless all are.`}
      value={isNone ? undefined : formatNs(middle)}
      {...(isNone ? {} : { exact: exactNs(middle) })}
      note={
        isNone
          ? 'Call prof.step() after each step.'
          : `average ${formatNs(average.duration_ns)}, ${formatNs(least)} to ${formatNs(most)}`
      }
    >
      {steps.length > 1 && (
        <svg class="spark" width={SPARK_WIDTH} height={SPARK_HEIGHT} role="img" aria-label="Step times in order">
          <path
            d={sparkPath(
              counted.map((step) => step.duration_ns),
              SPARK_WIDTH,
              SPARK_HEIGHT - 2,
            )}
            transform="translate(0 1)"
          />
        </svg>
      )}
    </Figure>
  )
}

function DeviceBusy({ devices }: { readonly devices: readonly DeviceRow[] }) {
  const busy = sum(devices, (device) => device.busy_ns)
  const window = sum(devices, (device) => device.window_ns)
  return (
    <Figure
      title="Device busy"
      definition="The time in which at least one kernel, copy or set runs on the device, over the time from its first to its last activity. Several devices: their sums."
      value={window > 0 ? formatShare(busy / window) : undefined}
      exact={`${exactNs(busy)} of ${exactNs(window)}`}
      note={
        window > 0
          ? `${formatNs(busy)} of ${formatNs(window)}${devices.length > 1 ? ` on ${devices.length} devices` : ''}`
          : 'No device activity in this profile.'
      }
    />
  )
}

function Communication({ devices }: { readonly devices: readonly DeviceRow[] }) {
  const exposed = sum(devices, (device) => device.communication_exposed_ns)
  const overlapped = sum(devices, (device) => device.communication_overlapped_ns)
  const window = sum(devices, (device) => device.window_ns)
  const hasAny = exposed + overlapped > 0
  const value = window === 0 ? undefined : hasAny ? formatNs(exposed) : 'none'
  return (
    <Figure
      title="Exposed communication"
      definition="The time in which collective kernels run and no computing kernel does: what communication adds to the step. Its share is of the device's window; “hidden” is what runs beside computing kernels."
      value={value}
      {...(hasAny ? { exact: exactNs(exposed) } : {})}
      note={
        hasAny
          ? `${formatShare(exposed / window)} of window, ${formatNs(overlapped)} hidden`
          : window > 0
            ? 'No collective kernels in this profile.'
            : 'No device activity in this profile.'
      }
    />
  )
}

function NotAttributed({ overview }: { readonly overview: Overview }) {
  const { not_attributed_ns: missing, device_time_ns: all } = overview
  return (
    <Figure
      title="Not attributed"
      definition="Device time whose launch is not in the file (it was launched before the recording began, or host events were not recorded), so it belongs to no operator. Its share is of the summed time of all kernels, copies and sets."
      value={all === 0 ? undefined : missing === 0 ? 'none' : formatNs(missing)}
      exact={exactNs(missing)}
      note={
        all === 0
          ? 'No device activity in this profile.'
          : missing === 0
            ? 'Every kernel has its launch in the file.'
            : `${formatShare(missing / all)} of ${formatNs(all)} kernel time`
      }
    />
  )
}

function RecordedWindow({ overview: { whole, source, steps } }: { readonly overview: Overview }) {
  return (
    <Figure
      title="Recorded"
      definition="From the first to the last event of the file, host and device."
      value={formatNs(whole.duration_ns)}
      exact={exactNs(whole.duration_ns)}
      note={`${formatCount(source.n_events)} events · ${steps.length === 0 ? 'no steps' : plural(steps.length, 'step')}`}
    />
  )
}

function median(sorted: readonly number[]): number | undefined {
  const half = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[sorted.length % 2 === 0 ? half - 1 : half], sorted[half]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

function sum(devices: readonly DeviceRow[], of: (device: DeviceRow) => number): number {
  return devices.reduce((total, device) => total + of(device), 0)
}
