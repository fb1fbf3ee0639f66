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

  begin(width: number): void {
    this.tops.length = this.heights.length = 0
    this.width = Math.ceil(width)
    if (this.pixels.length < this.width * ROWS) this.pixels = new Uint32Array(this.width * ROWS)
  }

  /** The columns of a lane, empty; to be filled, of `Palette.pixels`, before the next one is asked for. */
  row(top: number, height: number): Uint32Array {
    const { width } = this
    const first = this.tops.length * width
    if (first + width > this.pixels.length) {
      const more = new Uint32Array(this.pixels.length * 2)
      more.set(this.pixels)
      this.pixels = more
    }
    this.tops.push(top)
    this.heights.push(height)
    return this.pixels.subarray(first, first + width).fill(0)
  }

  draw(onto: Pen): void {
    const { context, width, tops } = this
    if (context === null || tops.length === 0 || width === 0) return
    const { canvas } = context
    if (canvas.width < width) canvas.width = width // also the same width would empty it
    if (canvas.height < tops.length) canvas.height = tops.length
    const bytes = new Uint8ClampedArray(this.pixels.buffer, 0, 4 * width * tops.length)
    context.putImageData(new ImageData(bytes, width, tops.length), 0, 0)
    onto.imageSmoothingEnabled = false
    tops.forEach((top, row) => onto.drawImage(canvas, 0, row, width, 1, 0, top, width, this.heights[row] ?? 0))
  }
}
