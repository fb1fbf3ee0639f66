/** Which tracks of two profiles are alike: the same thread or stream in another step, run or rank. Pure. */
import type { TimelineTracks, TrackRow } from '../../../wire/wire'

type Called = (name: string) => string

const CALLED: readonly Called[] = [(name) => name, (name) => name.replace(/ \(.*\)|\d+/g, '')]

/**
 * Of `to` the tracks that are as `ids` are in `from`, in its order; where none is, all. Devices go by their order, as each rank
 * has its own; tracks on them, and threads, by name, and what that leaves by their order among names that differ in a number.
 */
export function alike({ tracks }: TimelineTracks, ids: readonly number[], to: TimelineTracks): readonly number[] {
  const found = new Map<TrackRow, TrackRow>()
  for (const called of CALLED) {
    const others = keyed(to.tracks, called, new Set(found.values()))
    for (const [key, track] of keyed(tracks, called, new Set(found.keys()))) {
      const other = others.get(key)
      if (other !== undefined) found.set(track, other)
    }
  }
  const chosen = new Set([...found].flatMap(([{ id }, other]) => (ids.includes(id) ? other.id : [])))
  return to.tracks.map(({ id }) => id).filter((id) => chosen.size === 0 || chosen.has(id))
}

/** Those not `taken`, by device, name, and how many of that name come before. */
function keyed(
  tracks: readonly TrackRow[],
  called: Called,
  taken: ReadonlySet<TrackRow>,
): ReadonlyMap<string, TrackRow> {
  const devices = [...new Set(tracks.flatMap(({ device }) => device ?? []))]
  const seen = new Map<string, number>()
  return new Map(
    tracks
      .filter((track) => !taken.has(track))
      .map((track) => {
        const key = [track.device === null ? '' : devices.indexOf(track.device), called(track.name)].join()
        const nth = seen.get(key) ?? 0
        seen.set(key, nth + 1)
        return [`${key},${nth}`, track]
      }),
  )
}
