/** From collective to collective of ranks side by side: arrows, and along a rank the keys of the timeline of one. */
import type { RankLanes } from '../../wire/wire'
import type { Stretch } from './lanes_picture'

/** What an arrow does: so many collectives on in the lane, or the one of the next lane that lies nearest. */
export const ARROWS: Readonly<Record<string, { readonly along: number; readonly across: number }>> = {
  ArrowLeft: { along: -1, across: 0 },
  ArrowRight: { along: 1, across: 0 },
  ArrowUp: { along: 0, across: -1 },
  ArrowDown: { along: 0, across: 1 },
  Comma: { along: -1, across: 0 },
  Period: { along: 1, across: 0 },
}

/** The place of the member that the arrow leads to; of none kept the first that is seen. -1: there is no other. */
export function memberBy(key: string, { members, lanes }: RankLanes, kept: number, seen: Stretch): number {
  const arrow = ARROWS[key]
  if (arrow === undefined) return -1
  const inOrder = members.lane.map((_, place) => place).sort((a, b) => startOf(a) - startOf(b))
  if (kept < 0) return inOrder.find((place) => startOf(place) >= seen.t0 && startOf(place) < seen.t1) ?? -1
  const lane = members.lane[kept] ?? 0
  if (arrow.along !== 0) {
    const own = inOrder.filter((place) => members.lane[place] === lane)
    return own[own.indexOf(kept) + arrow.along] ?? -1
  }
  for (let other = lane + arrow.across; other >= 0 && other < lanes.length; other += arrow.across) {
    const there = inOrder.filter((place) => members.lane[place] === other)
    if (there.length > 0) return there.reduce((a, b) => (farOf(b) < farOf(a) ? b : a))
  }
  return -1

  function startOf(place: number): number {
    return members.start_ns[place] ?? 0
  }
  /** Another member of the same collective is nearest. */
  function farOf(place: number): number {
    if (members.instance[place] === members.instance[kept]) return -1
    return Math.abs(startOf(place) - startOf(kept))
  }
}

/** The stretch, moved so that it holds all of this, or its beginning. */
export function holding({ t0, t1 }: Stretch, start: number, end: number): Stretch {
  const lasts = t1 - t0
  if (start >= t0 && Math.min(end, start + lasts) <= t1) return { t0, t1 }
  const begin = start < t0 ? start - lasts / 10 : Math.min(start, end - (9 * lasts) / 10)
  return { t0: begin, t1: begin + lasts }
}
