/** The link's part of the timeline: keys of the place as values, and back. Pure. */
import type { Arrangement } from '../../../draw/blocks/lane_layout'
import type { Changes, Place } from '../../../state/hash'
import type { TimelineTracks, TrackRow } from '../../../wire/wire'

export interface TimelinePlace {
  readonly window: readonly [number, number] | undefined
  readonly row: number | undefined
  readonly q: string
  readonly isRegex: boolean
  readonly arrangement: LinkedArrangement
  readonly marks: readonly Mark[]
  readonly area: Area | undefined
}

/** What is folded, off, pinned; undefined is folded as at first. */
export type LinkedArrangement = Omit<Arrangement, 'folded'> & { readonly folded: ReadonlySet<string> | undefined }

/** A stretch of time worth finding again, and what one calls it. */
export interface Mark {
  readonly t0: number
  readonly t1: number
  readonly name: string
}

/** A stretch of time on some tracks. */
export interface Area {
  readonly t0: number
  readonly t1: number
  readonly tracks: readonly number[]
}

export function readPlace(place: Place): TimelinePlace {
  const row = number(place['timeline.row'])
  return {
    window: range(place['timeline.t0_ns'], place['timeline.t1_ns']),
    row: Number.isInteger(row) && Number(row) >= 0 ? row : undefined,
    q: place['timeline.q'] ?? '',
    isRegex: place['timeline.regex'] === '1',
    arrangement: arrangementOf(place),
    marks: (place['timeline.mark'] ?? '').split(';').flatMap(marksOf),
    area: areaOf(place['timeline.area']),
  }
}

export function windowChanges(t0: number, t1: number): Changes {
  return {
    'timeline.t0_ns': String(Math.round(t0)),
    'timeline.t1_ns': String(Math.max(Math.round(t1), Math.round(t0) + 1)),
  }
}

/** Only what is given changes. */
export function arrangementChanges(given: Partial<Arrangement>): Changes {
  const { folded, pinned, order, heights } = given
  const sets = (['off', 'python', 'stacks', 'hidden'] as const).flatMap((key) => {
    const set: ReadonlySet<string | number> | undefined = given[key]
    return set === undefined ? [] : [[`timeline.${key}`, [...set].sort().join(',')] as const]
  })
  return {
    ...Object.fromEntries(sets),
    ...(folded === undefined ? {} : { 'timeline.folded': folded.size === 0 ? 'none' : [...folded].sort().join(',') }),
    ...(pinned === undefined ? {} : { 'timeline.pinned': pinned.join(',') }),
    ...(order === undefined ? {} : { 'timeline.order': order.join(',') }),
    ...(heights === undefined
      ? {}
      : { 'timeline.heights': [...heights].map(([id, px]) => `${id}:${Math.round(px)}`).join(',') }),
  }
}

/** Takes back that these are hidden, and that rows of theirs are off. */
export function shownChanges({ hidden, off }: Arrangement, tracks: readonly TrackRow[]): Changes {
  const kinds = tracks.flatMap(({ parts, marks }) => [...parts.map(({ kind }) => kind), ...(marks ? ['marks'] : [])])
  return arrangementChanges({
    hidden: new Set([...hidden].filter((id) => tracks.every((track) => track.id !== id))),
    off: new Set([...off].filter((kind) => !kinds.includes(kind))),
  })
}

function arrangementOf(place: Place): LinkedArrangement {
  const folded = place['timeline.folded']
  return {
    folded: folded === undefined ? undefined : new Set(folded.split(',').filter((key) => /^[gt]\d+$/.test(key))),
    off: new Set((place['timeline.off'] ?? '').split(',').filter((kind) => kind !== '')),
    python: new Set(ids(place['timeline.python'])),
    stacks: new Set(ids(place['timeline.stacks'])),
    pinned: [...new Set(ids(place['timeline.pinned']))],
    order: [...new Set((place['timeline.order'] ?? '').split(',').filter((key) => /^g?\d+$/.test(key)))],
    heights: heightsOf(place['timeline.heights']),
    hidden: new Set(ids(place['timeline.hidden'])),
  }
}

/** `4:30` is a track with lanes of 30 px. */
function heightsOf(list = ''): ReadonlyMap<number, number> {
  const found = [...list.matchAll(/(\d+):(\d+)/g)].map(([, id, px]) => [Number(id), heightWithin(Number(px))] as const)
  return new Map(found)
}

/** Lower ones cannot be pointed at, higher ones hide all else. */
export function heightWithin(px: number): number {
  return Math.min(Math.max(px, 4), 60)
}

function ids(list = ''): number[] {
  return list.split(',').flatMap((part) => (/^\d+$/.test(part) ? [Number(part)] : []))
}

/** `12,100:slow;300,310` is 12 to 100 ns, called slow, and 300 to 310 ns. In a name only what would be read as its end is escaped. */
export function marksChanges(marks: readonly Mark[]): Changes {
  const texts = marks.map(({ t0, t1, name }) => {
    const words = name === '' ? '' : `:${name.replace(/[%;]/g, encodeURIComponent)}`
    return `${Math.round(t0)},${Math.round(t1)}${words}`
  })
  return { 'timeline.mark': texts.join(';') }
}

function marksOf(text: string): readonly Mark[] {
  const [times = '', ...name] = text.split(':')
  const found = range(...(times.split(',', 2) as [string?, string?]))
  return found === undefined ? [] : [{ t0: found[0], t1: found[1], name: plain(name.join(':')) }]
}

function plain(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded // a stray % typed by hand
  }
}

/** `12,100:0,4` is 12 to 100 ns on the tracks 0 and 4. */
export function areaChanges(area: Area | undefined): Changes {
  const text = area === undefined ? undefined : `${Math.round(area.t0)},${Math.round(area.t1)}:${area.tracks.join(',')}`
  return { 'timeline.area': text }
}

interface Recorded extends Pick<TimelineTracks, 'start_ns' | 'end_ns'> {
  readonly tracks: readonly { readonly id: number }[]
}

/** As much of it as was recorded: a link may say anything. */
export function recorded(area: Area | undefined, { start_ns: start, end_ns: end, tracks }: Recorded): Area | undefined {
  if (area === undefined) return undefined
  const t0 = Math.max(area.t0, start)
  const t1 = Math.min(area.t1, end)
  const ids = area.tracks.filter((id) => tracks.some((track) => track.id === id))
  return t0 < t1 && ids.length > 0 ? { t0, t1, tracks: ids } : undefined
}

function areaOf(text: string | undefined): Area | undefined {
  const [times = '', list = ''] = (text ?? '').split(':', 2)
  const found = range(...(times.split(',', 2) as [string?, string?]))
  const tracks = [...new Set(ids(list))]
  return found === undefined || tracks.length === 0 ? undefined : { t0: found[0], t1: found[1], tracks }
}

function range(a: string | undefined, b: string | undefined): readonly [number, number] | undefined {
  const t0 = number(a)
  const t1 = number(b)
  return t0 === undefined || t1 === undefined || t1 <= t0 ? undefined : [t0, t1]
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
