/** A part of the page as an SVG drawing: what is painted is drawn again, element by element, so that it opens anywhere.

Text stays text, and so does what is on canvases, whose painters paint again with other pens; those without one become images. Controls are left out; what scrolls shows what is in sight.
*/
import { askForPicture } from '../../draw/paint/pen'
import type { Texture } from '../../draw/paint/textures'
import { Drawing } from './drawing'

const SVG = 'http://www.w3.org/2000/svg'
const CONTROLS =
  '.button, .definition, input, select, textarea, [role=toolbar], [role=search], [popover], .sr-only, [aria-expanded] > [aria-hidden]'
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f]/g
/** Of a shape in an SVG of the page: what style sheets give it. */
const SHAPE = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'fill-opacity',
  'font-size',
  'font-family',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
]

const PAD = 16
const TITLE_PX = 16
const LINE_PX = 18
const SWATCH_PX = 10
/** On a swatch, in the page's background as in its legend. */
const HATCH: Readonly<Record<Texture, string>> = {
  rising: 'M0 4L4 0M0 8L8 0M2 10L10 2M6 10L10 6',
  falling: 'M6 0L10 4M2 0L10 8M0 2L8 10M0 6L4 10',
  bars: 'M0 2h10M0 5h10M0 8h10',
  dots: 'M1 2h2M4 2h2M7 2h2M1 5h2M4 5h2M7 5h2M1 8h2M4 8h2M7 8h2',
}
const HATCHED = { fill: 'none', 'stroke-width': 1 }

export interface Heading {
  readonly title: string
  /** Lines below it: of which profile, range and filters. */
  readonly lines: readonly string[]
  /** A color, or the variable of the page that holds it. */
  readonly legend?: readonly (readonly [color: string, words: string, texture?: Texture | null])[]
}

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The drawing of `root` below a heading, in the colours of now. `headingOf` is asked once canvases have been painted for it. */
export function pictureOf(root: HTMLElement, headingOf: () => Heading): SVGSVGElement {
  root.classList.add('is-picture') // style sheets leave out what is empty; nobody sees it so
  try {
    return drawn(root, headingOf)
  } finally {
    root.classList.remove('is-picture')
  }
}

function drawn(root: HTMLElement, headingOf: () => Heading): SVGSVGElement {
  const place = root.getBoundingClientRect()
  const width = Math.max(place.width, 320)
  const svg = document.createElementNS(SVG, 'svg')
  const style = getComputedStyle(root)
  const back = add(svg, 'rect', { width, fill: getComputedStyle(document.documentElement).getPropertyValue('--bg') })
  // Controls at the head are left out, and the room for them.
  const bar = root.querySelector('[role=toolbar]')?.getBoundingClientRect()
  const unused = bar !== undefined && bar.top - place.top < PAD ? bar.bottom - place.top : 0
  const drawings = paintedAgain()
  const top = drawHeading(svg, headingOf(), style, width) - unused
  const body = add(svg, 'g', { transform: `translate(${-place.left} ${top - place.top + root.scrollTop})` })
  const start = place.top - root.scrollTop
  const ends = [...root.children].map((child) => child.getBoundingClientRect().bottom - start)
  const tall = Math.min(root.scrollHeight, Math.max(...ends, 0))
  draw(body, root, { left: place.left, right: place.right, top: start, bottom: start + tall }, drawings, true)
  const height = Math.ceil(top + tall + PAD)
  back.setAttribute('height', String(height))
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(name, String(value))
  return svg
}

type Drawings = ReadonlyMap<Element, Drawing>

function paintedAgain(): Drawings {
  const drawings = new Map<Element, Drawing>()
  askForPicture((canvas) => {
    const drawing = new Drawing(canvas.getContext('2d') as CanvasRenderingContext2D)
    drawings.set(canvas, drawing)
    return drawing
  })
  return drawings
}

