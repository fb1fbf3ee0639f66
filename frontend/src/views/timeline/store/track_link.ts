/** A link that leads to a track, as `timeline.track=12`: once it is seen the link has what shows it instead. */
import { arrangementChanges } from './place'
import type { TimelineStore } from './store'

const KEY = 'timeline.track'

/** Opens its group, takes back that it is hidden, and scrolls to it. */
export function leadToTrack({ link, picture }: Pick<TimelineStore, 'link' | 'picture'>): void {
  const asked = link.read()[KEY]
  if (asked === undefined) return
  const track = picture.track(Number(asked))
  const changes = track === undefined ? {} : picture.showing(track)
  picture.arrange({ ...picture.arrangement.value, ...changes })
  link.adjust({ ...arrangementChanges(changes), [KEY]: undefined })
  if (track !== undefined) picture.scrollToTrack(track.id)
}
