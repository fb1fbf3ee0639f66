/** One frame: both canvases, sized to the device's pixels, painted only when something moved. */
import { runs } from '../../../data/runs'
import { Columns } from '../../../draw/paint/columns'
import { Labels } from '../../../draw/paint/labels'
import { makePalette } from '../../../draw/paint/palette'
import type { Palette } from '../../../draw/paint/palette'
import type { Pen, PenFor } from '../../../draw/paint/pen'
import { headerPx, paintHeader } from '../../../draw/paint/paint_header'
import { scrolled } from '../../../draw/blocks/lane_layout'
import { paintOverlay } from '../../../draw/paint/paint_overlay'
import type { EventPlace } from '../../../draw/paint/paint_overlay'
import { VALUE_PX, paintValues } from '../../../draw/paint/paint_values'
import { paintTracks } from '../../../draw/paint/paint_tracks'
import type { TrackPlace } from '../../../draw/blocks/lane_layout'
import type { TracksScene } from '../../../draw/paint/paint_tracks'
import { Rects } from '../../../draw/paint/rects'
import { Textures } from '../../../draw/paint/textures'
import type { Hover } from '../store/hand'
import { outOfSight } from '../store/out_of_sight'
import { onOneScale } from '../store/values_beside'
import type { TimelineStore } from '../store/store'
import { paintGroups } from './paint_groups'

const LABEL_FONT_PX = 11
const AXIS_FONT_PX = 11
const PICTURE_RATIO = 1 // rows of pixels of more than one a point lose those between when they are seen at their own size
const AHEAD = 0.5 // tracks this share of a screen above and below are fetched too

/** What is painted on. */
export interface Canvases {
  readonly header: HTMLCanvasElement
  readonly values: HTMLCanvasElement
  readonly tracks: HTMLCanvasElement
}

type SizedPen = (canvas: HTMLCanvasElement, width: number, height: number, ratio: number) => Pen | undefined

