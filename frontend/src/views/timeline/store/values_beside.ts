/** Values of two timelines above each other: below the rows are those above, and what is alike has one scale. Pure. */
import type { ValueTrack } from '../../../wire/wire'

type Tracks = readonly ValueTrack[]

/** Of those below: what is shown above, and of what is not there what is `usual`. */
export function shownBelow(below: Tracks, usual: Tracks, above: Tracks, shown: Tracks): Tracks {
  const others = alikeValues(below, above)
  return below.filter((track) => {
    const other = others.get(track)
    return other === undefined ? usual.includes(track) : shown.includes(other)
  })
}

/** From the lowest of both to the highest. */
export function onOneScale(shown: Tracks, own: Tracks, beside: Tracks): Tracks {
  const others = alikeValues(own, beside)
  return shown.map((track) => {
    const { lowest, highest } = others.get(track) ?? track
    return { ...track, lowest: Math.min(track.lowest, lowest), highest: Math.max(track.highest, highest) }
  })
}

function alikeValues(own: Tracks, beside: Tracks): ReadonlyMap<ValueTrack, ValueTrack | undefined> {
  const others = new Map(called(beside))
  return new Map(called(own).map(([name, track]) => [track, others.get(name)]))
}

/** Devices by their order, as each rank has its own. */
function called(tracks: Tracks): readonly (readonly [string, ValueTrack])[] {
  const names = tracks.map(({ title }) => title.replace(/\d+/g, ''))
  return tracks.map((track, at) => {
    const nth = names.slice(0, at).filter((name) => name === names[at]).length
    return [`${names[at] ?? ''}${nth}`, track]
  })
}
