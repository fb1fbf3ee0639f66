/** The canvases between the track list and the scroll bar. Draws outside of Preact: no component renders while panning. */
import './values.css'

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { plural } from '../../../base/units'
import { runs } from '../../../data/runs'
import type { GroupPlace } from '../../../draw/blocks/lane_layout'
import { AXIS_PX, headerPx, stripPx, stripRowPx } from '../../../draw/paint/paint_header'
import { VALUE_PX, valueWords } from '../../../draw/paint/paint_values'
import { onPicture } from '../../../draw/paint/pen'
import { theme } from '../../../state/theme'
import { CutName, useCutNames } from '../../../widgets/cut_name'
import { Definition } from '../../../widgets/panel/popup'
import * as define from '../definitions'
import { drag } from './drag'
import { EdgeNames } from './edge_names'
import { Gestures } from './gestures'
import { PAGE_LINK } from '../store/link'
import { endsOf, wholeRowsPx } from '../store/values'
import { openMenu, rowItems } from '../store/menu'
import { Keys } from './keys'
import { Painter } from './painter'
import type { Canvases } from './painter'
import type { ValueTrack } from '../../../wire/wire'
import type { TimelineStore } from '../store/store'
import { Tooltip } from './tooltip'
import { TrackList } from './track_list'

interface SurfaceProps {
  readonly store: TimelineStore
  /** What lies over the tracks. */
  readonly children: ComponentChildren
}

export function Surface({ store, children }: SurfaceProps) {
  const header = useRef<HTMLCanvasElement>(null)
  const tracks = useRef<HTMLCanvasElement>(null)
  const values = useRef<HTMLCanvasElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const { tracks: list, n_events: nEvents } = store.tracks
  const { height, groups } = store.picture.layout.value
  const near = store.picture.named.value // read here: the names that come into sight are written anew
  const surface = useCutNames<HTMLDivElement>()

  useLayoutEffect(() => {
    const all = [header.current, tracks.current, values.current, scroller.current] as const
    const [head, main, curves, box] = all
    if (head === null || main === null || curves === null || box === null) return undefined
    return connect(store, { header: head, tracks: main, values: curves }, box)
  }, [store])

  return (
    <div ref={surface} class="tl-surface">
      <span class="tl-widen" aria-hidden="true" onPointerDown={widen} />
      <div
        class="tl-header"
        style={{
          height: `${headerPx(store.tracks)}px`,
          '--tl-strip': `${stripPx(store.tracks.density.length) + AXIS_PX}px`,
        }}
        onContextMenu={(event) => {
          const { density } = store.tracks
          const row = density[rowAt(event, stripRowPx(density.length))] ?? density[0]
          openMenu(event, rowItems(row?.name ?? ''))
        }}
      >
        <WindowWords store={store} />
        <canvas ref={header} class="tl-header-canvas" aria-hidden="true" />
      </div>
      <div
        class="tl-values"
        onContextMenu={(event) => {
          const row = store.shownValues[rowAt(event, VALUE_PX)]
          if (row !== undefined) openMenu(event, rowItems(row.title, valueOf(row)))
        }}
      >
        <ul class="tl-values-list" aria-label="Values">
          {store.shownValues.map((row) => {
            const ends = endsOf(row)
            const exact = ends.map((end) => end.toLocaleString('en-US')).join(' to ')
            const reach = valueOf(row)
            const isOfAll = row.kept === null && store.values.reply.value?.is_lit === true
            const words = `${row.title}${isOfAll ? ' of everything' : ''}: ${ends[1] === undefined ? 'at most ' : ''}${reach} (${exact})`
            return (
              <li key={row.id} title={words} aria-label={words} style={{ height: `${VALUE_PX}px` }}>
                <CutName name={row.title} />
                <span class="soft">{isOfAll ? `${reach}, of everything` : reach}</span>
                <Definition of={row.title} text={meaning(row.id)} />
              </li>
            )
          })}
        </ul>
        <canvas ref={values} aria-hidden="true" style={{ height: `${store.shownValues.length * VALUE_PX}px` }} />
      </div>
      <div ref={scroller} class="tl-scroller">
        <div class="tl-content" style={{ height: `${height}px`, '--tl-open': `${openPx(groups) ?? height}px` }}>
          <TrackList store={store} near={near} />
          <div class="tl-sticky">
            <canvas
              ref={tracks}
              class="tl-tracks"
              tabIndex={0}
              role="application"
              aria-label={`Timeline of ${plural(nEvents, 'event')} on ${plural(list.length, 'track')}. W and S zoom, A and D move. "As table" lists the visible events.`}
            />
            <EdgeNames store={store} />
            <Tooltip store={store} />
          </div>
        </div>
      </div>
      {children}
    </div>
  )
}

function valueOf(row: ValueTrack): string {
  const ends = endsOf(row)
  return valueWords({ ...row, least: ends, most: ends.slice(-1) }, 0)
}

