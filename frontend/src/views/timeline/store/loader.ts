/** Fetches windows of blocks. Asks for more than is seen, drops what is no longer wanted, and always has something to paint. */
import { busy } from '../../../data/busy'
import { isRefusal, sentence } from '../../../data/reply'
import { UnreachableError, poll } from '../../../data/request'
import { decodeBlocks, someOf } from '../../../draw/blocks/blocks'
import type { Blocks, StripRow } from '../../../draw/blocks/blocks'
import { nearestEdge } from '../../../draw/blocks/edges'
import type { Edge } from '../../../draw/blocks/edges'
import type { Viewport } from '../../../draw/time/viewport'
import type { Filters } from '../../../state/filters'
import type { Profile } from '../../../wire/profile'
import type { WindowParams } from '../../../wire/wire'
import { patternOf } from './pattern'
import type { Sought } from './search'

const KEPT = 32
const MOST_TIMES = 1 << 12
const MOST_PX = 6000
const GIVE_UP_MS = 120 // a question younger than this may finish although the view has moved on
const RETRY_MS = 2000
const EXACT_MS = 3000 // nobody waits longer for nanoseconds
const FINE_PX = 500 // across two units of a picture: the next one is two thousand times as fine

interface Window {
  readonly t0: number
  readonly t1: number
  readonly widthPx: number
  /** ns per pixel that was asked for, a power of two; the server may merge further, and is then asked for less at once. */
  readonly resolution: number
  /** undefined: all. */
  readonly tracks: readonly number[] | undefined
  /** Little more than what is seen. */
  readonly isNarrow?: boolean
}

interface Kept {
  readonly window: Window
  readonly blocks: Blocks
}

/** How much too long a question about one resolution was, the last time: a power of two. */
interface Merged {
  readonly resolution: number
  readonly times: number
}

export class Loader {
  private kept: readonly Kept[] = []
  private whole: Kept | undefined
  private open: { readonly window: Window; readonly stop: AbortController; readonly since: number } | undefined
  private notBefore = 0
  private merged: Merged = { resolution: 0, times: 1 }
  /** What the server does not take, and why: it would not the next time. */
  refused: { readonly window: Window; readonly reason: string } | undefined

  constructor(
    private readonly profile: Profile,
    private readonly arrived: (blocks: Blocks) => void,
    private readonly failed: (reason: string) => void,
    private readonly again: () => void,
    /** Only events that these keep. */
    readonly filters: Filters | Sought = {},
    /** Of events that were seen, by id. */
    readonly names = new Map<number, string>(),
  ) {}

  stop(): void {
    this.open?.stop.abort()
    this.open = undefined
  }

  /** The finest blocks of a track that cover the view; else whatever there is of it. */
  blocksFor(track: number, view: Viewport): Blocks | undefined {
    let best: Blocks | undefined
    for (const { blocks } of this.kept) {
      if (!blocks.trackLane.has(track) || !covers(blocks, view)) continue
      if (best === undefined || blocks.bucketNs < best.bucketNs) best = blocks
    }
    return best ?? this.whole?.blocks
  }

  all(): readonly Blocks[] {
    return this.whole === undefined ? [] : [this.whole.blocks, ...this.kept.map((each) => each.blocks)]
  }

  /** The strip of what is kept, once that is there. */
  get strip(): readonly StripRow[] | undefined {
    return this.whole?.blocks.density
  }

  /** Sees to it that these tracks can be painted sharply. Cheap when they can: called after every frame. */
  want(view: Viewport, tracks: readonly number[], devicePixelRatio: number): void {
    if (performance.now() < this.notBefore) return
    const window = this.next(view, tracks, devicePixelRatio)
    if (window === undefined) return
    if (this.open !== undefined) {
      if (satisfies(this.open.window, window, view)) return
      if (performance.now() - this.open.since < GIVE_UP_MS || this.whole === undefined) return
      this.open.stop.abort()
    }
    void this.ask(window)
  }

