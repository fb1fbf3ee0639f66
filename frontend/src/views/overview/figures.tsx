/** The line of five figures. Without a device, those of the host; what is not recorded is said. */
import { exactBytes, exactNs, formatBytes, formatNs, formatShare, plural } from '../../base/units'
import { sparkPath } from '../../layout/line'
import { peaks } from '../../state/filters'
import { Figure } from '../../widgets/panel/figure'
import { PlaceLink } from '../../widgets/links/place_link'
import type { Overview, StepRow } from '../../wire/wire'
import { tablePlace } from '../links'
import * as define from './definitions'
import { Lack } from './lack'
import { ofCategory, sum } from './parts'

const SPARK_WIDTH = 96
const SPARK_HEIGHT = 22
const ENOUGH_FOR_PERCENTILES = 20
/** The average of the charts is said beside the median where they differ by more, and so is time of which nothing is known. */
const WORTH_SAYING = 0.01

export function Figures({ overview }: { readonly overview: Overview }) {
  const hasDevice = overview.whole.device_use_ns !== null
  return (
    <div class="figures">
      <StepTime overview={overview} />
      {hasDevice ? <DeviceBusy overview={overview} /> : <HostBusy overview={overview} />}
      {hasDevice || overview.communication_parts !== null ? (
        <ExposedCommunication parts={overview.communication_parts} />
      ) : (
        <HostCommunication overview={overview} />
      )}
      <PeakMemory overview={overview} />
      <NotAttributed overview={overview} />
      {overview.model_flops.mfu !== null && <ModelFlops overview={overview} />}
    </div>
  )
}

