import { cutMiddle } from '../../base/cut'
import { exactBytes, exactCount, exactNs, formatBytes, formatNs, formatShare, plural } from '../../base/units'
import type { DeviceRow, Overview, TopRow } from '../../data/wire'
import { addressOf, go } from '../../state/place'
import { Definition } from '../../widgets/popup'
import { MONO_PX, useWidth } from '../../widgets/use_width'

export function Devices({ devices }: { readonly devices: readonly DeviceRow[] }) {
  return (
    <div class="devices">
      <h2>
        Devices
        <Definition
          of="utilisation"
          text="Busy over window. Busy is the union of kernels, copies and sets on all streams; the window is from the device’s first to its last activity."
        />
      </h2>
      {devices.length === 0 ? (
        <p class="soft">No device activity was recorded. Add ProfilerActivity.CUDA (or your device’s) to activities.</p>
      ) : (
        <ul tabIndex={devices.length > 4 ? 0 : -1}>
          {devices.map((device) => (
            <Device key={device.index} device={device} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Device({ device }: { readonly device: DeviceRow }) {
  const { index, name, memory_bytes: memory, utilization, busy_ns: busy, window_ns: window } = device
  return (
    <li>
      <span title={name ?? 'name not recorded'}>
        {index} · {name ?? <span class="soft">name not recorded</span>}
      </span>
      <span class="value" title={`${Number((utilization * 100).toPrecision(6))} % utilisation`}>
        {formatShare(utilization)}
      </span>
      <meter min={0} max={1} value={utilization} aria-label={`Utilisation of device ${index}`} />
      <span class="soft">
        <span title={memory === null ? undefined : exactBytes(memory)}>
          {memory === null ? 'memory not recorded' : formatBytes(memory)}
        </span>
        {' · '}
        <span title={`${exactNs(busy)} of ${exactNs(window)}`}>
          busy {formatNs(busy)} of {formatNs(window)}
        </span>
        {' · '}
        {plural(device.streams, 'stream')}
      </span>
    </li>
  )
}

export function TopOperators({ overview }: { readonly overview: Overview }) {
  const isDevice = overview.top_operators_by === 'device_self'
  return (
    <TopList
      view="operators"
      title="Top operators"
      time={isDevice ? 'Device self' : 'Host self'}
      definition={
        isDevice
          ? 'By the time of kernels, copies and sets launched from the operator itself, not from operators inside it. Share of all device time.'
          : 'By the time the host spends in the operator itself, not in operators inside it. Share of all host time in operators.'
      }
      rows={overview.top_operators}
      nothing="No operators were recorded. Add ProfilerActivity.CPU to activities."
    />
  )
}

export function TopKernels({ overview }: { readonly overview: Overview }) {
  return (
    <TopList
      view="kernels"
      title="Top kernels"
      time="Total"
      definition="By summed time over all launches of that name. Share of the summed time of all kernels."
      rows={overview.top_kernels}
      nothing="No kernels were recorded: this profile has no device activity."
    />
  )
}

interface TopListProps {
  readonly view: 'operators' | 'kernels'
  readonly title: string
  readonly time: string
  readonly definition: string
  readonly rows: readonly TopRow[]
  readonly nothing: string
}

const CALLS_PX = 64 // widths as in overview.css
const TIME_AND_SHARE_PX = 88 + 70
const NAME_PADDING_PX = 18
const LEAST_FOR_CALLS_PX = 430 // narrower lists need the room for names

function TopList({ view, title, time, definition, rows, nothing }: TopListProps) {
  const [section, width] = useWidth<HTMLElement>(470)
  const hasCalls = width >= LEAST_FOR_CALLS_PX
  const room = width - TIME_AND_SHARE_PX - NAME_PADDING_PX - (hasCalls ? CALLS_PX : 0)
  const characters = Math.floor(room / MONO_PX)
  return (
    <section ref={section} class="top-list" style={{ gridArea: view }}>
      <h2>
        {title}
        <Definition of={title} text={definition} />
        <span class="grow" />
        <button type="button" class="link" onClick={() => go({ view })}>
          show all
        </button>
      </h2>
      {rows.length === 0 ? (
        <p class="soft">{nothing}</p>
      ) : (
        <table class="table is-small">
          <thead>
            <tr>
              <th class="is-text" scope="col">
                Name
              </th>
              {hasCalls && (
                <th class="is-calls" scope="col">
                  Calls
                </th>
              )}
              <th class="is-time" scope="col">
                {time}
              </th>
              <th class="is-share" scope="col">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th class="is-text is-name" scope="row" title={row.name}>
                  <a href={rowAddress(view, row)} target="_top" onClick={(event) => openRow(event, view, row)}>
                    {cutMiddle(row.name, characters)}
                  </a>
                </th>
                {hasCalls && <td>{exactCount(row.count)}</td>}
                <td title={exactNs(row.time_ns)}>{formatNs(row.time_ns)}</td>
                <td data-bar="" style={{ '--share': `${row.share * 100}%` }} title={`${row.share * 100} %`}>
                  {formatShare(row.share)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** The view with that row open, grouped so that the row exists. */
function rowChanges(view: 'operators' | 'kernels', row: TopRow) {
  return { view, [`${view}.row`]: row.name, [`${view}.group`]: undefined, [`${view}.q`]: undefined }
}

function rowAddress(view: 'operators' | 'kernels', row: TopRow): string {
  return addressOf(rowChanges(view, row))
}

function openRow(event: MouseEvent, view: 'operators' | 'kernels', row: TopRow): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  go(rowChanges(view, row))
}