  /** What to ask for next: of the tracks that cannot be painted sharply as many as one reply may hold. undefined: nothing. */
  private next(view: Viewport, tracks: readonly number[], devicePixelRatio: number): Window | undefined {
    if (this.whole === undefined) {
      const window = wholeWindow(view, devicePixelRatio)
      return this.refused !== undefined && satisfies(this.refused.window, window, view) ? undefined : window
    }
    const resolution = Math.max(powerAbove(view.nsPerPx / devicePixelRatio), 1)
    if (this.whole.blocks.bucketNs <= resolution) return undefined
    const times = this.merged.resolution === resolution ? this.merged.times : 1
    const [all, narrow] = [around(view, tracks, resolution, false), around(view, tracks, resolution, true)]
    const wanted = times > 1 ? narrow : all
    const known = [...(this.refused === undefined ? [] : [this.refused.window]), ...this.kept.map(sharpOf)]
    const missing = tracks.filter(
      (track) => !known.some((have) => satisfies(have, { ...wanted, tracks: [track] }, view)),
    )
    if (missing.length === 0) return undefined
    const most = Math.max(Math.floor((tracks.length * all.widthPx) / (wanted.widthPx * times)), 1)
    return { ...wanted, tracks: missing.slice(0, most) }
  }

  /** An edge of the picture to the nanosecond: those of a picture are rounded outwards to its unit. As it is where nobody answers. */
  async exact(track: number, lane: number, edge: Edge, unitNs: number): Promise<number> {
    // Edges are rounded down; an end is not where its event is shorter than a unit.
    const sides = edge.isEnd ? [0.5, -0.5] : [0.5]
    try {
      for (let unit = unitNs; unit > 1;) {
        const [t0, t1] = [edge.t - unit, edge.t + unit]
        const fine = await this.fetch({ t0, t1, widthPx: FINE_PX, tracks: [track] }, AbortSignal.timeout(EXACT_MS))
        const first = fine.trackLane.get(track) ?? 0
        const { t, isEnd } = edge
        const near = (side: number) => nearestEdge(fine, first + lane, t + side * unit, unit / 2, [isEnd])
        const found = sides.map(near).find((each) => each !== undefined)
        if (found === undefined || fine.unitNs >= unit) break
        edge = found
        unit = fine.unitNs
      }
    } catch {
      // The server is gone, or this is a report.
    }
    return edge.t
  }

  /** The row of the first event in a stretch of a lane where several are merged: looked at ever nearer. undefined: nobody answers. */
  async firstMerged(track: number, lane: number, t0: number, t1: number): Promise<number | undefined> {
    let row: number | undefined
    try {
      for (let isMerged = true; isMerged;) {
        const signal = AbortSignal.timeout(EXACT_MS)
        const fine = await this.fetch({ t0, t1: Math.max(t1, t0 + 1), widthPx: FINE_PX, tracks: [track] }, signal)
        const time = (units: number | undefined): number => fine.t0 + (units ?? 0) * fine.unitNs
        const own = (fine.trackLane.get(track) ?? 0) + lane
        const end = fine.laneFirst[own + 1] ?? 0
        let at = fine.laneFirst[own] ?? 0
        while (at < end && fine.count[at] === 1 && time(fine.start[at]) < t0) at++ // it began before
        if (at >= end) break
        row = fine.row[at]
        const last = Math.min(time(fine.end[at]), t1)
        isMerged = fine.count[at] !== 1 && last - Math.max(time(fine.start[at]), t0) < t1 - t0
        t0 = Math.max(time(fine.start[at]), t0)
        t1 = last
      }
    } catch {
      // The server is gone, or this is a report.
    }
    return row
  }

  private async fetch(window: Omit<Window, 'resolution'>, signal: AbortSignal): Promise<Blocks> {
    const params: WindowParams = {
      t0_ns: Math.round(window.t0),
      t1_ns: Math.round(window.t1),
      width_px: window.widthPx,
      tracks: window.tracks?.join(','),
    }
    const { q, regex } = { q: '', regex: false, ...this.filters }
    // A report has no pictures of hits alone: of what it draws those that bear such a name are kept here.
    const isHere = IS_REPORT && q !== ''
    const buffer = await poll(
      'view/timeline/window',
      { ...this.profile, ...params, ...this.filters, ...(isHere && { q: undefined, regex: undefined }) },
      (response) => response.arrayBuffer(),
      { signal },
    )
    const blocks = decodeBlocks(buffer)
    if (!isHere) return blocks
    const pattern = patternOf(q, regex === true)
    return someOf(blocks, (at) => pattern.test(blocks.names[blocks.nameId[at] as number] ?? ''))
  }

