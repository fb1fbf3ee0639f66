/** Rectangles of one frame, drawn colour after colour: changing the fill style is what costs. Reused from frame to frame. */
import type { Pen } from './pen'

const FIRST_CAPACITY = 16_384
const TEXTURED_PX = 6 // narrower ones would be all stripe or none

export class Rects {
  private x = new Float32Array(FIRST_CAPACITY)
  private y = new Float32Array(FIRST_CAPACITY)
  private width = new Float32Array(FIRST_CAPACITY)
  private height = new Float32Array(FIRST_CAPACITY)
  /** The rectangle of the same colour that was added before, or -1. */
  private before = new Int32Array(FIRST_CAPACITY)
  private last = new Int32Array(0)
  private n = 0

  begin(nColors: number): void {
    if (this.last.length !== nColors) this.last = new Int32Array(nColors)
    this.last.fill(-1)
    this.n = 0
  }

  add(color: number, x: number, y: number, width: number, height: number): void {
    if (this.n === this.x.length) this.grow()
    const i = this.n++
    this.x[i] = x
    this.y[i] = y
    this.width[i] = width
    this.height[i] = height
    this.before[i] = this.last[color] as number
    this.last[color] = i
  }

  draw(context: Pen, fills: readonly string[], textures: readonly (CanvasPattern | undefined)[] = []): void {
    for (let color = 0; color < this.last.length; color++) {
      if ((this.last[color] as number) < 0) continue
      context.fillStyle = fills[color] as string
      this.fill(context, color, 0)
      const texture = textures[color]
      if (texture === undefined) continue
      context.fillStyle = texture
      this.fill(context, color, TEXTURED_PX)
    }
  }

  private fill(context: Pen, color: number, leastPx: number): void {
    for (let i = this.last[color] as number; i >= 0; i = this.before[i] as number) {
      if ((this.width[i] as number) < leastPx) continue
      context.fillRect(this.x[i] as number, this.y[i] as number, this.width[i] as number, this.height[i] as number)
    }
  }

  private grow(): void {
    this.x = doubled(this.x)
    this.y = doubled(this.y)
    this.width = doubled(this.width)
    this.height = doubled(this.height)
    const before = new Int32Array(this.before.length * 2)
    before.set(this.before)
    this.before = before
  }
}

function doubled(column: Float32Array): Float32Array<ArrayBuffer> {
  const next = new Float32Array(column.length * 2)
  next.set(column)
  return next
}