function StepTime({ overview }: { readonly overview: Overview }) {
  const { steps, step_time: times, average, whole } = overview
  const counted = steps.filter((step) => step.selected && (step.complete || times?.count !== countComplete(steps)))
  const longest = longestOf(counted)
  if (times === null || average === null) {
    const note = (
      <>
        {steps.length === 0 && `${formatNs(whole.duration_ns)} in all. `}
        <Lack overview={overview} of="steps" otherwise="No step is selected." />
      </>
    )
    return <Figure title="Step time" definition={define.step_time} value={undefined} note={note} />
  }
  const isMany = times.count >= ENOUGH_FOR_PERCENTILES
  const [low, high] = isMany ? [times.p5_ns, times.p95_ns] : [times.min_ns, times.max_ns]
  const spread = `${formatNs(low)} to ${formatNs(high)}`
  return (
    <Figure
      title="Step time"
      definition={define.step_time}
      value={formatNs(times.median_ns)}
      exact={`${exactNs(times.median_ns)}; average ${exactNs(average.duration_ns)}`}
      to={longest === undefined ? undefined : windowOf(longest)}
      note={
        <>
          {Math.abs(average.duration_ns - times.median_ns) > WORTH_SAYING * times.median_ns &&
            `median; average ${formatNs(average.duration_ns)} · `}
          {times.count === 1 ? (
            '1 step'
          ) : (
            <span title={`${isMany ? '5 % to 95 %' : 'Shortest to longest'} of ${plural(times.count, 'step')}`}>
              {isMany ? '5–95 %: ' : ''}
              {spread}
            </span>
          )}
          {longest !== undefined && times.count > 1 && (
            <>
              {' · '}
              <PlaceLink to={windowOf(longest)} title="Show the longest step in the timeline">
                longest: step {longest.number}
              </PlaceLink>
            </>
          )}
        </>
      }
    >
      {counted.length > 1 && (
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

function DeviceBusy({ overview: { devices, steps, average, whole } }: { readonly overview: Overview }) {
  const of = average ?? whole
  const unknown = (of.device_use_ns?.unknown ?? 0) / Math.max(of.duration_ns, 1)
  const busy = sum(devices, (device) => device.busy_ns)
  const window = sum(devices, (device) => device.window_ns)
  return (
    <Figure
      title="Device busy"
      definition={define.utilization}
      value={window > 0 ? formatShare(busy / window) : 'none'}
      exact={`${exactNs(busy)} of ${exactNs(window)}`}
      to={{ view: 'timeline', 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined }}
      note={
        window > 0
          ? `${formatNs(busy)} of ${formatNs(window)}${steps.length === 0 ? ', the whole recording' : ''}${devices.length > 1 ? ` on ${devices.length} devices` : ''}${
              unknown > WORTH_SAYING ? ` · ${formatShare(unknown)} unknown` : ''
            }`
          : 'No device work is left by the filters.'
      }
    />
  )
}

function ModelFlops({ overview: { model_flops: use } }: { readonly overview: Overview }) {
  const [type = ''] = Object.keys(use.mix)
  const given = peaks.value.peak?.includes(type) === true ? ' given' : ''
  return (
    <Figure
      title="MFU"
      definition={define.model_flops}
      value={formatShare(use.mfu ?? 0)}
      to={{ view: 'roofline' }}
      note={
        use.note ?? `of the ${type} peak${given}${use.hfu === use.mfu ? '' : ` · HFU ${formatShare(use.hfu ?? 0)}`}`
      }
    />
  )
}

function HostBusy({ overview: { average, whole, step_time: times } }: { readonly overview: Overview }) {
  const window = average ?? whole
  const { idle, python, unknown_queue: unknown } = window.breakdown_ns
  const busy = window.duration_ns - idle - python - unknown
  return (
    <Figure
      title="Host busy"
      definition={define.host_busy}
      value={formatShare(window.duration_ns > 0 ? busy / window.duration_ns : 0)}
      exact={`${exactNs(busy)} of ${exactNs(window.duration_ns)}`}
      to={{ view: 'operators' }}
      note={`of ${windowWords(average, times)}`}
    />
  )
}

/** The same as the tables by dimension and by module sum to. */
function ExposedCommunication({ parts }: { readonly parts: Overview['communication_parts'] }) {
  const title = 'Exposed communication'
  if (parts === null)
    return (
      <Figure
        title={title}
        definition={define.communication_exposed_ns}
        value="none"
        note="No collective kernels ran here."
      />
    )
  const { exposed_ns: exposed, hidden_ns: overlapped, on_host: onHost } = parts
  return (
    <Figure
      title={title}
      definition={onHost ? define.exposed_ns : define.communication_exposed_ns}
      value={formatShare(exposed / parts.window_ns)}
      exact={exactNs(exposed)}
      to={onHost ? HOST_COLLECTIVES : ofCategory('communication')}
      note={`${formatNs(exposed)} exposed, ${formatNs(overlapped)} overlapped`}
    />
  )
}

const HOST_COLLECTIVES = tablePlace('operators', { q: 'gloo|nccl|c10d' })

function HostCommunication({ overview }: { readonly overview: Overview }) {
  const { average, whole, step_time: times, not_recorded: unknown, communication_parts_lack: lack } = overview
  const window = average ?? whole
  const ns = window.breakdown_ns.communication
  const isKnown = !unknown.includes('communication')
  return (
    <Figure
      title="Communication"
      definition={define.host_communication}
      value={ns > 0 ? formatNs(ns) : isKnown ? 'none' : 'not recorded'}
      {...(ns > 0 ? { exact: exactNs(ns), to: HOST_COLLECTIVES } : {})}
      note={
        ns > 0
          ? `${formatShare(ns / window.duration_ns)} of ${windowWords(average, times)}. ${lack ?? ''}`
          : isKnown
            ? 'No collectives ran here.'
            : 'None is in the part that could be read.'
      }
    />
  )
}

function windowWords(average: Overview['average'], times: Overview['step_time']): string {
  return average === null ? 'the recording' : times?.count === 1 ? 'the step' : 'the average step'
}

function PeakMemory({ overview }: { readonly overview: Overview }) {
  const { memory, recorded } = overview
  const first = memory.reduce<(typeof memory)[number] | undefined>(
    (best, each) => (best === undefined || shareOf(each) > shareOf(best) ? each : best),
    undefined,
  )
  if (first === undefined) {
    const isRecorded = recorded.some((each) => each.id === 'memory' && each.recorded)
    const note = <Lack overview={overview} of="memory" withOption otherwise="What was held before is unknown." />
    return (
      <Figure
        title="Peak memory"
        definition={define.memory}
        value={isRecorded ? 'no allocation' : undefined}
        note={note}
      />
    )
  }
  const { peak_allocated_bytes: bytes, peak_reserved_bytes: reserved, capacity_bytes: capacity } = first
  return (
    <Figure
      title="Peak memory"
      definition={define.memory}
      value={formatBytes(bytes)}
      exact={memory.map((each) => `${each.title}: ${exactBytes(each.peak_allocated_bytes)}`).join('\n')}
      to={{ view: 'memory', 'memory.device': first.id, 'memory.at_ns': undefined }}
      note={
        <span title={reserved === null ? undefined : `reserved ${exactBytes(reserved)}`}>
          {capacity === null ? 'of ' : `${formatShare(bytes / capacity)} of ${formatBytes(capacity)} · `}
          {first.title}
        </span>
      }
    />
  )
}

function NotAttributed({ overview }: { readonly overview: Overview }) {
  const { not_attributed_ns: missing, device_time_ns: all } = overview
  return (
    <Figure
      title="Not attributed"
      definition={define.not_attributed_ns}
      value={all === 0 ? undefined : missing === 0 ? 'none' : formatShare(missing / all)}
      exact={exactNs(missing)}
      to={missing === 0 ? undefined : tablePlace('operators', { row: 'not attributed' })}
      note={
        all === 0 ? (
          <Lack overview={overview} of="device" otherwise="No device work is left by the filters." />
        ) : missing === 0 ? (
          'All device work has its launch.'
        ) : (
          `${formatNs(missing)} of ${formatNs(all)} device time`
        )
      }
    />
  )
}

function windowOf(step: StepRow) {
  return {
    view: 'timeline',
    'timeline.t0_ns': String(step.start_ns),
    'timeline.t1_ns': String(step.start_ns + step.duration_ns),
  }
}

function longestOf(steps: readonly StepRow[]): StepRow | undefined {
  return steps.reduce<StepRow | undefined>(
    (best, step) => (best === undefined || step.duration_ns > best.duration_ns ? step : best),
    undefined,
  )
}

/** Of the selected steps those that are complete. */
function countComplete(steps: readonly StepRow[]): number {
  return steps.filter((step) => step.selected && step.complete).length
}

/** An accelerator before the host, then by how full it was. */
function shareOf({ id, peak_allocated_bytes: bytes, capacity_bytes: capacity }: Overview['memory'][number]): number {
  return (id.startsWith('cpu') ? -1 : 0) + (capacity === null ? bytes / 2 ** 60 : bytes / capacity)
}
