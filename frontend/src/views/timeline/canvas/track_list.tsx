/** The names on the left; they scroll with the tracks and fold them. */
import { plural } from '../../../base/units'
import type { TimelineStore } from '../store/store'

export function TrackList({ store }: { readonly store: TimelineStore }) {
  const { groups, tracks } = store.tracks
  const layout = store.picture.layout.value
  return (
    <ul class="tl-list" aria-label="Tracks">
      {layout.groups.map(({ index, top, height, isFolded }) => (
        <li key={`g${index}`} class="tl-group" style={placed(top, height)}>
          <button type="button" aria-expanded={!isFolded} onClick={() => store.toggleFold(`g${index}`)}>
            <span class="tl-arrow" aria-hidden="true">
              {isFolded ? '▸' : '▾'}
            </span>
            <span class="tl-name" title={groups[index]?.name}>
              {groups[index]?.name}
            </span>
            {isFolded && (
              <span class="soft">{plural(tracks.filter((track) => track.group === index).length, 'track')}</span>
            )}
          </button>
        </li>
      ))}
      {layout.tracks.map(({ id, index, top, height, isFolded, lanes }) => {
        const track = tracks[index]
        if (track === undefined) return null
        const words = `${track.name}: ${plural(track.n_events, 'event')}`
        return (
          <li key={`t${id}`} class="tl-track" style={placed(top, height - 4)}>
            <button
              type="button"
              title={`${words}. Click to make it ${isFolded ? 'tall' : 'flat'}`}
              aria-label={words}
              aria-expanded={!isFolded}
              disabled={lanes < 2}
              onClick={() => store.toggleFold(`t${id}`)}
            >
              <span class="tl-arrow" aria-hidden="true">
                {lanes < 2 ? '' : isFolded ? '▸' : '▾'}
              </span>
              <span class="tl-name">{track.name}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function placed(top: number, height: number): { readonly top: string; readonly height: string } {
  return { top: `${top}px`, height: `${height}px` }
}
