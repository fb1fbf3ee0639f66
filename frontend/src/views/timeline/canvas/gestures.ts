/** Pointer and wheel.

    tracks   drag pans, Shift+drag (or box mode) selects a stretch to zoom to, Alt+drag (or area mode) an area to sum up, a drag in
             measure mode a stretch to mark; all three snap to where events begin and end, which is shown before. Click selects, double click fits
    values   as over tracks, of which an area has all
    axis     drag selects a stretch to zoom to; wheel zooms
    strip    drag inside the window moves it, outside draws a new one; wheel zooms
    menu     a right click, or the key for it: what can be done with the event or the track
    touch    one finger pans and scrolls, two zoom
    wheel    over tracks scrolls them; with Ctrl zooms at the pointer, with Shift pans
*/
import { AXIS_PX, stripPx, stripTime, stripX } from '../../../draw/paint/paint_header'
import { stretchOf } from '../../timeline_link'
import { openEventMenu, openMenu, trackItems } from '../store/menu'
import type { Area } from '../store/place'
import type { Snapped } from '../store/snapping'
import type { TimelineStore } from '../store/store'

const CLICK_PX = 4
const WHEEL_ZOOM = 1.0016 // per pixel of wheel
const LEAST_RANGE_PX = 4
const PINCH_PX = 12 // fingers nearer than this tell no factor

type Drag = 'pan' | 'range' | 'area' | 'measure' | 'window' | 'new window'
const EVERYWHERE = [-Infinity, Infinity] as const
const SNAPS: ReadonlySet<Drag> = new Set(['range', 'area', 'measure'])

export class Gestures {
  private drag:
    | { readonly kind: Drag; readonly x: number; readonly y: number; readonly from: Snapped; hasMoved: boolean }
    | undefined
  private readonly fingers = new Map<number, readonly [x: number, y: number]>()
  private lastX = 0
  private lastY = 0
  /** A key was pressed later than a pointer: a menu is that of the selection. */
  private isByKey = false

  constructor(
    private readonly store: TimelineStore,
    private readonly header: HTMLCanvasElement,
    private readonly tracks: HTMLCanvasElement,
    private readonly values: HTMLCanvasElement,
    private readonly scroller: HTMLElement,
  ) {}

  listen(stop: AbortSignal): void {
    for (const canvas of [this.header, this.tracks, this.values]) {
      canvas.addEventListener('pointerdown', (event) => this.down(event, canvas), { signal: stop })
      canvas.addEventListener('pointermove', (event) => this.move(event, canvas), { signal: stop })
      canvas.addEventListener('pointerup', (event) => this.up(event, canvas), { signal: stop })
      canvas.addEventListener('pointercancel', () => this.letGo(), { signal: stop })
      canvas.addEventListener('pointerleave', (event) => this.leave(event, canvas), { signal: stop })
      // Not passive: Ctrl+wheel would zoom the whole page.
      canvas.addEventListener('wheel', (event) => this.wheel(event, canvas), { signal: stop, passive: false })
    }
    this.tracks.addEventListener('dblclick', (event) => this.fit(event.offsetX, event.offsetY), { signal: stop })
    this.tracks.addEventListener('contextmenu', (event) => this.menu(event), { signal: stop })
    this.tracks.addEventListener('keydown', () => (this.isByKey = true), { signal: stop })
    document.addEventListener('keydown', (event) => event.code === 'Escape' && this.cancel(), { signal: stop })
  }

  private down(event: PointerEvent, canvas: HTMLCanvasElement): void {
    this.isByKey = false
    if (event.pointerType === 'touch') this.fingers.set(event.pointerId, [event.offsetX, event.offsetY])
    if (this.fingers.size > 1) {
      this.drag = undefined // what one finger began is no pan any more
      this.store.hand.drop()
      return
    }
    if (event.button !== 0) return
    const { offsetX: x, offsetY: y } = event
    if (canvas === this.values) this.store.hand.pointAt(this.store.window.view.time(x), undefined, x) // a finger moves only to drag
    const kind = canvas === this.header ? this.headerDrag(x, y) : this.trackDrag(event)
    const from = kind === 'new window' ? { t: stripTime(this.store.window.view, x) } : this.time(x, y, canvas)
    this.drag = { kind, x, y, from, hasMoved: false }
    this.lastX = x
    this.lastY = y
    canvas.setPointerCapture(event.pointerId)
  }

  private get stripPx(): number {
    return stripPx(this.store.tracks.density.length)
  }