function drawHeading(svg: Element, heading: Heading, style: CSSStyleDeclaration, width: number): number {
  let y = PAD + TITLE_PX
  const back = style.getPropertyValue('--bg')
  const write = (text: string, x: number, px: number, weight: string): void => {
    const font = { 'font-family': style.fontFamily, 'font-size': px, 'font-weight': weight, fill: style.color }
    add(svg, 'text', { x, y, ...font }).textContent = clean(text)
  }
  write(heading.title, PAD, TITLE_PX, 'bold')
  for (const line of heading.lines) {
    y += LINE_PX
    write(line, PAD, 12, 'normal')
  }
  let x = width // the first begins a line
  for (const [color, words, texture] of heading.legend ?? []) {
    const wide = SWATCH_PX + 24 + 7 * words.length
    if (x + wide > width - PAD) {
      x = PAD
      y += LINE_PX
    }
    add(svg, 'rect', {
      x,
      y: y - SWATCH_PX,
      width: SWATCH_PX,
      height: SWATCH_PX,
      fill: style.getPropertyValue(color) || color,
    })
    if (texture != null)
      add(svg, 'path', { d: HATCH[texture], transform: `translate(${x} ${y - SWATCH_PX})`, ...HATCHED, stroke: back })
    write(words, x + SWATCH_PX + 5, 12, 'normal')
    x += wide
  }
  return y + PAD
}

function draw(into: Element, element: Element, clip: Box, drawings: Drawings, isRoot = false): void {
  if (element instanceof HTMLSelectElement) drawChosen(into, element, clip)
  if (!isRoot && element.matches(CONTROLS)) return
  const style = getComputedStyle(element)
  if (style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') return
  const box = element.getBoundingClientRect()
  const seen = style.display === 'contents' ? clip : overlap(box, clip)
  if (element instanceof SVGSVGElement) {
    if (seen !== undefined) into.append(copyOf(element, box))
    return
  }
  if (seen !== undefined && style.display !== 'contents') drawBox(into, style, box, seen)
  if (seen !== undefined) drawSwatch(into, element, style, box)
  if (element instanceof HTMLCanvasElement) {
    const place = { x: box.left, y: box.top, width: box.width, height: box.height }
    const drawing = drawings.get(element)
    if (seen !== undefined && drawing !== undefined) into.append(drawing.end(place))
    else if (seen !== undefined && element.width * element.height > 0)
      add(into, 'image', { ...place, href: element.toDataURL() })
    return
  }
  const isCut = style.overflowX !== 'visible' && !isRoot
  const inner = isCut ? overlap(insideOf(element, box), clip) : clip
  if (inner === undefined) return
  for (const child of element.childNodes) {
    if (child instanceof Text) drawText(into, child, style, inner)
    else if (child instanceof Element) draw(into, child, inner, drawings)
  }
}

function drawBox(into: Element, style: CSSStyleDeclaration, box: DOMRect, seen: Box): void {
  if (isSeen(style.backgroundColor)) {
    const whole = { x: seen.left, y: seen.top, width: seen.right - seen.left, height: seen.bottom - seen.top }
    add(into, 'rect', { ...whole, rx: Number.parseFloat(style.borderTopLeftRadius) || 0, fill: style.backgroundColor })
  }
  const sides = [
    ['top', { left: box.left, right: box.right, top: box.top, bottom: box.top + px(style.borderTopWidth) }],
    ['bottom', { left: box.left, right: box.right, top: box.bottom - px(style.borderBottomWidth), bottom: box.bottom }],
    ['left', { left: box.left, right: box.left + px(style.borderLeftWidth), top: box.top, bottom: box.bottom }],
    ['right', { left: box.right - px(style.borderRightWidth), right: box.right, top: box.top, bottom: box.bottom }],
  ] as const
  for (const [side, line] of sides) {
    const cut = overlap(line, seen)
    const color = style.getPropertyValue(`border-${side}-color`)
    if (cut === undefined || !isSeen(color) || style.getPropertyValue(`border-${side}-style`) === 'none') continue
    add(into, 'rect', {
      x: cut.left,
      y: cut.top,
      width: cut.right - cut.left,
      height: cut.bottom - cut.top,
      fill: color,
    })
  }
}

/** A colour before a word of a legend: an empty box that a style sheet puts there. */
function drawSwatch(into: Element, element: Element, style: CSSStyleDeclaration, box: DOMRect): void {
  const before = getComputedStyle(element, '::before')
  const [width, height] = [px(before.width), px(before.height) + px(before.borderTopWidth)]
  if (before.content !== '""' || before.position === 'absolute' || width * height === 0) return
  const place = new DOMRect(box.left + px(style.paddingLeft), (box.top + box.bottom - height) / 2, width, height)
  drawBox(into, before, place, place)
}

/** What is chosen belongs to the picture, the list to choose from does not. */
function drawChosen(into: Element, list: HTMLSelectElement, clip: Box): void {
  const box = list.getBoundingClientRect()
  const chosen = list.selectedOptions[0]?.label ?? ''
  if (overlap(box, clip) !== undefined)
    writeText(into, chosen, { ...edges(box), left: box.left + 8 }, getComputedStyle(list))
}

/** Line by line, as it is broken on the page. What does not fit ends with an ellipsis, as there. */
function drawText(into: Element, node: Text, style: CSSStyleDeclaration, clip: Box): void {
  if (node.data.trim() === '') return
  for (const { text, box } of linesOf(node)) {
    const seen = overlap(box, clip)
    if (seen === undefined || text === '') continue
    const part = (seen.right - box.left) / (box.right - box.left)
    const fits =
      box.right - seen.right < 2 ? text : `${text.slice(0, Math.max(0, Math.floor(text.length * part) - 1))}…`
    writeText(into, fits, box, style)
  }
}

function writeText(into: Element, text: string, box: Box, style: CSSStyleDeclaration): void {
  const size = px(style.fontSize)
  add(into, 'text', {
    x: box.left,
    y: (box.top + box.bottom) / 2 + 0.35 * size, // about where the baseline is
    fill: style.color,
    'font-family': style.fontFamily,
    'font-size': size,
    'font-weight': style.fontWeight,
  }).textContent = clean(text)
}

function linesOf(node: Text): { text: string; box: Box }[] {
  const range = document.createRange()
  const text = node.data.trim()
  const first = node.data.indexOf(text)
  range.setStart(node, first)
  range.setEnd(node, first + text.length)
  const whole = range.getClientRects()
  const [only] = whole
  if (only === undefined) return []
  if (whole.length === 1) return [{ text: text.replace(/\s+/g, ' '), box: only }]
  const lines: { text: string; box: Box }[] = []
  const write = (part: string, index: number, gap: string): void => {
    range.setStart(node, index)
    range.setEnd(node, index + part.length)
    const box = range.getBoundingClientRect()
    const last = lines.at(-1)
    // A word may be broken too, as a path is.
    if (part.length > 1 && range.getClientRects().length > 1)
      part.split('').forEach((character, nth) => write(character, index + nth, nth === 0 ? gap : ''))
    else if (last === undefined || box.top > last.box.bottom - 2) lines.push({ text: part, box })
    else lines[lines.length - 1] = { text: last.text + gap + part, box: { ...edges(last.box), right: box.right } }
  }
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) write(word, index, ' ')
  return lines
}

