/** Events as rows of a table: what is the same of each that is found, and of each that is in sight. */
import { knownNs } from '../../../base/units'
import type { Changes } from '../../../state/hash'
import type { Column } from '../../../widgets/table/column'
import type { TrackEvent } from '../../../wire/wire'
import * as define from '../definitions'
import { rankOf } from '../store/in_sight'
import { PAGE_LINK } from '../store/link'
import type { TimelineStore } from '../store/store'

/** A link to it alone, which brings it into sight. */
export function eventLink({ link }: TimelineStore, row: number): Changes {
  return {
    'timeline.t0_ns': undefined,
    'timeline.t1_ns': undefined,
    [link === PAGE_LINK ? 'timeline.row' : 'beside.row']: String(row),
  }
}

interface Listed extends Pick<TrackEvent, 'name' | 'start_ns' | 'duration_ns' | 'track'> {
  /** How exact its start is, where it is the edge of a picture. */
  readonly unit_ns?: number
}

export function eventColumns<R extends Listed>(store: TimelineStore, own: Column<R>): readonly Column<R>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      kind: 'name',
      value: (row) => row.name,
      definition: define.area_name,
    },
    {
      id: 'start_ns',
      title: 'Start',
      kind: 'ns',
      isPlace: true,
      value: (row) => row.start_ns - store.tracks.start_ns,
      width: 150,
      // Three digits are the same for many in a row.
      draw: ({ start_ns, unit_ns = 1 }) => knownNs(start_ns - store.tracks.start_ns, unit_ns),
      definition: define.hit_start,
    },
    {
      id: 'duration_ns',
      title: 'Duration',
      kind: 'ns',
      value: (row) => row.duration_ns,
      definition: define.hit_duration,
    },
    own,
    {
      id: 'track',
      title: 'Track',
      kind: 'text',
      width: 160,
      value: (row) => store.picture.track(row.track)?.name ?? '',
      order: (row) => rankOf(store, row.track),
      definition: define.hit_track,
    },
  ]
}
