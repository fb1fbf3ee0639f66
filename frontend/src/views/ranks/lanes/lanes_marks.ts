/** Collectives that are marked in ranks side by side: the link names each by its row and worker, `70,w0;71,w1`. */
import type { Changes } from '../../../state/hash'
import { at } from '../../../state/place'
import type { RankLanes } from '../../../wire/wire'
import type { Layout, Stretch } from './lanes_picture'

/** As they are drawn, in the order of time; how many more the link has, which nobody can draw here. */
export interface LaneMarks {
  readonly here: readonly LaneMark[]
  readonly n_elsewhere: number
}

/** Which of these a mark is, its name does not tell. */
export const ELSEWHERE = 'of another step, of ranks that are not shown, or not in the recording'

export interface LaneMark extends Stretch {
  readonly place: number
}

function named(): readonly string[] {
  return [...new Set((at('ranks.mark') ?? '').split(';').filter(Boolean))]
}

function nameOf({ lanes, members }: RankLanes, place: number): string {
  const worker = lanes[members.lane[place] ?? -1]?.worker ?? ''
  return `${members.row[place]},${worker.replace(/[%;]/g, encodeURIComponent)}`
}

export function marksOf(reply: RankLanes, layout: Layout): LaneMarks {
  const names = new Set(named())
  const { members } = reply
  const here = members.lane.flatMap((lane, place) => {
    if (!names.has(nameOf(reply, place))) return []
    const shift = layout.shift[lane] ?? 0
    return [{ place, t0: (members.start_ns[place] ?? 0) + shift, t1: (members.end_ns[place] ?? 0) + shift }]
  })
  return { here: here.sort((a, b) => a.t0 - b.t0 || a.t1 - b.t1), n_elsewhere: names.size - here.length }
}

/** Marks a member, or takes its mark away. */
export function toggled(reply: RankLanes, place: number): Changes {
  const [names, name] = [named(), nameOf(reply, place)]
  const next = names.includes(name) ? names.filter((each) => each !== name) : [...names, name]
  return { 'ranks.mark': next.length > 0 ? next.join(';') : undefined }
}
