/** The picture as a table: what is on screen, for those who cannot see it and those who want to read it. */
import { formatCount, plural } from '../../../base/units'
import { at } from '../../../state/place'
import { DataTable } from '../../../widgets/table/data_table'
import * as define from '../definitions'
import { slicesInSight } from '../store/in_sight'
import type { Slice } from '../store/in_sight'
import type { TimelineStore } from '../store/store'
import { eventColumns, eventLink } from './event_columns'
import { useSeen } from './seen'

export function SlicesTable({ store }: { readonly store: TimelineStore }) {
  store.window.followSettled()
  const slices = slicesInSight(store)
  return (
    <section ref={useSeen()} class="tl-area" aria-label="Visible events">
      <DataTable
        id="timeline_blocks"
        label={plural(slices.length, 'visible block')}
        rows={slices}
        columns={eventColumns<Slice>(store, {
          id: 'count',
          title: 'Events',
          kind: 'count',
          sums: true,
          value: (row) => row.count,
          draw: ({ count }) => (count > 1 ? `${formatCount(count)} merged` : '1'),
          definition: define.block_count,
        })}
        sort={{ column: 'track', descending: false }}
        keyOf={({ row }) => `${row}`}
        goTo={({ row }) => eventLink(store, row)}
        visit={({ row }) => store.select(row)}
        isMarked={({ row }) => `${row}` === at('timeline.row')}
        fileParts={[...Object.values(store.profile), 'blocks']}
      />
    </section>
  )
}