/** Which row of those that lie in the element is pointed at. */
function rowAt({ currentTarget, clientY }: MouseEvent, rowPx: number): number {
  return Math.floor((clientY - (currentTarget as HTMLElement).getBoundingClientRect().top) / rowPx)
}

/** Where the folded groups at the end begin: a saved picture ends there. */
function openPx(groups: readonly GroupPlace[]): number | undefined {
  const last = groups.findLastIndex(({ isFolded }) => !isFolded)
  return last < 0 ? undefined : groups[last + 1]?.top
}

const MEANINGS = [
  ['allocated-above', define.value_above],
  ['allocated', define.value_allocated],
  ['reserved', define.value_reserved],
  ['busy', define.value_busy],
  ['queue', define.value_queue],
] as const

function meaning(id: string): string {
  return MEANINGS.find(([start]) => id.startsWith(start))?.[1] ?? define.value_counter
}

const NAMES_PX = [80, 600] as const

/** The list of names is as wide as it is dragged; the link keeps it. */
function widen(event: PointerEvent): void {
  const { offsetLeft, offsetWidth } = event.currentTarget as HTMLElement
  const before = offsetLeft + offsetWidth
  drag(event, (dx) => {
    const px = Math.min(Math.max(before + dx, NAMES_PX[0]), NAMES_PX[1])
    PAGE_LINK.adjust({ 'timeline.names': String(Math.round(px)) })
  })
}

const NAMED_PX = 9 // less high rows of the strip have no names

/** What the strip shows, left of it. */
function WindowWords({ store }: { readonly store: TimelineStore }) {
  const device = store.tracks.density.map(({ name, busy, points }) =>
    points.length > 0 && busy.every((share) => share === 0) ? [name, 'events, all of 0 ns'] : [name, 'busy'],
  )
  const rowPx = stripRowPx(device.length)
  const [first] = device
  const words = rowPx >= NAMED_PX ? device : [first ?? [], ['and', `${device.length - 1} more, from above`]]
  return (
    <div class="tl-corner" style={{ height: `${stripPx(device.length)}px`, fontSize: `${Math.min(rowPx - 1, 11)}px` }}>
      {words.map(([name, what]) => (
        <span key={name} class="soft">
          {name} {what}
        </span>
      ))}
    </div>
  )
}

function connect(store: TimelineStore, canvases: Canvases, scroller: HTMLElement): () => void {
  const { header, tracks, values } = canvases
  const content = scroller.firstElementChild as HTMLElement
  const stop = new AbortController()
  const keys: Keys = new Keys(store, tracks, () => painter.request())
  const painter: Painter = new Painter(store, canvases, (now) => keys.animate(now))
  const detach = store.picture.attach({
    paint: () => painter.request(),
    scrollTo: (top) => {
      // What has just been opened is not rendered yet: as high as it was, it would end above.
      content.style.height = `${store.picture.layout.value.height}px`
      scroller.scrollTop = top
    },
  })
  keys.listen(stop.signal)
  new Gestures(store, header, tracks, values, scroller).listen(stop.signal)
  scroller.addEventListener(
    'scroll',
    () => {
      store.hand.hover.value = undefined
      store.picture.scrolled(scroller.scrollTop)
    },
    { signal: stop.signal, passive: true },
  )
  onPicture((penFor) => painter.paintWith(penFor), stop)
  const rows = values.parentElement as HTMLElement
  const surface = rows.parentElement as HTMLElement
  const size = new ResizeObserver(() => {
    // A picture is as high as they are.
    if (surface.closest('.is-picture') === null)
      rows.style.maxHeight = `${wholeRowsPx(surface.clientHeight - rows.offsetTop, innerHeight)}px`
    scroller.style.setProperty('--tl-height', `${scroller.clientHeight}px`)
    store.picture.resized(scroller.clientHeight, store.selection.event.value)
  })
  for (const each of [surface, scroller, header]) size.observe(each)
  const repaint = (): void => painter.request()
  const unsubscribe = [
    theme.subscribe(() => painter.forgetColors()),
    runs.subscribe(repaint),
    store.hand.hover.subscribe(repaint),
    store.search.state.subscribe(repaint),
    store.marks.subscribe(repaint),
    store.area.subscribe(repaint),
    store.picture.layout.subscribe(repaint),
    store.values.reply.subscribe(repaint),
  ]
  // Keys need the focus inside TensorBoard's iframe; nothing else on the page has it when a view is opened.
  const quietly: FocusOptions & { focusVisible: boolean } = { preventScroll: true, focusVisible: false }
  if (document.activeElement === document.body) tracks.focus(quietly)
  return () => {
    stop.abort()
    size.disconnect()
    for (const each of unsubscribe) each()
    painter.stop()
    detach()
    store.stop()
  }
}
