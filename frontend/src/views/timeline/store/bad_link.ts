/** What a link says of the timeline that this profile does not have: told, never dropped in silence, and taken out of the address. */
import { cutMiddle } from '../../../base/cut'
import type { Changes, Place } from '../../../state/hash'
import type { TimelineTracks, ValueTrack } from '../../../wire/wire'
import { WAYS } from './area_ways'
import { NOT_BESIDE, profileOf } from './link'
import { areaChanges, marksChanges, readPlace, recorded } from './place'
import type { TimelineStore } from './store'

const CHARACTERS = 60 // of what somebody typed

/** Lists of tracks: what the page calls them, and of what their parts are made. */
const LISTS: readonly (readonly [key: string, words: string, part: RegExp])[] = [
  ['pinned', 'pinned tracks', /^\d+$/],
  ['hidden', 'hidden tracks', /^\d+$/],
  ['python', 'open Python rows', /^\d+$/],
  ['stacks', 'whole stacks', /^\d+$/],
  ['folded', 'folded rows', /^[gt]\d+$/],
  ['order', 'order of tracks', /^g?\d+$/],
  ['heights', 'heights of tracks', /^\d+:\d+$/],
]

/** A sentence for each, and what the address has instead. */
type Bad = readonly (readonly [sentence: string, changes: Changes])[]

type Told = Pick<TimelineStore, 'link' | 'tracks' | 'linkProblem'>

/** `before`: what was told of it already. */
export function tellBadLink({ link, tracks, linkProblem }: Told, partsOf = badParts, before?: string): void {
  const found = partsOf(link.read(), tracks)
  if (found.length === 0) return
  const sentences = [before ?? '', ...found.map(([sentence]) => sentence)]
  linkProblem.value = [...new Set(sentences)].filter(Boolean).join(' ')
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
    ...badBeside(place),
    ...badOwn(place, tracks),
  ]
}

/** Of what a second timeline has for itself: window and marks are the first one's, and where none was drawn below the area. */
export function badBelow(place: Place, tracks: TimelineTracks): Bad {
  const area = badArea({ 'timeline.area': place['beside.area'] ?? '' }, tracks)
  return [
    ...area.map(([told, left]) => [told, { 'beside.area': left['timeline.area'] }] as const),
    ...badOwn(place, tracks),
  ]
}

function badOwn(place: Place, tracks: TimelineTracks): Bad {
  return [...badRow(place, tracks), ...badLists(place, tracks), ...badColours(place, tracks)]
}

function badWindow(place: Place, { start_ns: start, end_ns: end }: TimelineTracks): Bad {
  const [t0, t1] = [place['timeline.t0_ns'], place['timeline.t1_ns']]
  const { window } = readPlace(place)
  if (t0 === undefined && t1 === undefined) return []
  // Beside another timeline it shows what is there, also where that is nothing of its own.
  const isOutside = window !== undefined && (window[1] < start || window[0] > end) && !('beside.lower' in place)
  if (window !== undefined && !isOutside) return []
  const none = { 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined }
  const why = isOutside ? 'lies outside of what was recorded' : 'is no stretch of time'
  return [[`The link’s window, ${quoted(`${t0 ?? '?'} to ${t1 ?? '?'}`)}, ${why}.`, none]]
}

function badArea(place: Place, tracks: TimelineTracks): Bad {
  const text = place['timeline.area'] ?? ''
  if (text === '') return []
  const given = readPlace(place).area
  const area = recorded(given, tracks)
  const asked = text.split(':')[1]?.split(',') ?? []
  const missing = asked.filter((id) => !tracks.tracks.some((track) => track.id === Number(id)))
  // The stretch may be right where no track is.
  const stretch = area ?? recorded(given, { ...tracks, tracks: asked.map((id) => ({ id: Number(id) })) })
  if (stretch === undefined)
    return [[`The link’s area, ${quoted(text)}, is no stretch of time on tracks of this profile.`, areaChanges(area)]]
  if (missing.length === 0) return []
  return [[noTrack(missing, 'area'), areaChanges(area)]]
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

/** Tracks that are pinned, hidden, opened or moved: `4,g1`. A height is one of a track: `7:30`. */
function badLists(place: Place, { groups, tracks }: TimelineTracks): Bad {
  const isThere = (part: string): boolean => {
    const id = parseInt(part.replace(/^[gt]/, ''))
    return part.startsWith('g') ? id < groups.length : tracks.some((track) => track.id === id)
  }
  return LISTS.flatMap(([name, words, form]) => {
    const key = `timeline.${name}`
    const parts = listOf(place, key)
    const left = parts.filter((part) => form.test(part) && isThere(part))
    const missing = parts.filter((part) => !isThere(part))
    const odd = parts.filter((part) => isThere(part) && !left.includes(part))
    return [
      ...told(missing, noTrack(missing, words), key, left),
      ...told(odd, `The link’s ${words} cannot be ${quoted(odd.join(', '))}.`, key, left),
    ]
  })
}

function badColours(place: Place, { paints, tracks }: TimelineTracks): Bad {
  const known = ['marks', ...paints, ...tracks.flatMap(({ parts }) => parts.map(({ kind }) => kind))]
  return badIds(place, 'timeline.off', known, 'colour')
}

/**
 * How two timelines lie; a step that one does not have its list tells. Without a step this profile would lie below itself, and
 * where the link means another profile none of this one's lies there in its place. One that is not there its timeline tells.
 */
function badBeside(place: Place): Bad {
  const named = place['beside.profile']
  if (named !== undefined && profileOf(named) === undefined)
    return [[`There is no profile ${quoted(named)} to lie beside this one.`, NOT_BESIDE]]
  return ['beside.upper', 'beside.lower'].flatMap((key) => {
    const asked = place[key] ?? 'begin'
    if (/^(begin|clock|@?\d+)$/.test(asked)) return []
    const isNone = key === 'beside.lower' && !('beside.profile' in place)
    return [[`There is no step ${quoted(asked)}.`, isNone ? NOT_BESIDE : { [key]: 'begin' }] as const]
  })
}

/** Known once they have come. */
export function badValues(place: Place, values: readonly Pick<ValueTrack, 'id'>[]): Bad {
  return badIds(
    place,
    'timeline.values',
    values.map(({ id }) => id),
    'row of values',
  )
}

function badIds(place: Place, key: string, known: readonly string[], what: string): Bad {
  const parts = listOf(place, key)
  const odd = parts.filter((part) => !known.includes(part))
  const left = parts.filter((part) => known.includes(part))
  return told(odd, `There is no ${what} ${quoted(odd.join(', '))}.`, key, left)
}

function listOf(place: Place, key: string): readonly string[] {
  return (place[key] ?? 'none').split(',').filter((part) => part !== '' && part !== 'none')
}

function told(bad: readonly string[], sentence: string, key: string, left: readonly string[]): Bad {
  return bad.length === 0 ? [] : [[sentence, { [key]: left.join(',') || undefined }]]
}

/** How an area is summed up. */
function badWays(place: Place): Bad {
  return Object.entries(WAYS).flatMap(([key, options]) => {
    const asked = place[key]
    if (asked === undefined || options.some(({ id }) => id === asked)) return []
    return [[`An area cannot be summed up by ${quoted(asked)}.`, { [key]: undefined }]]
  })
}

function noTrack(missing: readonly string[], of?: string): string {
  return `This profile has no track ${quoted(missing.join(', '))}${of === undefined ? '' : ` of the link’s ${of}`}.`
}

function quoted(text: string): string {
  return `“${cutMiddle(text, CHARACTERS)}”`
}
