/** What is narrower than pixels, a row of pixels for each lane: one image per lane is drawn where there would be a rectangle per
    column, which is what a frame's time goes to. Reused from frame to frame. */
import type { Pen } from './pen'

const ROWS = 64 // at first

export class Columns {
  private readonly context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  private pixels = new Uint32Array(0)
  private width = 0
  private readonly tops: number[] = []
  private readonly heights: number[] = []
  private readonly firsts: number[] = []
  private n = 0

  begin(width: number): void {
    this.tops.length = this.heights.length = this.firsts.length = this.n = 0
    this.width = Math.ceil(width)
    if (this.pixels.length < this.width * ROWS) this.pixels = new Uint32Array(this.width * ROWS)
  }

  /** The columns of a lane, empty; to be filled, of `Palette.pixels`, before the next one is asked for. Some `rows` of them, one
      after the other, lie below each other in its height. */
  row(top: number, height: number, rows = 1): Uint32Array {
    const { width } = this
    const first = this.n * width
    const end = first + rows * width
    if (end > this.pixels.length) {
      const more = new Uint32Array(Math.max(this.pixels.length * 2, end))
      more.set(this.pixels)
      this.pixels = more
    }
    this.tops.push(top)
    this.heights.push(height)
    this.firsts.push(this.n)
    this.n += rows
    return this.pixels.subarray(first, end).fill(0)
  }

  draw(onto: Pen): void {
    const { context, width, tops, heights, firsts, n } = this
    if (context === null || tops.length === 0 || width === 0) return
    const { canvas } = context
    if (canvas.width < width) canvas.width = width // also the same width would empty it
    if (canvas.height < n) canvas.height = n
    const bytes = new Uint8ClampedArray(this.pixels.buffer, 0, 4 * width * n)
    context.putImageData(new ImageData(bytes, width, n), 0, 0)
    onto.imageSmoothingEnabled = false
    tops.forEach((top, at) => {
      const [first = 0, next = n] = [firsts[at], firsts[at + 1]]
      onto.drawImage(canvas, 0, first, width, next - first, 0, top, width, heights[at] ?? 0)
    })
  }
}
