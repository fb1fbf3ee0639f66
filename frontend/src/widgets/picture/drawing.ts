/** A canvas as vectors: what is painted with it becomes shapes of an SVG instead of pixels.

Rectangles that follow each other in one colour are one path, text stays text. Rows of pixels, which the timeline draws where events
are narrower than a pixel, stay images, one a row; so do the tiles of patterns. Fonts are `bold 12px family`, transforms scales.
*/
import type { Pen } from '../../draw/paint/pen'
import { tileOf } from '../../draw/paint/textures'

const SVG = 'http://www.w3.org/2000/svg'
const ANCHORS: Readonly<Partial<Record<CanvasTextAlign, string>>> = { right: 'end', end: 'end', center: 'middle' }
/** From the line that a text is placed at down to its baseline, of the font's size. */
const DOWN: Readonly<Partial<Record<CanvasTextBaseline, number>>> = { middle: 0.35, top: 0.78 }

/** Of see-through columns side by side half a pixel each would be a pixel that is paler than both. */
const CRISP = { 'shape-rendering': 'crispEdges' }

/** What `save` keeps. */
const PLAIN = {
  fillStyle: '#000' as string | CanvasGradient | CanvasPattern,
  strokeStyle: '#000' as string | CanvasGradient | CanvasPattern,
  globalAlpha: 1,
  globalCompositeOperation: 'source-over' as GlobalCompositeOperation,
  imageSmoothingEnabled: true,
  lineWidth: 1,
  textAlign: 'start' as CanvasTextAlign,
  textBaseline: 'alphabetic' as CanvasTextBaseline,
  font: '10px sans-serif',
}

let nNames = 0 // of patterns and clips; one document may hold several drawings

export class Drawing implements Pen {
  fillStyle = PLAIN.fillStyle
  strokeStyle = PLAIN.strokeStyle
  globalAlpha = PLAIN.globalAlpha
  globalCompositeOperation = PLAIN.globalCompositeOperation
  imageSmoothingEnabled = PLAIN.imageSmoothingEnabled
  lineWidth = PLAIN.lineWidth
  textAlign = PLAIN.textAlign
  textBaseline = PLAIN.textBaseline
  font = PLAIN.font
  readonly svg = document.createElementNS(SVG, 'svg')
  private into: Element = this.svg
  private unit = 1
  private path = ''
  private dash = ''
  private readonly saved: (typeof PLAIN & { readonly unit: number; readonly dash: string; readonly into: Element })[] =
    []
  /** Rectangles of one fill that are not drawn yet. */
  private alike = { fill: this.fillStyle, alpha: 1, shape: '' }
  private readonly patterns = new Map<string, string>()

  /** `measure`: a context that texts are measured in. */
  constructor(private readonly measure: CanvasRenderingContext2D) {}

  /** The drawing, whole, at a place of another. */
  end(place: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>): SVGSVGElement {
    this.flush()
    for (const [name, value] of Object.entries(place)) this.svg.setAttribute(name, String(value))
    return this.svg
  }

  save(): void {
    this.flush()
    const { fillStyle, strokeStyle, globalAlpha, globalCompositeOperation, imageSmoothingEnabled, lineWidth } = this
    const { textAlign, textBaseline, font, unit, dash, into } = this
    const paint = { fillStyle, strokeStyle, globalAlpha, globalCompositeOperation, imageSmoothingEnabled, lineWidth }
    this.saved.push({ ...paint, textAlign, textBaseline, font, unit, dash, into })
  }

  restore(): void {
    this.flush()
    Object.assign(this, this.saved.pop())
  }

  scale(factor: number): void {
    this.unit *= factor
  }

  measureText(text: string): TextMetrics {
    this.measure.font = this.font
    return this.measure.measureText(text)
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const { alike, globalAlpha: alpha, fillStyle: fill } = this
    if (fill !== alike.fill || alpha !== alike.alpha || this.globalCompositeOperation !== 'source-over') this.flush()
    if (this.globalCompositeOperation !== 'source-over') {
      this.into.prepend(this.shape('path', { d: this.box(x, y, width, height), ...this.filled(fill) }))
      return
    }
    this.alike = { fill, alpha, shape: this.alike.shape + this.box(x, y, width, height) }
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.add('path', { d: this.box(x, y, width, height), ...this.stroked() })
  }

  fillText(text: string, x: number, y: number): void {
    const [, weight, size = '10', family = ''] = /^(?:(bold) )?([\d.]+)px (.+)$/.exec(this.font) ?? []
    const down = (DOWN[this.textBaseline] ?? 0) * Number(size)
    const anchor = ANCHORS[this.textAlign]
    this.add('text', {
      x: this.at(x),
      y: this.at(y + down),
      'font-size': this.at(Number(size)),
      'font-family': family,
      ...(weight !== undefined && { 'font-weight': weight }),
      ...(anchor !== undefined && { 'text-anchor': anchor }),
      ...this.filled(this.fillStyle),
    }).textContent = text
  }