/** An SVG of the page where it lies, with what style sheets say of its shapes. */
function copyOf(svg: SVGSVGElement, box: DOMRect): Node {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [from, to] = [svg, copy].map((each) => [each, ...each.querySelectorAll('*')]) as [Element[], Element[]]
  for (const [index, element] of from.entries()) {
    const style = getComputedStyle(element)
    const said = SHAPE.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';')
    to[index]?.setAttribute('style', style.display === 'none' ? 'display:none' : said)
  }
  for (const [name, value] of Object.entries({ x: box.left, y: box.top, width: box.width, height: box.height }))
    copy.setAttribute(name, String(value))
  return copy
}

function add(into: Element, name: string, attributes: Readonly<Record<string, string | number>>): Element {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  into.append(made)
  return made
}

function overlap(a: Box, b: Box): Box | undefined {
  const found = {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
  return found.right > found.left && found.bottom > found.top ? found : undefined
}

/** Without its scroll bars. */
function insideOf(element: Element, box: DOMRect): Box {
  const [left, top] = [box.left + element.clientLeft, box.top + element.clientTop]
  // What is inline has no client size.
  const right = element.clientWidth === 0 ? box.right : left + element.clientWidth
  return { left, top, right, bottom: element.clientHeight === 0 ? box.bottom : top + element.clientHeight }
}

function edges({ left, top, right, bottom }: Box): Box {
  return { left, top, right, bottom }
}

function px(text: string): number {
  return Number.parseFloat(text) || 0
}

function isSeen(color: string): boolean {
  return color !== 'transparent' && !/^rgba\(.*,\s*0\)$|\/\s*0\)$/.test(color)
}

function clean(text: string): string {
  return text.replace(NOT_XML, ' ')
}