  private trackDrag(event: PointerEvent): Drag {
    if (event.altKey) return 'area'
    return this.store.hand.tool.value ?? (event.shiftKey ? 'range' : 'pan')
  }

  /** On tracks that of the nearest edge of an event. */
  private time(x: number, y: number, canvas: HTMLCanvasElement): Snapped {
    const within = clamp(x, this.store.window.view.width)
    return canvas === this.tracks ? this.store.snapped(within, y) : { t: this.store.window.view.time(within) }
  }

  private headerDrag(x: number, y: number): Drag {
    const { view } = this.store.window
    if (y >= this.stripPx) return 'range'
    const isInside = x >= stripX(view, view.t0) - 2 && x <= stripX(view, view.t1) + 2
    const isWhole = view.t1 - view.t0 >= view.end - view.start
    return isInside && !isWhole ? 'window' : 'new window'
  }

  private move(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const { store } = this
    const { offsetX: x, offsetY: y } = event
    if (this.fingers.has(event.pointerId) && this.fingers.size > 1) {
      this.pinch(event.pointerId, x, y)
      return
    }
    const isStrip = canvas === this.header && y < this.stripPx
    store.hand.pointAt(
      isStrip ? stripTime(store.window.view, x) : store.window.view.time(x),
      canvas === this.tracks && SNAPS.has(this.drag?.kind ?? this.trackDrag(event))
        ? this.time(x, y, canvas)
        : undefined,
      isStrip ? undefined : x,
    )
    if (this.drag === undefined) {
      this.point(x, y, canvas)
    } else {
      if (Math.hypot(x - this.drag.x, y - this.drag.y) > CLICK_PX) this.drag.hasMoved = true
      if (this.drag.hasMoved) this.dragTo(x, y, canvas)
    }
    this.lastX = x
    this.lastY = y
    store.picture.paint()
  }

  /** Two fingers: what lies under them stays there. */
  private pinch(id: number, x: number, y: number): void {
    const before = [...this.fingers.values()]
    this.fingers.set(id, [x, y])
    const after = [...this.fingers.values()]
    const { store } = this
    const apart = ([[x0, y0] = [0, 0], [x1, y1] = [0, 0]]: typeof after): number => Math.hypot(x0 - x1, y0 - y1)
    const middle = (fingers: typeof after): number => ((fingers[0]?.[0] ?? 0) + (fingers[1]?.[0] ?? 0)) / 2
    store.window.pan(middle(before) - middle(after))
    if (apart(before) > PINCH_PX && apart(after) > PINCH_PX)
      store.window.zoom(apart(before) / apart(after), middle(after))
  }

  private point(x: number, y: number, canvas: HTMLCanvasElement): void {
    const hit = canvas === this.tracks ? this.store.hitAt(x, y) : undefined
    const before = this.store.hand.hover.value
    canvas.style.cursor =
      hit !== undefined ? 'pointer' : canvas !== this.header ? '' : y < this.stripPx ? 'ew-resize' : 'col-resize'
    if (hit === undefined && before === undefined) return
    this.store.hand.hover.value = hit === undefined ? undefined : { hit, x, y }
  }

  private dragTo(x: number, y: number, canvas: HTMLCanvasElement): void {
    const { store, drag } = this
    if (drag === undefined) return
    store.hand.hover.value = undefined
    const { view } = store.window
    switch (drag.kind) {
      case 'pan':
        store.window.pan(this.lastX - x)
        // A finger moves by parts of pixels, of which a scroll knows none.
        if (this.lastY !== y && canvas === this.tracks)
          this.scroller.scrollTop += Math.round(this.lastY) - Math.round(y)
        return
      case 'area': {
        const [t0, t1] = ordered(drag.from.t, this.time(x, y, canvas).t)
        const reach = canvas === this.tracks ? ([drag.y, y] as const) : EVERYWHERE
        store.hand.drawArea({ t0, t1, tracks: store.picture.tracksBetween(...reach) })
        return
      }
      case 'window': {
        const dt = stripTime(view, x) - stripTime(view, this.lastX)
        store.window.show(view.t0 + dt, view.t1 + dt)
        return
      }
      case 'range':
      case 'measure':
        store.hand.drawRange(ordered(drag.from.t, this.time(x, y, canvas).t))
        return
      case 'new window':
        store.hand.drawRange(ordered(drag.from.t, stripTime(view, clamp(x, view.width))))
    }
  }

