/** Over the picture of ranks side by side, as over the timeline of one rank: what a wheel, a button or a key shows of it. */
import { adjust, at, go } from '../../../state/place'
import type { RankLanes } from '../../../wire/wire'
import { marksOf, toggled } from './lanes_marks'
import type { Layout, Stretch } from './lanes_picture'
import { EVERYTHING, UNPINNED, stretched } from '../rank_links'

export const ZOOM = 1.25
export const PAN = 0.15
const LEAST_NS = 1000

/** What the link says, else all. */
export function seenOf({ length_ns: length }: RankLanes): Stretch {
  const [t0, t1] = [Number(at('ranks.t0_ns') ?? 0), Number(at('ranks.t1_ns') ?? length)]
  return t1 > t0 ? { t0, t1 } : { t0: 0, t1: length }
}

/** The member that the link names by its worker and its row there; -1. */
export function pinnedOf({ lanes, members }: RankLanes): number {
  const [worker, row] = [at('ranks.worker'), at('ranks.row')]
  if (row === undefined) return -1
  const lane = lanes.findIndex((each) => each.worker === worker)
  return members.row.findIndex((each, place) => String(each) === row && members.lane[place] === lane)
}

export function look({ length_ns: length }: RankLanes, t0: number, t1: number): void {
  const lasts = Math.min(Math.max(t1 - t0, LEAST_NS), length)
  const begin = Math.min(Math.max(t0, 0), length - lasts)
  adjust(lasts >= length ? EVERYTHING : stretched(begin, begin + lasts))
}

/** Around a place of the window, 0 to 1. */
export function zoom(reply: RankLanes, { t0, t1 }: Stretch, factor: number, around = 0.5): void {
  const still = t0 + around * (t1 - t0)
  look(reply, still - (still - t0) * factor, still + (t1 - still) * factor)
}

export function moved({ t0, t1 }: Stretch, part: number): [number, number] {
  return [t0 + part * (t1 - t0), t1 + part * (t1 - t0)]
}

/** All members of the collective that is kept, as they are drawn, else all marks, with a third of it on either side. */
export function fit(reply: RankLanes, layout: Layout): void {
  const { members } = reply
  const kept = pinnedOf(reply)
  if (kept < 0) return fitAll(reply, marksOf(reply, layout).here)
  const ahead = (place: number): number => layout.shift[members.lane[place] ?? 0] ?? 0
  const all = members.lane.flatMap((_, place) => (members.instance[place] === members.instance[kept] ? [place] : []))
  return fitAll(
    reply,
    all.map((place) => ({
      t0: (members.start_ns[place] ?? 0) + ahead(place),
      t1: (members.end_ns[place] ?? 0) + ahead(place),
    })),
  )
}

export function fitAll(reply: RankLanes, stretches: readonly Stretch[]): void {
  if (stretches.length === 0) return
  const from = Math.min(...stretches.map(({ t0 }) => t0))
  const to = Math.max(...stretches.map(({ t1 }) => t1))
  look(reply, from - (to - from) / 3, to + (to - from) / 3)
}

/** Marks the collective of a rank that is kept, or takes its mark away. */
export function mark(reply: RankLanes): void {
  const kept = pinnedOf(reply)
  if (kept >= 0) go(toggled(reply, kept))
}

/** The step before or after; of all that was recorded the first. */
function goToStep({ step, steps }: RankLanes, by: 1 | -1): void {
  const next = steps[step === null ? (by === 1 ? 0 : -1) : steps.indexOf(step) + by]
  if (next !== undefined) go({ 'ranks.step': String(next), ...EVERYTHING, ...UNPINNED })
}

export const KEYS: Readonly<Record<string, (reply: RankLanes, seen: Stretch, layout: Layout) => void>> = {
  KeyW: (reply, seen) => zoom(reply, seen, 1 / ZOOM),
  KeyS: (reply, seen) => zoom(reply, seen, ZOOM),
  KeyA: (reply, seen) => look(reply, ...moved(seen, -PAN)),
  KeyD: (reply, seen) => look(reply, ...moved(seen, PAN)),
  KeyF: (reply, _, layout) => fit(reply, layout),
  KeyM: (reply) => mark(reply),
  BracketLeft: (reply) => goToStep(reply, -1),
  BracketRight: (reply) => goToStep(reply, 1),
  Digit0: () => adjust(EVERYTHING),
  Numpad0: () => adjust(EVERYTHING),
  Escape: () => go(UNPINNED),
}
