/** The picture as a table: what is on screen, for those who cannot see it and those who want to read it. */
import { formatCount, formatNs } from '../../../base/units'
import { firstEndingAfter } from '../../../draw/blocks/blocks'
import type { TimelineStore } from '../store/store'

const MOST = 200

interface Slice {
  readonly track: number
  readonly trackName: string
  readonly row: number
  readonly nameId: number
  readonly start: number
  readonly longestNs: number
  readonly count: number
}

export function SlicesTable({ store }: { readonly store: TimelineStore }) {
  store.window.followSettled()
  const { slices, n } = visibleSlices(store)
  return (
    <section class="tl-table" aria-label="Visible events">
      <p class="soft">
        {n > MOST
          ? `The ${MOST} longest of ${formatCount(n)} visible blocks. Zoom in for fewer.`
          : `${n} visible blocks.`}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Track</th>
            <th scope="col">Name</th>
            <th scope="col">Start</th>
            <th scope="col">Duration</th>
            <th scope="col">Events</th>
          </tr>
        </thead>
        <tbody>
          {slices.map((slice) => (
            <tr key={`${slice.row}`}>
              <td>{slice.trackName}</td>
              <td class="mono">
                <button type="button" class="link mono" onClick={() => store.select(slice.row)}>
                  {store.loader.names.get(slice.nameId) ?? 'show'}
                </button>
              </td>
              <td class="number">{formatNs(slice.start - store.tracks.start_ns)}</td>
              <td class="number">{formatNs(slice.longestNs)}</td>
              <td class="number">{slice.count > 1 ? `${formatCount(slice.count)} merged` : '1'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function visibleSlices(store: TimelineStore): { readonly slices: readonly Slice[]; readonly n: number } {
  const loader = store.counted
  const { view } = store.window
  const { scrollTop, height } = store.picture
  const found: Slice[] = []
  for (const place of store.picture.layout.value.tracks) {
    if (place.top > scrollTop + height || place.top + place.height < scrollTop) continue
    const blocks = loader.blocksFor(place.id, view)
    const first = blocks?.trackLane.get(place.id)
    if (blocks === undefined || first === undefined) continue
    const from = (view.t0 - blocks.t0) / blocks.unitNs
    const to = (view.t1 - blocks.t0) / blocks.unitNs
    for (let lane = first; lane < first + place.lanes; lane++) {
      const end = blocks.laneFirst[lane + 1] ?? 0
      for (let i = firstEndingAfter(blocks, lane, from); i < end && (blocks.start[i] ?? 0) <= to; i++) {
        found.push({
          track: place.id,
          trackName: store.picture.track(place.id)?.name ?? '',
          row: blocks.row[i] ?? -1,
          nameId: blocks.nameId[i] ?? -1,
          start: blocks.t0 + (blocks.start[i] ?? 0) * blocks.unitNs,
          longestNs: blocks.longestNs[i] ?? 0,
          count: blocks.count[i] ?? 1,
        })
      }
    }
  }
  const longest = found.sort((a, b) => b.longestNs - a.longestNs).slice(0, MOST)
  return { slices: longest.sort((a, b) => a.track - b.track || a.start - b.start), n: found.length }
}