  private async ask(window: Window): Promise<void> {
    const stop = new AbortController()
    const mine = { window, stop, since: performance.now() }
    this.open = mine
    const done = busy()
    const close = (): void => {
      done()
      if (this.open === mine) this.open = undefined
    }
    try {
      const blocks = await this.fetch(window, stop.signal)
      close() // before it is painted: what is merged is asked for again then
      this.keep(window, blocks)
    } catch (error) {
      close()
      if (!stop.signal.aborted) this.fail(window, error)
    }
  }

  private noteMerged({ resolution }: Window, { bucketNs }: Blocks): void {
    const before = this.merged.resolution === resolution ? this.merged.times : 1
    const times = bucketNs > resolution ? Math.min((before * bucketNs) / resolution, MOST_TIMES) : before
    this.merged = { resolution, times }
  }

  private fail(window: Window, error: unknown): void {
    const reason = sentence(error)
    if (isRefusal(error)) this.refused = { window, reason }
    else {
      this.notBefore = performance.now() + RETRY_MS
      setTimeout(this.again, RETRY_MS + 1)
    }
    // A server that is gone is said by the frame's banner.
    if (!(error instanceof UnreachableError)) this.failed(reason)
  }

  private keep(window: Window, blocks: Blocks): void {
    this.refused = undefined
    for (const [id, name] of Object.entries(blocks.names)) this.names.set(Number(id), name)
    if (this.whole === undefined) this.whole = { window, blocks }
    else {
      this.kept = [{ window, blocks }, ...this.kept].slice(0, KEPT)
      this.noteMerged(window, blocks)
    }
    this.arrived(blocks)
  }
}

/** The window with the resolution that came. Of one track in one screen there is no less to ask for, and a report has what it has. */
function sharpOf({ window, blocks }: Kept): Window {
  const isLeast = window.isNarrow === true && window.tracks?.length === 1
  const isCarried = blocks.t0 !== Math.round(window.t0) || blocks.t1 !== Math.round(window.t1)
  return isLeast || isCarried ? window : { ...window, resolution: Math.max(window.resolution, blocks.bucketNs) }
}

function covers(blocks: Blocks, view: Viewport): boolean {
  return blocks.t0 <= Math.max(view.t0, view.start) && blocks.t1 >= Math.min(view.t1, view.end)
}

function satisfies(have: Window, want: Window, view: Viewport): boolean {
  // A quarter of a screen before its edge is reached the next window is asked for.
  const ahead = (view.t1 - view.t0) / 4
  return (
    have.resolution <= want.resolution &&
    have.t0 <= Math.max(view.t0 - ahead, view.start) &&
    have.t1 >= Math.min(view.t1 + ahead, view.end) &&
    (have.tracks === undefined || isSubset(want.tracks, have.tracks))
  )
}

function wholeWindow(view: Viewport, devicePixelRatio: number): Window {
  const widthPx = Math.min(Math.ceil(view.width * devicePixelRatio), MOST_PX)
  const t1 = Math.max(view.end, view.start + 1)
  return { t0: view.start, t1, widthPx, resolution: powerAbove((t1 - view.start) / widthPx), tracks: undefined }
}

/** A screen on either side, or a quarter of one, on a grid: going back and forth asks for the same windows again. */
function around(view: Viewport, tracks: readonly number[], resolution: number, isNarrow: boolean): Window {
  const span = view.t1 - view.t0
  const grid = powerAbove(span) / (isNarrow ? 16 : 4)
  const more = isNarrow ? span / 4 : span
  const t0 = Math.max(Math.floor((view.t0 - more) / grid) * grid, view.start)
  const t1 = Math.max(Math.min(Math.ceil((view.t1 + more) / grid) * grid, Math.max(view.end, view.start + 1)), t0 + 1)
  return { t0, t1, widthPx: Math.max(Math.ceil((t1 - t0) / resolution), 1), resolution, tracks, isNarrow }
}

function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(value, 1e-3)))
}

function isSubset(few: readonly number[] | undefined, many: readonly number[]): boolean {
  return few?.every((track) => many.includes(track)) ?? false
}