export class Painter {
  private palette: Palette | undefined
  private textures: Textures | undefined
  private texturedRatio = 0
  private readonly rects = new Rects()
  private readonly columns = new Columns()
  private readonly labels = new Labels()
  private frame: number | undefined
  private labelFont = ''
  private axisFont = ''
  private characterPx = 6
  private asking: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly store: TimelineStore,
    private readonly canvases: Canvases,
    /** Called in each frame before it is painted; true asks for another one. */
    private readonly animate: (now: number) => boolean,
  ) {}

  stop(): void {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame)
    clearTimeout(this.asking)
  }

  /** The theme has changed. */
  forgetColors(): void {
    this.palette = this.textures = undefined
    this.request()
  }

  /** At once, with other pens than those of the canvases. */
  paintWith(penFor: PenFor): void {
    this.paint(penFor, PICTURE_RATIO)
  }

  request(): void {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = undefined
      if (this.animate(now)) this.request()
      this.paint()
    })
  }

  private paint(penFor: SizedPen = sized, ratio = window.devicePixelRatio): void {
    const { store } = this
    const width = this.canvases.tracks.clientWidth
    const height = this.canvases.tracks.clientHeight
    // TensorBoard hides the tab by taking its height away.
    if (width === 0 || height === 0) return
    store.window.view.width = width
    store.window.view.dpr = window.devicePixelRatio
    const palette = (this.palette ??= this.readTheme())
    if (this.texturedRatio !== ratio) this.textures = undefined // another screen, or a picture
    this.texturedRatio = ratio
    const textures = (this.textures ??= new Textures(store.tracks.paints, palette, ratio))
    // As wide as the tracks, which lose some to a scroll bar.
    this.canvases.header.style.width = `${width}px`
    const header = penFor(this.canvases.header, width, headerPx(store.tracks), ratio)
    const tracks = penFor(this.canvases.tracks, width, height, ratio)
    if (header === undefined || tracks === undefined) return
    header.font = this.axisFont
    const hits = store.search.state.value.reply
    paintHeader(header, {
      view: store.window.view,
      palette,
      steps: store.tracks.steps,
      density: store.tracks.density,
      kept: store.lit?.strip,
      hits: hits?.density ?? NONE,
      pointer: store.hand.pointer,
      range: store.hand.drawnRange,
    })
    this.paintValues(penFor, width, palette, ratio)
    tracks.font = this.labelFont
    const scene: TracksScene = {
      layout: store.picture.layout.value,
      view: store.window.view,
      palette,
      textures,
      rects: this.rects,
      columns: this.columns,
      screenRatio: ratio,
      labels: this.labels,
      names: store.loader.names,
      characterPx: this.characterPx,
      scrollTop: store.picture.scrollTop,
      height,
      isDimmed: (store.lit?.all().length ?? 0) > 0,
      isKept: false,
      blocksFor: (track) => store.loader.blocksFor(track.id, store.window.view),
    }
    const kept: TracksScene = {
      ...scene,
      isDimmed: false,
      isKept: true,
      blocksFor: (track) => store.lit?.blocksFor(track.id, store.window.view),
    }
    paintGroups(tracks, scene, store.tracks, store.lit?.strip)
    paintTracks(tracks, scene, false)
    if (scene.isDimmed) paintTracks(tracks, kept, false)
    paintPinned(tracks, scene, kept)
    store.selection.look(store.window.view)
    paintOverlay(tracks, {
      layout: scene.layout,
      places: store.picture.places,
      view: store.window.view,
      palette,
      scrollTop: store.picture.scrollTop,
      height,
      steps: store.tracks.steps,
      hovered: placeOf(store.hand.hover.value),
      selected: store.selection.event.value,
      hits: hits?.hits.length === hits?.total ? (hits?.hits ?? NONE) : NONE, // some would be taken for all
      arrows: store.selection.arrows,
      marks: store.marks.value,
      range: store.hand.drawnRange,
      edge: store.hand.edge,
      area: store.hand.drawnArea ?? store.area.value,
    })
    store.selection.seen(outOfSight(store))
    this.asking ??= setTimeout(() => this.ask())
  }

  /** For what the next frames need. Not within one: a question takes as long as half the painting. */
  private ask(): void {
    this.asking = undefined
    const { loader, lit, values, window: shown } = this.store
    values.want(shown.view, (lit?.all().length ?? 0) > 0 ? lit?.filters : undefined) // not what is refused
    const inSight = this.tracksInSight()
    for (const each of [loader, lit]) each?.want(shown.view, inSight, window.devicePixelRatio)
  }

  private paintValues(penFor: SizedPen, width: number, palette: Palette, screenRatio: number): void {
    const { values, shownValues, window, hand, above, beside } = this.store
    const { value } = values.reply
    const rows = onOneScale(shownValues, values.all, (above.value ?? beside.value)?.values.all ?? [])
    this.canvases.values.style.width = `${width}px`
    if (value === undefined || rows.length === 0) return
    const context = penFor(this.canvases.values, width, rows.length * VALUE_PX, screenRatio)
    if (context === undefined) return
    context.font = this.axisFont
    const { t0_ns: t0, t1_ns: t1, is_lit: isLit } = value
    const away = runs.value.gone ? 'the server does not answer' : 'on its way'
    const { pointer } = hand
    paintValues(context, { view: window.view, palette, t0, t1, screenRatio, rows, isLit, pointer, away })
  }

  private tracksInSight(): readonly number[] {
    const { layout, scrollTop } = this.store.picture
    const height = this.canvases.tracks.clientHeight
    const ahead = height * AHEAD
    const isNear = (track: TrackPlace): boolean => {
      const y = track.top + scrolled(track, scrollTop)
      return y < height + ahead && y + track.height > -ahead
    }
    return layout.value.tracks.filter(isNear).map((track) => track.id)
  }

  private readTheme(): Palette {
    const style = getComputedStyle(this.canvases.tracks)
    this.labelFont = `${LABEL_FONT_PX}px ${style.getPropertyValue('--mono')}`
    this.axisFont = `${AXIS_FONT_PX}px ${style.getPropertyValue('--sans')}`
    const context = this.canvases.tracks.getContext('2d')
    if (context !== null) {
      context.font = this.labelFont
      this.characterPx = context.measureText('mmmmmmmmmm').width / 10
    }
    const read = (variable: string): string => style.getPropertyValue(variable)
    return makePalette(this.store.tracks.paints, read)
  }
}

const NONE: readonly never[] = []

/** The canvas cleared and scaled to CSS pixels. */
function sized(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio: number,
): CanvasRenderingContext2D | undefined {
  const w = Math.round(width * ratio)
  const h = Math.round(height * ratio)
  if (canvas.width !== w) canvas.width = w
  if (canvas.height !== h) canvas.height = h
  const context = canvas.getContext('2d')
  context?.setTransform(ratio, 0, 0, ratio, 0, 0)
  context?.clearRect(0, 0, width, height)
  return context ?? undefined
}

/** Over what is scrolled beneath them. */
function paintPinned(context: Pen, scene: TracksScene, kept: TracksScene): void {
  const { layout, palette, view } = scene
  if (layout.pinnedPx === 0) return
  context.fillStyle = palette.background
  context.fillRect(0, 0, view.width, layout.pinnedPx)
  paintTracks(context, scene, true)
  if (scene.isDimmed) paintTracks(context, kept, true)
  context.fillStyle = palette.lineStrong
  context.fillRect(0, layout.pinnedPx - 2, view.width, 2)
}

function placeOf(hover: Hover | undefined): EventPlace | undefined {
  if (hover === undefined) return undefined
  const { blocks, block, track, lane } = hover.hit
  const start = blocks.start[block] as number
  const units = (blocks.end[block] as number) - start
  return { track: track.id, lane, start_ns: blocks.t0 + start * blocks.unitNs, duration_ns: units * blocks.unitNs }
}
