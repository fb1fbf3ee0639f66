/** What a link says of the timeline that this profile does not have: told, never dropped in silence, and taken out of the address. */
import { cutMiddle } from '../../../base/cut'
import type { Changes, Place } from '../../../state/hash'
import type { TimelineTracks } from '../../../wire/wire'
import { WAYS } from './area_ways'
import { areaChanges, marksChanges, readPlace, recorded } from './place'
import type { TimelineStore } from './store'

const CHARACTERS = 60 // of what somebody typed

const LISTS = ['pinned', 'hidden', 'python', 'stacks', 'folded', 'order', 'heights'].map((key) => `timeline.${key}`)

/** A sentence for each, and what the address has instead. */
type Bad = readonly (readonly [sentence: string, changes: Changes])[]

type Told = Pick<TimelineStore, 'link' | 'tracks' | 'linkProblem'>

export function tellBadLink({ link, tracks, linkProblem }: Told, partsOf = badParts): void {
  const found = partsOf(link.read(), tracks)
  if (found.length === 0) return
  linkProblem.value = found.map(([sentence]) => sentence).join(' ')
  link.adjust(Object.fromEntries(found.flatMap(([, changes]) => Object.entries(changes))))
}

/** Pure. */
export function badParts(place: Place, tracks: TimelineTracks): Bad {
  return [
    ...badWindow(place, tracks),
    ...badArea(place, tracks),
    ...badMarks(place),
    ...badTrack(place, tracks),
    ...badWays(place),
    ...badBelow(place, tracks),
  ]
}

/** Of what a second timeline has for itself: window, area and marks are the first one's. */
export function badBelow(place: Place, tracks: TimelineTracks): Bad {
  return [...badRow(place, tracks), ...badLists(place, tracks)]
}

function badWindow(place: Place, { start_ns: start, end_ns: end }: TimelineTracks): Bad {
  const [t0, t1] = [place['timeline.t0_ns'], place['timeline.t1_ns']]
  const { window } = readPlace(place)
  if (t0 === undefined && t1 === undefined) return []
  // Beside another timeline it shows what is there, also where that is nothing of its own.
  const isOutside = window !== undefined && (window[1] < start || window[0] > end) && !('beside.lower' in place)
  if (window !== undefined && !isOutside) return []
  const none = { 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined }
  if (t0 === undefined) return [[`The link’s window has an end, ${quoted(t1 ?? '')}, but no start.`, none]]
  if (t1 === undefined) return [[`The link’s window has a start, ${quoted(t0)}, but no end.`, none]]
  const why = isOutside ? 'lies outside of what was recorded' : 'is no stretch of time'
  return [[`The link’s window, ${quoted(`${t0} to ${t1}`)}, ${why}.`, none]]
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
  return [[noTrack(missing, 'the link’s area leaves it out'), areaChanges(area)]]
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
  return [[noTrack([asked]), {}]]
}

function badRow(place: Place, { n_events: n }: TimelineTracks): Bad {
  const asked = place['timeline.row']
  const { row } = readPlace(place)
  if (asked === undefined || (row !== undefined && row < n)) return []
  return [[`This profile has no event ${quoted(asked)}.`, { 'timeline.row': undefined }]]
}

/** Tracks that are pinned, hidden, opened or moved: `4,g1,7:30`. */
function badLists(place: Place, { groups, tracks }: TimelineTracks): Bad {
  const isThere = (part: string): boolean => {
    const [, sort = '', digits] = /^([gt]?)(\d+)(:\d+)?$/.exec(part) ?? []
    return sort === 'g' ? Number(digits) < groups.length : tracks.some(({ id }) => id === Number(digits))
  }
  return LISTS.flatMap((key) => {
    const parts = (place[key] ?? 'none').split(',').filter((part) => part !== '' && part !== 'none')
    const missing = parts.filter((part) => !isThere(part))
    if (missing.length === 0) return []
    const left = parts.filter(isThere)
    return [[noTrack(missing, `${key} leaves it out`), { [key]: left.join(',') || undefined }]]
  })
}

/** How an area is summed up. */
function badWays(place: Place): Bad {
  return Object.entries(WAYS).flatMap(([key, options]) => {
    const asked = place[key]
    if (asked === undefined || options.some(({ id }) => id === asked)) return []
    return [[`There is no ${key} ${quoted(asked)}.`, { [key]: undefined }]]
  })
}

function noTrack(missing: readonly string[], so?: string): string {
  return `This profile has no track ${quoted(missing.join(', '))}${so === undefined ? '' : `: ${so}`}.`
}

function quoted(text: string): string {
  return `“${cutMiddle(text, CHARACTERS)}”`
}
