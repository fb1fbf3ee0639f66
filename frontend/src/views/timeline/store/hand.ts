/** What the pointer does: what is under it, what it draws, and which track it moves. What is drawn is no signal: it changes with every frame. */
import { signal } from '@preact/signals'

import type { Hit } from '../../../draw/blocks/hit'
import type { Viewport } from '../../../draw/time/viewport'
import type { Drop } from './picture'
import type { Area } from './place'
import type { Snapped } from './snapping'

export interface Hover {
  readonly hit: Hit
  readonly x: number
  readonly y: number
}

/** A track or group that is dragged, and where it would go. */
export interface Moved {
  readonly key: string
  readonly drop?: Drop | undefined
}

/** What the next drag draws: a stretch of time to zoom to, an area to sum up, or a stretch to measure. */
export type Tool = 'range' | 'area' | 'measure'

export class Hand {
  readonly hover = signal<Hover | undefined>(undefined)
  readonly moved = signal<Moved | undefined>(undefined)
  readonly tool = signal<Tool | undefined>(undefined)
  private time: number | undefined
  private x: number | undefined
  private aim: Snapped | undefined
  private range: readonly [number, number] | undefined
  private area: Area | undefined

  /** The instant it points at, or would snap to. */
  get pointer(): number | undefined {
    return this.aim?.t ?? this.time
  }

  /** The edge of an event that what is drawn would begin or end at. */
  get edge(): Snapped | undefined {
    return this.aim
  }

  get drawnRange(): readonly [number, number] | undefined {
    return this.range
  }

  get drawnArea(): Area | undefined {
    return this.area
  }

  /** `aim`: what it would snap to, if it draws. `x`: where on the axis that is. */
  pointAt(time: number | undefined, aim?: Snapped, x?: number): void {
    this.time = time
    this.x = x
    this.aim = aim?.lane === undefined ? undefined : aim
  }

  /** The window has moved under it. */
  stay(view: Pick<Viewport, 'time'>): void {
    this.hover.value = undefined
    if (this.x !== undefined) this.pointAt(view.time(this.x), undefined, this.x)
  }

  drawRange(range: readonly [number, number]): void {
    this.range = range
  }

  drawArea(area: Area): void {
    this.area = area
  }

  /** Takes a tool, or lays it down. */
  take(tool: Tool | undefined): void {
    this.tool.value = this.tool.value === tool ? undefined : tool
  }

  /** What was drawn is done, and so is the tool that drew it. */
  finish(): void {
    if (this.area !== undefined || this.range !== undefined) this.tool.value = undefined
    this.drop()
  }

  /** What was drawn is nothing. */
  drop(): void {
    this.range = undefined
    this.area = undefined
  }
}
