/** The blocks that are seen, devices first and of each track the longest first: what the table lists, and where keys begin. */
import { firstEndingAfter } from '../../../draw/blocks/blocks'
import type { Blocks } from '../../../draw/blocks/blocks'
import { lanePx, laneTop, scrolled } from '../../../draw/blocks/lane_layout'
import type { TimelineTracks } from '../../../wire/wire'
import type { Loader } from './loader'
import type { Picture } from './picture'
import type { TimeWindow } from './time_window'

/** Of a timeline what tells what is seen of it. */
export interface Sight {
  readonly window: Pick<TimeWindow, 'view'>
  readonly picture: Picture
  readonly loader: Pick<Loader, 'names'>
  readonly counted: Pick<Loader, 'blocksFor' | 'firstMerged'>
}

/** And of its colours. */
interface Colored extends Pick<Sight, 'window' | 'picture'> {
  readonly tracks: Pick<TimelineTracks, 'paints'>
  readonly loader: Pick<Loader, 'blocksFor'>
  readonly lit: Pick<Loader, 'blocksFor'> | undefined
}

/** A block: the longest of its events. */
export interface Slice {
  readonly track: number
  readonly lane: number
  readonly row: number
  readonly name: string
  readonly start_ns: number
  /** How exact its start is. */
  readonly unit_ns: number
  readonly duration_ns: number
  /** Of all its events. */
  readonly end_ns: number
  readonly count: number
}

/** Where a track comes among others: devices first, then as they lie. */
export function rankOf({ picture }: Pick<Sight, 'picture'>, id: number): number {
  const place = picture.layout.value.tracks.findIndex((track) => track.id === id)
  return picture.track(id)?.device == null ? place + 1e6 : place
}

/** What is folded away is not seen. */
export function slicesInSight(store: Sight): readonly Slice[] {
  const found: Slice[] = []
  eachInSight(store, store.counted, false, (blocks, i, track, lane) => {
    found.push({
      track,
      lane,
      row: blocks.row[i] ?? -1,
      name: store.loader.names.get(blocks.nameId[i] ?? -1) ?? '…', // of narrow blocks they did not come along
      start_ns: blocks.t0 + (blocks.start[i] ?? 0) * blocks.unitNs,
      unit_ns: blocks.unitNs,
      duration_ns: blocks.longestNs[i] ?? 0,
      end_ns: blocks.t0 + (blocks.end[i] ?? 0) * blocks.unitNs,
      count: blocks.count[i] ?? 1,
    })
  })
  const ranks = new Map(store.picture.layout.value.tracks.map(({ id }) => [id, rankOf(store, id)]))
  return found.sort((a, b) => (ranks.get(a.track) ?? 0) - (ranks.get(b.track) ?? 0) || b.duration_ns - a.duration_ns)
}

/** The colours that are seen, those of folded rows too, which are drawn thin. What is left out is grey. */
export function paintsInSight(store: Colored): ReadonlySet<string> {
  const found = new Set<number>()
  eachInSight(store, store.lit ?? store.loader, true, ({ dim, paint, otherFirst, other, otherDim }, i) => {
    if (dim[i] === 0) found.add(paint[i] ?? -1)
    for (let at = otherFirst[i] ?? 0; at < (otherFirst[i + 1] ?? 0); at++)
      if (otherDim[at] === 0) found.add(other[at] ?? -1)
  })
  return new Set(store.tracks.paints.filter((_, id) => found.has(id)))
}

function eachInSight(
  store: Pick<Sight, 'window' | 'picture'>,
  loader: Pick<Loader, 'blocksFor'>,
  withFolded: boolean,
  visit: (blocks: Blocks, i: number, track: number, lane: number) => void,
): void {
  const { view } = store.window
  const { scrollTop, height, layout } = store.picture
  for (const place of layout.value.tracks) {
    const track = place.id
    const blocks = loader.blocksFor(track, view)
    const lanes = blocks?.trackLane.get(track)
    if (blocks === undefined || lanes === undefined) continue
    const edge = place.isPinned ? 0 : layout.value.pinnedPx
    const from = (view.t0 - blocks.t0) / blocks.unitNs
    const to = (view.t1 - blocks.t0) / blocks.unitNs
    for (let lane = 0; lane <= place.lanes; lane++) {
      const [top, tall] = [laneTop(place, lane) + scrolled(place, scrollTop), lanePx(place, lane)]
      const isFolded = place.parts.some((part) => part.isFolded && lane >= part.first && lane < part.first + part.lanes)
      if (tall === 0 || top >= height || top + tall <= edge || (isFolded && !place.isFolded && !withFolded)) continue
      const end = blocks.laneFirst[lanes + lane + 1] ?? 0
      for (let i = firstEndingAfter(blocks, lanes + lane, from); i < end && (blocks.start[i] ?? 0) <= to; i++)
        visit(blocks, i, track, lane)
    }
  }
}

/** The row of the event that begins first in sight, else of what reaches into it: of the track that the table begins with.
    Named ranges have a lane to themselves: they come where there is nothing else. */
export async function firstInSight(store: Sight): Promise<number | undefined> {
  const all = slicesInSight(store)
  const mine = all.filter(({ track }) => track === all[0]?.track)
  const [part] = store.picture.track(mine[0]?.track ?? -1)?.parts ?? []
  const ranges = part?.kind === 'annotation' ? part.lanes : 0
  const events = mine.filter(({ lane }) => lane >= ranges)
  const { t0 } = store.window.view
  // Of several merged ones that begin before some may begin in sight.
  const from = ({ start_ns, count }: Slice): number => (count > 1 ? Math.max(start_ns, t0) : start_ns)
  const order = (slice: Slice): number => from(slice) + (from(slice) < t0 ? Number.MAX_SAFE_INTEGER : 0)
  const [first] = (events.length > 0 ? events : mine).sort((a, b) => order(a) - order(b) || a.lane - b.lane)
  if (first === undefined || first.count === 1) return first?.row
  return (await store.counted.firstMerged(first.track, first.lane, from(first), first.end_ns)) ?? first.row
}
