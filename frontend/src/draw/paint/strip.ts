/** A lane where blocks are narrower than pixels: each column shows what it is, as pale as it is empty.

    blocks    ██ █    ██ ██ a a     columns  | ██ a |  ██  |      two thirds ██ with a little a; half empty

    Of several paints each has its part of the column's height, in the order of paints: two that are nearly equal would else take
    turns from column to column where the data are alike. The height is cut into at most `BANDS`; the row itself is what most of it
    is. Where a cut lies within a band, so many columns of a hundred show it above as its part of the band is: a paint that has less
    than a band is in some columns, and neighbours together are true. Which ones moves with the events: the picture keeps still.
    Of what a filter keeps the lower edge is as strong as can be: it is told from what is left out also where it is pale.
    Nothing is left out and nothing counts twice, so what repeats in the data looks the same wherever it falls on the pixels. An
    event that is wide is a rectangle of its own; where it ends amid a column with narrow ones, the column shows its part too. */
import { SEAM, VARIANTS, mergedVariant } from './palette'
import type { Palette } from './palette'
import type { Rects } from './rects'
import type { Blocks } from '../blocks/blocks'

const LEAST = 1e-6 // of a column: what takes no time shows where nothing else does; a thousand of them add nothing

const SEAM_PX = 4 // as wide is what has a seam, of one column, where it touches the event before: busy as both
const BEFORE_ALL = -11 // of events that begin left of the picture

export const BANDS = 18
const TURN = (Math.sqrt(5) - 1) / 2 // of a circle, from column to column: any few of them lie evenly round it

const weight = new Float32Array(256) // of the paints in a column of several
const inColumn: number[] = [] // those that have one, in order
const NO_PAINT = -1
const SEVERAL = -2

/** What is added is put into fields first, and they hold all else: a fraction that is an argument, or that functions within one
    another share, is boxed anew each time, and every block of a frame has some. */
export class Strip {
  /** Where what is added begins and ends, and the share of that which it covers. */
  x0 = 0
  x1 = 0
  share = 0
  /** Other paints of a block: those of `blocks` from `other` to before `otherEnd`. */
  blocks: Pick<Blocks, 'other' | 'part' | 'otherDim'> | undefined
  other = 0
  otherEnd = 0
  /** Whether all are. */
  isDimmed = false
  /** Whether a column is cut into bands, of which there are so many. */
  hasBands = false
  nBands = 0
  /** Of the first column, among all of the time that there is. */
  place = 0
  private row: Uint32Array = new Uint32Array(0)
  private edges: Uint32Array | undefined
  private bands: Uint32Array = new Uint32Array(0)
  private rects: Rects | undefined
  private palette: Palette | undefined
  private y = 0
  private height = 0
  private column = -1 // the last one that has something
  private covered = 0 // by what comes next
  private total = 0
  private most = 0
  private main = 0
  /** The paint of the column while it has no other. */
  private only = NO_PAINT
  private allDim = true
  private edge = BEFORE_ALL // where the last wide event ends
  private tail = 0 // its paint
  private isTailDim = false

  begin(
    row: Uint32Array,
    rects: Rects,
    palette: Palette,
    y: number,
    height: number,
    bands: Uint32Array,
    edges?: Uint32Array,
  ): this {
    this.row = row
    this.bands = bands
    this.hasBands = false
    this.nBands = this.place = 0
    this.other = this.otherEnd = 0
    this.edges = edges
    this.rects = rects
    this.palette = palette
    this.y = y
    this.height = height
    this.column = -1
    this.edge = BEFORE_ALL
    this.clear()
    this.allDim = true
    return this
  }

  /** Draws the last column. */
  end(): void {
    if (this.total > 0 && this.palette !== undefined) {
      this.row[this.column] = pixelOf(this.palette, this.total, this.main, this.allDim)
      if (this.edges !== undefined) this.edges[this.column] = pixelOf(this.palette, 1, this.main, this.allDim)
      if (this.only === SEVERAL && !this.allDim) this.cut(this.palette)
    }
    this.clear()
    this.allDim = true
  }

  /** What is of other paints than the row. */
  private cut(palette: Palette): void {
    const { nBands: n, bands, row, main, total } = this
    const turned = ((this.place + this.column) * TURN) % 1
    let band = 0
    let upTo = 0
    for (let at = 0; at < inColumn.length && band < n; at++) {
      const paint = inColumn[at] as number
      upTo += weight[paint] as number
      const end = at + 1 === inColumn.length ? n : Math.min(Math.ceil((upTo / total) * n - turned), n)
      if (paint !== main && end > band) {
        if (!this.hasBands) bands.fill(0, 0, n * row.length)
        this.hasBands = true
        const pixel = pixelOf(palette, total, paint, false)
        for (; band < end; band++) bands[band * row.length + this.column] = pixel
      }
      band = Math.max(band, end)
    }
  }

