/** Keys of ranks side by side, those of the timeline of one rank; arrows go from collective to collective. */
import { adjust } from '../../../state/place'
import type { RankLanes } from '../../../wire/wire'
import { KEYS, look, pinnedOf } from './lanes_moves'
import { topOf } from './lanes_picture'
import type { Layout, Stretch } from './lanes_picture'
import { keeping, timesOf } from './lanes_table'

/** Of the height, as in `lanes.css`. */
const MOST_TOLD = 0.4

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

/** As in the timeline of one rank: whatever has the focus, but for arrows and Enter, which others have a use for. */
export function press(
  event: KeyboardEvent,
  canvas: HTMLCanvasElement | null,
  reply: RankLanes,
  seen: Stretch,
  layout: Layout,
): void {
  if (canvas === null || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
  const { code } = event
  const isOver = event.target === canvas
  if (KEYS[code] !== undefined) KEYS[code](reply, seen, layout)
  else if (code in ARROWS && (isOver || !code.startsWith('Arrow'))) keepNext(code, canvas, reply, seen, layout)
  else if (code === 'Enter' && isOver)
    canvas.closest('.ranks-lanes')?.querySelector<HTMLElement>('.ranks-lanes-one')?.focus()
  else return
  event.preventDefault()
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true
  return target instanceof HTMLElement && target.matches('input, textarea, select')
}

function keepNext(code: string, canvas: HTMLCanvasElement, reply: RankLanes, seen: Stretch, layout: Layout): void {
  const place = memberBy(code, reply, pinnedOf(reply), seen)
  if (place < 0) return
  const [start, , end] = timesOf(reply, place)
  const ahead = layout.shift[reply.members.lane[place] ?? 0] ?? 0
  const { t0, t1 } = holding(seen, start + ahead, end + ahead)
  if (t0 !== seen.t0) look(reply, t0, t1)
  adjust(keeping(reply, place))
  bringToSight(canvas, topOf(layout, reply.members.lane[place] ?? 0), layout.laneHeight)
}

/** Scrolls a lane to where what is told at the foot does not lie over it. */
function bringToSight(canvas: HTMLCanvasElement, top: number, height: number): void {
  const box = canvas.closest('.ranks-lanes')
  if (box === null) return
  const above = canvas.getBoundingClientRect().top - box.getBoundingClientRect().top + top
  const room = box.clientHeight * (1 - MOST_TOLD) - height
  if (above < 0) box.scrollTop += above
  else if (above > room) box.scrollTop += above - room
}
