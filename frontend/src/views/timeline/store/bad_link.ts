/** What a link says of the timeline that this profile does not have: told, never dropped in silence, and taken out of the address. */
import { cutMiddle } from '../../../base/cut'
import type { Changes, Place } from '../../../state/hash'
import type { TimelineTracks } from '../../../wire/wire'
import { areaChanges, marksChanges, readPlace, recorded } from './place'
import type { TimelineStore } from './store'

const CHARACTERS = 60 // of what somebody typed

/** A sentence for each, and what the address has instead. */
type Bad = readonly (readonly [sentence: string, changes: Changes])[]

export function tellBadLink({
  link,
  tracks,
  linkProblem,
}: Pick<TimelineStore, 'link' | 'tracks' | 'linkProblem'>): void {
  const found = badParts(link.read(), tracks)
  if (found.length === 0) return
  linkProblem.value = found.map(([sentence]) => sentence).join(' ')
  link.adjust(Object.fromEntries(found.flatMap(([, changes]) => Object.entries(changes))))
}

/** Pure. */
export function badParts(place: Place, tracks: TimelineTracks): Bad {
  return [...badWindow(place, tracks), ...badArea(place, tracks), ...badMarks(place), ...badTrack(place, tracks)]
}

function badWindow(place: Place, { start_ns: start, end_ns: end }: TimelineTracks): Bad {
  const [t0, t1] = [place['timeline.t0_ns'], place['timeline.t1_ns']]
  const { window } = readPlace(place)
  if (t0 === undefined && t1 === undefined) return []
  // Beside another timeline it shows what is there, also where that is nothing of its own.
  const isOutside = window !== undefined && (window[1] < start || window[0] > end) && !('beside.lower' in place)
  if (window !== undefined && !isOutside) return []
  const asked = t0 === undefined ? `an end at ${t1 ?? ''}` : t1 === undefined ? `a start at ${t0}` : `${t0} to ${t1}`
  const isHalf = t0 === undefined || t1 === undefined
  const why = isHalf
    ? 'alone is no stretch of time'
    : isOutside
      ? 'lies outside of what was recorded'
      : 'is no stretch of time'
  return [
    [`The link’s window, ${quoted(asked)}, ${why}.`, { 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined }],
  ]
}

function badArea(place: Place, tracks: TimelineTracks): Bad {
  const text = place['timeline.area'] ?? ''
  if (text === '') return []
  const area = recorded(readPlace(place).area, tracks)
  if (area === undefined)
    return [[`The link’s area, ${quoted(text)}, is no stretch of time on tracks of this profile.`, areaChanges(area)]]
  const asked = text.split(':')[1]?.split(',') ?? []
  const missing = asked.filter((id) => !area.tracks.includes(Number(id)))
  if (missing.length === 0) return []
  return [
    [`This profile has no track ${quoted(missing.join(', '))}: the link’s area leaves it out.`, areaChanges(area)],
  ]
}

function badMarks(place: Place): Bad {
  const texts = (place['timeline.mark'] ?? '').split(';').filter(Boolean)
  const bad = texts.filter((text) => readPlace({ 'timeline.mark': text }).marks.length === 0)
  if (bad.length === 0) return []
  return [[`The link’s mark, ${quoted(bad.join('; '))}, is no stretch of time.`, marksChanges(readPlace(place).marks)]]
}

/** What leads to a track is taken out by who leads there. */
function badTrack(place: Place, { tracks }: TimelineTracks): Bad {
  const asked = place['timeline.track']
  if (asked === undefined || tracks.some(({ id }) => id === Number(asked))) return []
  return [[`This profile has no track ${quoted(asked)}.`, {}]]
}

function quoted(text: string): string {
  return `“${cutMiddle(text, CHARACTERS)}”`
}