  /** A block. What a search found goes before what it left out. */
  add(paint: number, isDim: boolean): void {
    const { x1, share } = this
    // Times are rounded outwards, so a block may begin a little before the last one ends: never in a column before its.
    const from = Math.max(this.x0, this.edge)
    const first = Math.max(Math.floor(from), this.column, 0)
    this.covered = Math.max((Math.min(x1, first + 1) - Math.max(from, first)) * share, LEAST)
    this.coverAll(first, paint, isDim)
    if (x1 <= first + 1) return
    const last = Math.min(Math.ceil(x1) - 1, this.row.length)
    if (this.otherEnd > this.other) {
      for (let at = first + 1; at < last; at++) {
        this.covered = Math.max(share, LEAST)
        this.coverAll(at, paint, isDim)
      }
    } else if (last > first + 1 && this.palette !== undefined) {
      this.row.fill(pixelOf(this.palette, Math.max(share, LEAST), paint, isDim), first + 1, last)
      this.edges?.fill(pixelOf(this.palette, 1, paint, isDim), first + 1, last)
    }
    this.covered = Math.max((Math.min(x1, last + 1) - last) * share, LEAST)
    if (last > first) this.coverAll(last, paint, isDim)
  }

  /** One event, wide enough for a rectangle of its own, in the shade of its name. The column where it begins is of all that is there. */
  wide(shade: number, paint: number, isDim: boolean): void {
    const { x0, x1, edge } = this
    let from = Math.max(x0, edge)
    const isShared = this.total > 0 && this.column >= Math.floor(from)
    const first = isShared ? this.column : Math.floor(from)
    const color = paint * VARIANTS + (isDim ? (this.palette?.dimmed ?? 0) : 0)
    if (isShared || (x0 > edge && first < edge)) {
      this.covered = first + 1 - Math.max(from, first)
      this.cover(first, paint, isDim)
      from = first + 1
    } else if (x0 <= edge) {
      from = first
      if (x1 - x0 > SEAM_PX) this.row[from++] = this.palette?.pixels[color + SEAM] ?? 0
    }
    this.end()
    this.rects?.add(color + shade, from, this.y, x1 - from, this.height)
    this.edge = x1
    this.tail = paint
    this.isTailDim = isDim
  }

  /** Of each of its paints as much as it has of that. */
  private coverAll(at: number, paint: number, isDim: boolean): void {
    if (this.otherEnd > this.other) this.coverOthers(at) // apart, or this were too long to be inlined, and each `at` boxed
    this.cover(at, paint, isDim)
  }

  /** What is left is of its main paint. */
  private coverOthers(at: number): void {
    const { covered, blocks, isDimmed, otherEnd } = this
    if (blocks === undefined) return
    let main = 255
    for (let i = this.other; i < otherEnd; i++) {
      const part = blocks.part[i] as number
      this.covered = (covered * part) / 255
      this.cover(at, blocks.other[i] as number, isDimmed || blocks.otherDim[i] === 1)
      main -= part
    }
    this.covered = (covered * main) / 255
  }

  /** `covered` of the column `at`. */
  private cover(at: number, paint: number, isDim: boolean): void {
    if (at !== this.column) {
      this.end()
      this.column = at
      if (at < this.edge) this.coverTail(at)
    }
    if (isDim !== this.allDim) {
      if (isDim) return
      this.clear()
      this.allDim = false
    }
    this.total += this.covered
    if (paint === this.only) return
    if (this.only === NO_PAINT) this.only = this.main = paint
    else this.weigh(paint)
  }

  /** The part that the last wide event has of a column. */
  private coverTail(at: number): void {
    const { covered } = this
    this.covered = this.edge - at
    this.cover(at, this.tail, this.isTailDim)
    this.covered = covered
  }

  /** Of a column of several paints. */
  private weigh(paint: number): void {
    if (this.only !== SEVERAL) {
      this.most = this.total - this.covered
      weight[this.only] = this.most
      keep(this.only)
      this.only = SEVERAL
    }
    const before = weight[paint] as number
    if (before === 0) keep(paint)
    const sum = before + this.covered
    weight[paint] = sum
    if (sum > this.most) {
      this.most = sum
      this.main = paint
    }
  }

  private clear(): void {
    if (this.only === SEVERAL) {
      for (const paint of inColumn) weight[paint] = 0
      inColumn.length = 0
    }
    this.only = NO_PAINT
    this.total = 0
  }
}

function keep(paint: number): void {
  let at = inColumn.length
  for (; at > 0 && (inColumn[at - 1] as number) > paint; at--) inColumn[at] = inColumn[at - 1] as number
  inColumn[at] = paint
}

const strip = new Strip()

/** The strip of one lane; one at a time. What is narrow goes to `row`, a pixel for each column, and its edge to `edges` if there are any;
    what is wide to `rects`; what of a column is of other paints to `bands`, row after row from above (cleared before the first). */
export const stripOf: Strip['begin'] = (...lane) => strip.begin(...lane)

/** Of a column, or a mark, that is covered to `share`. */
export function pixelOf(palette: Palette, share: number, paint: number, isDim: boolean): number {
  return palette.pixels[paint * VARIANTS + mergedVariant(share) + (isDim ? palette.dimmed : 0)] as number
}
