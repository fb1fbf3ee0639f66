/** The picture as a table: what is on screen, for those who cannot see it and those who want to read it. */
import { formatCount, plural } from '../../../base/units'
import { firstEndingAfter } from '../../../draw/blocks/blocks'
import { DataTable } from '../../../widgets/table/data_table'
import * as define from '../definitions'
import type { TimelineStore } from '../store/store'
import { eventColumns } from './event_columns'
import { useSeen } from './seen'

/** A block: the longest of its events. */
interface Slice {
  readonly track: number
  readonly row: number
  readonly name: string
  readonly start_ns: number
  readonly duration_ns: number
  readonly count: number
}

export function SlicesTable({ store }: { readonly store: TimelineStore }) {
  store.window.followSettled()
  const slices = visibleSlices(store)
  return (
    <section ref={useSeen()} class="tl-area" aria-label="Visible events">
      <DataTable
        id="timeline_blocks"
        label={plural(slices.length, 'visible block')}
        rows={slices}
        columns={eventColumns<Slice>(store, ({ row }) => store.select(row), {
          id: 'count',
          title: 'Events',
          kind: 'count',
          sums: true,
          value: (row) => row.count,
          draw: ({ count }) => (count > 1 ? `${formatCount(count)} merged` : '1'),
          definition: define.block_count,
        })}
        sort={{ column: 'duration_ns', descending: true }}
        keyOf={({ row }) => `${row}`}
        fileParts={[...Object.values(store.profile), 'blocks']}
      />
    </section>
  )
}

function visibleSlices(store: TimelineStore): readonly Slice[] {
  const { view } = store.window
  const { scrollTop, height } = store.picture
  const found: Slice[] = []
  for (const { id: track, top, height: tall, lanes } of store.picture.layout.value.tracks) {
    if (top > scrollTop + height || top + tall < scrollTop) continue
    const blocks = store.counted.blocksFor(track, view)
    const first = blocks?.trackLane.get(track)
    if (blocks === undefined || first === undefined) continue
    const from = (view.t0 - blocks.t0) / blocks.unitNs
    const to = (view.t1 - blocks.t0) / blocks.unitNs
    for (let lane = first; lane < first + lanes; lane++) {
      const end = blocks.laneFirst[lane + 1] ?? 0
      for (let i = firstEndingAfter(blocks, lane, from); i < end && (blocks.start[i] ?? 0) <= to; i++) {
        found.push({
          track,
          row: blocks.row[i] ?? -1,
          name: store.loader.names.get(blocks.nameId[i] ?? -1) ?? '…', // of narrow blocks they did not come along
          start_ns: blocks.t0 + (blocks.start[i] ?? 0) * blocks.unitNs,
          duration_ns: blocks.longestNs[i] ?? 0,
          count: blocks.count[i] ?? 1,
        })
      }
    }
  }
  return found
}
