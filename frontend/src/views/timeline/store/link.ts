/** Where a timeline keeps what a colleague would miss: the page's link, or, for a second timeline beside the first, a part of it. */
import { adjust, go, place } from '../../../state/place'
import type { Changes, Place } from '../../../state/hash'
import type { Profile } from '../../../wire/profile'
import type { StepMark, TimelineTracks } from '../../../wire/wire'
import { stretchOf } from '../../timeline_link'
import { alike } from './alike'

const OWN = 'timeline.'
const BESIDE = 'beside.'
const AREA = 'timeline.area'
const MARK = 'timeline.mark'
const OFF = 'timeline.off'

/** What belongs to the second profile alone. */
export const ITS_OWN = { 'beside.area': undefined, 'beside.row': undefined }

export const NOT_BESIDE = {
  'beside.profile': undefined,
  'beside.upper': undefined,
  'beside.lower': undefined,
  ...ITS_OWN,
}

/** As `beside.profile` names it. */
export function keyOf({ run, worker, span }: Profile): string {
  return [run, worker, span].join('\t')
}

export function profileOf(key = ''): Profile | undefined {
  const [run, worker, span, ...more] = key.split('\t')
  if (run === undefined || worker === undefined || span === undefined || more.length > 0) return undefined
  return { run, worker, span }
}

/** A timeline's keys are its own, `timeline.t0_ns`, whatever they are called in the page's link. */
export interface Link {
  readonly read: () => Place
  /** A step the back button takes back. */
  readonly go: (changes: Changes) => void
  /** A continuous change. */
  readonly adjust: (changes: Changes) => void
}

/** The steps that lie above and below, where these are steps. */
export type StepsBeside = readonly [upper?: StepMark | undefined, lower?: StepMark | undefined]

export const PAGE_LINK: Link = { read: () => place.value, go, adjust }

/**
 * Of a second timeline, whose axis is `shift()` ns later: its row is `beside.row` in the page's link, and so on. What is sought and
 * what is marked is the page's, which colours are off too, and so is the area, on the tracks alike, until one is drawn below; filters it does not have.
 */
export function linkBeside(
  upper: TimelineTracks,
  lower: TimelineTracks,
  shift: () => number,
  steps: () => StepsBeside = () => [],
): Link {
  const outside = (changes: Changes): Changes => {
    const { [MARK]: mark, [AREA]: area, [OFF]: off, ...own } = changes
    return {
      ...renamed(own, OWN, BESIDE),
      ...renamed(own, BESIDE, BESIDE),
      ...(OFF in changes && { [OFF]: off }),
      ...(mark !== undefined && { [MARK]: later(mark, -shift()) }),
      ...(AREA in changes && {
        'beside.area': area,
        [AREA]:
          area === undefined
            ? area
            : (place.value[AREA] ?? mirrored(area, lower, upper, -shift(), [...steps()].reverse())),
      }),
    }
  }
  return {
    read: () => {
      const {
        [AREA]: area,
        [MARK]: mark,
        [OFF]: off = '',
        'timeline.q': q = '',
        'timeline.regex': regex = '',
      } = place.value
      return {
        ...(area !== undefined && { [AREA]: mirrored(area, upper, lower, shift(), steps()) }),
        ...renamed(place.value, BESIDE, OWN),
        'beside.area': place.value['beside.area'] ?? '',
        [MARK]: later(mark ?? '', shift()),
        [OFF]: off,
        'timeline.q': q,
        'timeline.regex': regex,
      }
    },
    go: (changes) => go(outside(changes)),
    adjust: (changes) => adjust(outside(changes)),
  }
}

/** The times of marks and areas, `12,100:slow;300,310`, `shift` ns later. */
function later(text: string, shift: number): string {
  return text.replace(/(^|;)(-?\d+),(-?\d+)/g, (_, before: string, t0: string, t1: string) =>
    [before + String(Number(t0) + shift), Number(t1) + shift].join(),
  )
}

/** An area over the whole of a step is over the whole of the one beside it, shorter or longer; else it is as long as it is. */
function mirrored(
  area: string,
  from: TimelineTracks,
  to: TimelineTracks,
  shift: number,
  [own, other]: readonly (StepMark | undefined)[],
): string {
  const [times = '', ids = ''] = area.split(':')
  const [t0 = 0, t1 = 0] = times.split(',').map(Number)
  const tracks = alike(from, ids.split(',').map(Number), to)
  if (own !== undefined && other !== undefined)
    for (const reach of [stretchOf, hostOf]) {
      const [[a0, a1], [b0, b1]] = [reach(own), reach(other)]
      if (t0 <= a0 && t1 >= a1) return `${t0 + b0 - a0},${t1 + b1 - a1}:${tracks.join()}`
    }
  return `${later(times, shift)}:${tracks.join()}`
}

/** As an area has it that is drawn along the step's bar. */
function hostOf({ start_ns: start, end_ns: end }: StepMark): readonly [number, number] {
  return [start, end]
}

function renamed<T>(keys: Readonly<Record<string, T>>, from: string, to: string): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, value]) =>
      key.startsWith(from) ? [[to + key.slice(from.length), value] as const] : [],
    ),
  )
}
