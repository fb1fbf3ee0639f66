/** Why a lane is empty: nothing ran there, or nothing was recorded. Pure. */
import type { RankLanes } from '../../../wire/wire'

type Why = RankLanes['lanes'][number]['computing']

/** A stretch of a lane without computing and collectives, ns since the step's start. */
export interface Gap {
  readonly lane: number
  readonly start: number
  readonly end: number
  readonly why: Why
}

/** Of each lane, from left to right. A collective that waits is something; where some are left out nobody knows that nothing ran. */
export function gapsOf({
  lanes,
  computing,
  members,
  length_ns: length,
  n_left_out: nLeftOut,
}: RankLanes): readonly Gap[] {
  return lanes.flatMap(({ from_ns, to_ns, computing: why }, lane) => {
    const [from, to] = [Math.max(from_ns, 0), Math.min(to_ns, length)]
    const found = [computing, members].flatMap((pieces) =>
      pieces.lane.flatMap((of, place) =>
        of === lane ? [[pieces.start_ns[place] ?? 0, pieces.end_ns[place] ?? 0] as const] : [],
      ),
    )
    found.sort(([a], [b]) => a - b)
    const gaps: Gap[] = []
    const add = (start: number, end: number, reason: Why): void => {
      if (end > start && !(reason === 'drawn' && nLeftOut > 0)) gaps.push({ lane, start, end, why: reason })
    }
    add(0, from, 'not recorded')
    let reached = from
    for (const [start, end] of [...found, [to, to] as const]) {
      add(reached, Math.min(start, to), why)
      reached = Math.max(reached, end)
    }
    add(Math.max(to, reached), length, 'not recorded')
    return gaps
  })
}

export function gapWords({ start, end, why }: Gap, format: (ns: number) => string): string {
  if (why === 'drawn') return `nothing ran, ${format(end - start)}`
  return why === 'not drawn' ? 'computation not drawn' : why
}