  private up(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const { store, drag } = this
    this.fingers.delete(event.pointerId)
    this.drag = undefined
    if (drag === undefined) return
    canvas.releasePointerCapture(event.pointerId)
    if (!drag.hasMoved) {
      this.click(event.offsetX, event.offsetY, canvas)
    } else {
      const { drawnArea, drawnRange } = store.hand
      const isWide = Math.abs(event.offsetX - drag.x) >= LEAST_RANGE_PX
      const isExact = drawnArea !== undefined || drag.kind === 'measure'
      if (isWide && isExact)
        void this.finishExactly(drag.from, this.time(event.offsetX, event.offsetY, canvas), drawnArea)
      else if (isWide && drawnRange !== undefined) store.window.jump(...drawnRange)
      store.hand.finish()
    }
    store.picture.paint()
  }

  /** What is summed up or measured begins and ends with its events, to the nanosecond. */
  private async finishExactly(from: Snapped, to: Snapped, area: Area | undefined): Promise<void> {
    const [t0, t1] = ordered((await from.exact?.()) ?? from.t, (await to.exact?.()) ?? to.t)
    if (area === undefined) this.store.measured([t0, t1])
    else this.store.chooseArea({ ...area, t0, t1 })
  }

  private click(x: number, y: number, canvas: HTMLCanvasElement): void {
    const { store } = this
    if (canvas === this.tracks) {
      const hit = store.hitAt(x, y)
      store.select(hit?.blocks.row[hit.block])
    } else if (canvas === this.values) {
      return
    } else if (y < this.stripPx) {
      const half = (store.window.view.t1 - store.window.view.t0) / 2
      const at = stripTime(store.window.view, x)
      store.window.jump(at - half, at + half)
    } else if (y >= this.stripPx + AXIS_PX) {
      const at = store.window.view.time(x)
      const step = store.tracks.steps.find((each) => each.start_ns <= at && at < each.end_ns)
      if (step !== undefined) store.window.jump(...stretchOf(step))
    }
  }

  /** Of the event that is pointed at, else of the track; from the keyboard of the selected event. */
  private menu(event: MouseEvent): void {
    const { store, isByKey } = this
    const hit = isByKey ? undefined : store.hitAt(event.offsetX, event.offsetY)
    const row = isByKey ? store.selection.event.value?.row : hit?.blocks.row[hit.block]
    const track = isByKey ? undefined : store.picture.trackAt(event.offsetY)
    this.cancel()
    if (row !== undefined) void openEventMenu(store, event, row)
    else if (track !== undefined) openMenu(event, trackItems(store, track.id))
  }

  /** The block itself: the details of what the first click selected may still be on their way. */
  private fit(x: number, y: number): void {
    const hit = this.store.hitAt(x, y)
    if (hit === undefined) return
    const { blocks, block } = hit
    const at = (units: number | undefined): number => blocks.t0 + (units ?? 0) * blocks.unitNs
    this.store.window.fit(at(blocks.start[block]), at(blocks.end[block]))
  }

  private letGo(): void {
    this.fingers.clear()
    this.cancel()
  }

  private cancel(): void {
    this.drag = undefined
    this.store.hand.drop()
    this.store.picture.paint()
  }

  /** What a finger has read of the values stays in sight. */
  private leave({ pointerType }: PointerEvent, canvas: HTMLCanvasElement): void {
    if (this.drag !== undefined || (pointerType === 'touch' && canvas === this.values)) return
    this.store.hand.pointAt(undefined)
    this.store.hand.hover.value = undefined
    this.store.picture.paint()
  }

  private wheel(event: WheelEvent, canvas: HTMLCanvasElement): void {
    const { store } = this
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    const dx = event.deltaX * scale
    const dy = event.deltaY * scale
    const isHeader = canvas === this.header
    if (event.ctrlKey || event.metaKey || (isHeader && !event.shiftKey && Math.abs(dy) >= Math.abs(dx))) {
      // A pinch arrives as a Ctrl+wheel with small steps.
      const strength = event.ctrlKey && Math.abs(dy) < 20 ? 6 : 1
      const onStrip = isHeader && event.offsetY < this.stripPx
      const x = onStrip
        ? clamp(store.window.view.x(stripTime(store.window.view, event.offsetX)), store.window.view.width)
        : event.offsetX
      store.window.zoom(WHEEL_ZOOM ** (dy * strength), x)
      event.preventDefault()
    } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
      store.window.pan(event.shiftKey && dx === 0 ? dy : dx)
      event.preventDefault()
    }
    store.hand.hover.value = undefined
  }
}

function ordered(a: number, b: number): readonly [number, number] {
  return a < b ? [a, b] : [b, a]
}

function clamp(x: number, width: number): number {
  return Math.min(Math.max(x, 0), width)
}
