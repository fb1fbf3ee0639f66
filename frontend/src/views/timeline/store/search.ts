/** Finding events by name, and going from hit to hit. The link holds what is sought; who types looks around before moving. */
import { signal } from '@preact/signals'

import { ask } from '../../../data/ask'
import { ApiError } from '../../../data/request'
import type { Viewport } from '../../../draw/time/viewport'
import type { Profile } from '../../../wire/profile'
import type { SearchParams, TimelineSearch, TrackEvent } from '../../../wire/wire'
import { PAGE_LINK } from './link'
import type { Link } from './link'

export const PAGE = IS_REPORT ? 1e6 : 1000 // hits in a reply; a report lists them all

export interface SearchState {
  readonly reply: TimelineSearch | undefined
  /** Among all hits, or -1 before the first step. */
  readonly current: number
  readonly error: string | undefined
}

export type Sought = Pick<SearchParams, 'q' | 'regex'>

const NOTHING: SearchState = { reply: undefined, current: -1, error: undefined }

export class Search {
  readonly state = signal<SearchState>(NOTHING)
  private q = ''
  private row: number | undefined
  private isRegex = false
  private typed: string | undefined
  private isFinding = false
  /** A step asked for before the hits were here. */
  private pending: 1 | -1 | undefined
  private asked = new AbortController()

  constructor(
    private readonly profile: Profile,
    private readonly view: Viewport,
    private readonly visit: (hit: TrackEvent) => void,
    /** What is found is another; undefined when nothing is sought. */
    private readonly seek: (sought: Sought | undefined) => void,
    private readonly link: Link = PAGE_LINK,
  ) {}

  stop(): void {
    this.asked.abort()
  }

  /** What the search box says. */
  type(q: string, isRegex: boolean): void {
    this.typed = q
    this.link.adjust({ 'timeline.q': q, 'timeline.regex': isRegex ? '1' : undefined, 'timeline.seek': undefined })
  }

  /**
   * What the link says: `row` is the selected event, which is the current hit where it is one. `isSeeking`: another view asks to see
   * a hit. A link to a search alone is of who looked at all of them, where they looked.
   */
  follow(q: string, isRegex: boolean, row?: number, isSeeking = false): void {
    const isOther = row !== this.row
    this.row = row
    this.show(this.state.peek())
    if (q === this.q && isRegex === this.isRegex && (!isSeeking || this.isFinding)) {
      if (isOther && !this.isFinding) void this.locate()
      return
    }
    this.q = q
    this.isRegex = isRegex
    // A step asked for by who typed this waits for its hits; a link's own search knows of no step.
    if (q !== this.typed) this.typed = this.pending = undefined
    void this.find(isSeeking)
  }

  /** Goes to the hit after or before the current one, at first to the first one in sight. */
  async next(direction: 1 | -1): Promise<void> {
    const isComing = this.isFinding || (this.typed !== undefined && this.typed !== this.q)
    if (isComing) this.pending = direction
    const { reply, current } = this.state.value
    if (isComing || reply === undefined || reply.total === 0) return
    const isFirst = current < 0
    const after = (current + direction + reply.total) % reply.total
    const isHere = !isFirst && after >= reply.offset && after < reply.offset + reply.hits.length
    const found = isHere
      ? this.state.value
      : await this.ask(isFirst ? this.sight() : { offset: Math.floor(after / PAGE) * PAGE })
    if (found?.reply === undefined) return this.show(found ?? this.state.peek())
    const wanted = isFirst ? found.reply.first : after
    this.state.value = { ...found, current: wanted }
    const hit = found.reply.hits[wanted - found.reply.offset]
    if (hit !== undefined) this.visit(hit)
  }

  /** The page on which the selected event is, where it is a hit of another one. */
  private async locate(): Promise<void> {
    const { row } = this
    const { reply } = this.state.peek()
    if (row === undefined || reply === undefined || reply.hits.length === reply.total) return
    if (reply.hits.some((hit) => hit.row === row)) return
    const found = await this.ask({ row })
    if (found !== undefined && found.current >= 0 && row === this.row) this.show(found)
  }

  private show(state: SearchState): void {
    const { reply } = state
    const place = reply?.hits.findIndex((hit) => hit.row === this.row) ?? -1
    const current = reply === undefined || place < 0 ? state.current : place + reply.offset
    if (state !== this.state.peek() || current !== state.current) this.state.value = { ...state, current }
  }

  private async find(isSeeking: boolean): Promise<void> {
    this.isFinding = true
    this.stop()
    const found = this.q === '' ? NOTHING : await this.ask({ row: this.row, ...this.sight() })
    if (found === undefined) return // something else is sought by now, and that is being found
    this.isFinding = false
    const { reply } = found
    this.show(found)
    if (isSeeking) this.link.adjust({ 'timeline.seek': undefined })
    this.seek(reply && { q: this.q, regex: this.isRegex })
    if (reply === undefined) return
    // A window with hits in it stays. The whole trace is no window.
    const { t0, t1, start, end } = this.view
    const isThere = this.state.value.current >= 0 || (reply.n_in_window > 0 && t1 - t0 < end - start)
    const step = this.pending ?? (isSeeking && !isThere ? 1 : undefined)
    this.pending = undefined
    if (step !== undefined) await this.next(step)
  }

  /** The window, as hits are sought in it. */
  private sight(): Partial<SearchParams> {
    return { t0_ns: Math.floor(this.view.t0), t1_ns: Math.ceil(this.view.t1) }
  }

  /** One page of hits, or why there is none; undefined when something else is sought by now. */
  private async ask(where: Partial<SearchParams>): Promise<SearchState | undefined> {
    this.asked.abort()
    this.asked = new AbortController()
    const { signal: stop } = this.asked
    const params = { q: this.q, regex: this.isRegex, limit: PAGE, ...where }
    try {
      const reply = await ask('view/timeline/search', this.profile, params, { signal: stop })
      if (stop.aborted) return undefined // who cannot be stopped, as a report, still answers
      return { ...NOTHING, reply, current: reply.place ?? -1 }
    } catch (error) {
      if (stop.aborted) return undefined
      const reason = error instanceof ApiError ? error.message : 'The server does not answer.'
      return { ...NOTHING, error: reason }
    }
  }
}
