import { exactBytes, exactCount, formatBytes, formatShare, plural } from '../../base/units'
import type { MemoryDevice, MemoryUse } from '../../data/wire'
import { Figure } from '../../widgets/figure'
import { instantWords } from './instant'

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
      <Fragmentation use={use} />
      <Alive use={use} />
      <Events use={use} />
    </div>
  )
}

function Peak({ use, device }: FiguresProps) {
  const when = instantWords(device.peak_ns, [use.start_ns, use.end_ns])
  return (
    <Figure
      title="Peak allocated"
      definition="The most that tensors held at one time in the range, as torch counted it. The CPU’s count begins with the recording; a device’s holds what was allocated before, but not the context and other libraries."
      value={formatBytes(device.peak_allocated_bytes)}
      exact={exactBytes(device.peak_allocated_bytes)}
      note={use.totals === 'recorded' ? `at ${when}` : `at ${when}, at least`}
    />
  )
}

function Reserved({ use, device }: FiguresProps) {
  const { peak_reserved_bytes: bytes, peak_reserved_ns: time } = device
  const absent = use.totals === 'recorded' ? 'This allocator does not report a reserve.' : 'The file has no totals.'
  return (
    <Figure
      title="Peak reserved"
      definition="The most that the caching allocator held of the device in the range, in use or not. This is what other programs see as taken."
      value={bytes === null ? undefined : formatBytes(bytes)}
      {...(bytes === null ? {} : { exact: exactBytes(bytes) })}
      note={bytes === null || time === null ? absent : `at ${instantWords(time, [use.start_ns, use.end_ns])}`}
    />
  )
}

function Capacity({ use, device }: FiguresProps) {
  const { capacity_bytes: capacity, peak_allocated_bytes: allocated, peak_reserved_bytes: reserved } = device
  const isKnown = capacity !== null && capacity > 0
  return (
    <Figure
      title="Of capacity"
      definition="Peak allocated over the memory of the device, and below it the same of peak reserved."
      value={isKnown ? formatShare(allocated / capacity) : undefined}
      note={
        !isKnown
          ? 'The file does not say how much this device has.'
          : `${use.totals === 'recorded' ? '' : 'at least, '}of ${formatBytes(capacity)}${reserved === null ? '' : `, ${formatShare(reserved / capacity)} reserved`}`
      }
    />
  )
}

function Fragmentation({ use: { held } }: { readonly use: MemoryUse }) {
  const { fragmentation_bytes: bytes, reserved_bytes: reserved } = held
  return (
    <Figure
      title="Fragmentation"
      definition="Reserved and not allocated at the instant shown (the peak, unless another was chosen). What is free inside the allocator may still be of no use for a large block."
      value={bytes === null ? undefined : formatBytes(bytes)}
      {...(bytes === null ? {} : { exact: exactBytes(bytes) })}
      note={
        bytes === null || reserved === null || reserved === 0
          ? 'Needs the reserved total.'
          : `${formatShare(bytes / reserved)} of what is reserved then`
      }
    />
  )
}

function Alive({ use: { held } }: { readonly use: MemoryUse }) {
  const { known, earlier, rest_bytes: rest } = held
  const before = rest === null || earlier === null ? undefined : rest + earlier.bytes
  return (
    <Figure
      title={held.is_peak ? 'Alive at the peak' : 'Alive at the instant'}
      definition="What was allocated in the recording and not released until then. Below it what was there before the recording: blocks released later in it, and the rest of the total. Nothing tells who allocated those; start recording before the model is built to see."
      value={known === null ? undefined : formatBytes(known.bytes)}
      {...(known === null ? {} : { exact: exactBytes(known.bytes) })}
      note={
        known === null
          ? 'The file has no addresses.'
          : `${plural(known.count, 'block')}, ${before === undefined ? 'earlier ones not known' : `${formatBytes(before)} from before`}`
      }
    />
  )
}

function Events({ use }: { readonly use: MemoryUse }) {
  const { allocations, releases, releases_of_earlier: earlier, never_released: kept } = use
  const more = [
    earlier !== null && earlier.count > 0 ? `${exactCount(earlier.count)} of earlier blocks` : '',
    kept !== null && kept.count > 0 ? `${formatBytes(kept.bytes)} never released` : '',
  ].filter((part) => part !== '')
  return (
    <Figure
      title="Allocations"
      definition="Allocations and releases in the range. Releases of earlier blocks: of what was allocated before the recording. Never released: allocations of the range that were still there when the recording ended."
      value={exactCount(allocations.count)}
      exact={`${exactBytes(allocations.bytes)} allocated, ${exactBytes(releases.bytes)} released`}
      note={[plural(releases.count, 'release'), ...more].join(', ')}
    />
  )
}