  /** A row of pixels, or several: nothing is drawn of those that are empty. */
  drawImage(from: CanvasImageSource, ...place: readonly number[]): void {
    const [sx = 0, sy = 0, sw = 0, sh = 0, x = 0, y = 0, width = 0, height = 0] = place
    const canvas = document.createElement('canvas')
    canvas.width = sw
    canvas.height = sh
    const context = canvas.getContext('2d')
    context?.drawImage(from, sx, sy, sw, sh, 0, 0, sw, sh)
    if (context?.getImageData(0, 0, sw, sh).data.some((byte) => byte !== 0) !== true) return
    const box = { x: this.at(x), y: this.at(y), width: this.at(width), height: this.at(height) }
    const pixels = { preserveAspectRatio: 'none', 'image-rendering': 'pixelated' }
    this.add('image', { ...box, ...pixels, href: canvas.toDataURL() })
  }

  beginPath(): void {
    this.path = ''
  }

  moveTo(x: number, y: number): void {
    this.path += `M${this.at(x)} ${this.at(y)}`
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path === '' ? 'M' : 'L'}${this.at(x)} ${this.at(y)}`
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.path += `C${[x1, y1, x2, y2, x, y].map((each) => this.at(each)).join(' ')}`
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path += this.box(x, y, width, height)
  }

  /** Whole circles: pictures have no others. */
  arc(x: number, y: number, radius: number): void {
    const [r, wide] = [this.at(radius), this.at(2 * radius)]
    this.path += `M${this.at(x - radius)} ${this.at(y)}a${r} ${r} 0 1 1 ${wide} 0a${r} ${r} 0 1 1 -${wide} 0z`
  }

  fill(): void {
    this.add('path', { d: this.path, ...this.filled(this.fillStyle) })
  }

  stroke(): void {
    this.add('path', { d: this.path, ...this.stroked() })
  }

  /** What comes from here on is cut to the path, until what was saved before is there again. */
  clip(): void {
    this.flush()
    const id = `clip-${nNames++}`
    this.into.append(this.shape('clipPath', { id }, this.shape('path', { d: this.path })))
    const inside = this.shape('g', { 'clip-path': `url(#${id})` })
    this.into.append(inside)
    this.into = inside
  }

  setLineDash(dash: readonly number[]): void {
    this.dash = dash.map((px) => this.at(px)).join(' ')
  }

  private flush(): void {
    const { fill, alpha, shape } = this.alike
    this.alike = { fill: this.fillStyle, alpha: this.globalAlpha, shape: '' }
    if (shape === '') return
    this.into.append(this.shape('path', { d: shape, ...(alpha < 1 && CRISP), ...this.filled(fill, alpha) }))
  }

  private add(name: string, attributes: Readonly<Record<string, string | number>>): Element {
    this.flush()
    const made = this.shape(name, attributes)
    this.into.append(made)
    return made
  }

  private shape(name: string, attributes: Readonly<Record<string, string | number>>, ...inside: Element[]): Element {
    const made = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
    made.append(...inside)
    return made
  }

  private filled(fill: typeof PLAIN.fillStyle, alpha = this.globalAlpha): Record<string, string | number> {
    const paint = typeof fill === 'string' ? fill : this.patternOf(fill)
    return { fill: paint, ...(alpha !== 1 && { 'fill-opacity': alpha }) }
  }

  private stroked(): Record<string, string | number> {
    return {
      fill: 'none',
      stroke: typeof this.strokeStyle === 'string' ? this.strokeStyle : 'none',
      'stroke-width': this.at(this.lineWidth),
      ...(this.dash !== '' && { 'stroke-dasharray': this.dash }),
      ...(this.globalAlpha !== 1 && { 'stroke-opacity': this.globalAlpha }),
    }
  }

  /** Once for each place that its tiles begin at. */
  private patternOf(fill: CanvasGradient | CanvasPattern): string {
    const tile = tileOf(fill)
    if (tile === undefined) return 'none'
    const key = `${tile.address} ${tile.x} ${tile.y} ${this.unit}`
    const known = this.patterns.get(key)
    if (known !== undefined) return `url(#${known})`
    const id = `pattern-${nNames++}`
    this.patterns.set(key, id)
    const size = { width: tile.size, height: tile.size }
    const image = this.shape('image', { ...size, 'image-rendering': 'pixelated', href: tile.address })
    const patternTransform = `scale(${this.unit}) translate(${tile.x} ${tile.y})`
    this.svg.prepend(this.shape('pattern', { id, patternUnits: 'userSpaceOnUse', ...size, patternTransform }, image))
    return `url(#${id})`
  }

  private box(x: number, y: number, width: number, height: number): string {
    const w = this.at(width)
    return `M${this.at(x)} ${this.at(y)}h${w}v${this.at(height)}h${-w}z`
  }

  /** In pixels of the page, a hundredth of them at the nearest. */
  private at(length: number): number {
    return Math.round(length * this.unit * 100) / 100
  }
}
