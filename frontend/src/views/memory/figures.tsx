import { exactBytes, exactCount, formatBytes, formatShare, plural } from '../../base/units'
import { Figure } from '../../widgets/panel/figure'
import type { MemoryDevice, MemoryUse } from '../../wire/wire'
import * as define from './definitions'
import { instantWords } from './curve/instant'

interface FiguresProps {
  readonly use: MemoryUse
  readonly device: MemoryDevice
}

export function Figures({ use, device }: FiguresProps) {
  return (
    <div class="figures">
      <Peak use={use} device={device} />
      <Reserved use={use} device={device} />
      <Capacity use={use} device={device} />
      <Fragmentation use={use} device={device} />
      <Alive use={use} device={device} />
      <Events use={use} />
      <NeverFreed use={use} device={device} />
    </div>
  )
}

function Peak({ use, device }: FiguresProps) {
  const when = instantWords(device.peak_ns, [use.start_ns, use.end_ns])
  return (
    <Figure
      title="Peak allocated"
      definition={define.peak_allocated_bytes}
      value={formatBytes(device.peak_allocated_bytes)}
      exact={exactBytes(device.peak_allocated_bytes)}
      note={use.totals === 'recorded' ? `at ${when}` : `at ${when}, at least`}
    />
  )
}

function Reserved({ use, device }: FiguresProps) {
  const { peak_reserved_bytes: bytes, peak_reserved_ns: time } = device
  return (
    <Figure
      title="Peak reserved"
      definition={define.peak_reserved_bytes}
      value={bytes === null ? undefined : formatBytes(bytes)}
      {...(bytes === null ? {} : { exact: exactBytes(bytes) })}
      note={
        bytes === null || time === null ? device.no_reserved : `at ${instantWords(time, [use.start_ns, use.end_ns])}`
      }
    />
  )
}

function Capacity({ use, device }: FiguresProps) {
  const { capacity_bytes: capacity, peak_allocated_bytes: allocated, peak_reserved_bytes: reserved } = device
  const isKnown = capacity !== null && capacity > 0
  return (
    <Figure
      title="Of capacity"
      definition={define.capacity_share}
      value={isKnown ? formatShare(allocated / capacity) : undefined}
      note={
        !isKnown
          ? device.no_capacity
          : `${use.totals === 'recorded' ? '' : 'at least, '}of ${formatBytes(capacity)}${reserved === null ? '' : `, ${formatShare(reserved / capacity)} reserved`}`
      }
    />
  )
}

function Fragmentation({ use: { held, start_ns, end_ns }, device }: FiguresProps) {
  const { fragmentation_bytes: bytes, reserved_bytes: reserved } = held
  const { peak_fragmentation_bytes: most, peak_fragmentation_ns: when } = device
  const more =
    most === null || when === null ? '' : `, at most ${formatBytes(most)} at ${instantWords(when, [start_ns, end_ns])}`
  return (
    <Figure
      title="Fragmentation"
      definition={define.fragmentation_bytes}
      value={bytes === null ? undefined : formatBytes(bytes)}
      {...(bytes === null ? {} : { exact: exactBytes(bytes) })}
      note={
        bytes === null || reserved === null || reserved === 0
          ? (device.no_reserved ?? 'Nothing to compare: the reserve is not above what is allocated.')
          : `${formatShare(bytes / reserved)} of reserved then${more}`
      }
    />
  )
}

function Alive({ use: { held }, device }: FiguresProps) {
  const { known, earlier, rest_bytes: rest } = held
  const before = rest === null || earlier === null ? undefined : rest + earlier.bytes + (held.from_before?.bytes ?? 0)
  return (
    <Figure
      title={held.is_peak ? 'Alive at the peak' : 'Alive at the instant'}
      definition={define.known}
      value={known === null ? undefined : formatBytes(known.bytes)}
      {...(known === null ? {} : { exact: exactBytes(known.bytes) })}
      note={
        known === null
          ? device.no_addresses
          : `${plural(known.count, 'block')}, ${before === undefined ? 'earlier ones not known' : `${formatBytes(before)} from before`}`
      }
    />
  )
}

function Events({ use: { allocations, releases, releases_of_earlier: earlier } }: { readonly use: MemoryUse }) {
  const more = earlier !== null && earlier.count > 0 ? `, ${exactCount(earlier.count)} of earlier blocks` : ''
  return (
    <Figure
      title="Allocations"
      definition={define.events}
      value={exactCount(allocations.count)}
      exact={`${exactBytes(allocations.bytes)} allocated, ${exactBytes(releases.bytes)} released`}
      note={`${plural(releases.count, 'release')}${more}`}
    />
  )
}

function NeverFreed({ use: { never_released: kept }, device }: FiguresProps) {
  return (
    <Figure
      title="Never freed"
      definition={define.never_released}
      value={kept === null ? undefined : formatBytes(kept.bytes)}
      {...(kept === null ? {} : { exact: exactBytes(kept.bytes) })}
      note={kept === null ? device.no_addresses : `${plural(kept.count, 'block')}, held when the recording ended`}
    />
  )
}
