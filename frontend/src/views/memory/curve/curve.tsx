/** The curve with its readout, its size and its keys; `plot.ts` draws it. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

import { formatBytes } from '../../../base/units'
import { adjust, go } from '../../../state/place'
import { theme } from '../../../state/theme'
import { Definition } from '../../../widgets/panel/popup'
import { heightOf, useWidth } from '../../../widgets/use_width'
import type { MemoryUse } from '../../../wire/wire'
import * as define from '../definitions'
import { instantWords } from './instant'
import { life } from '../life'
import { instantChanges, rangeChanges } from '../place'
import { plot } from './plot'

const HEIGHT = 210
const FIRST_WIDTH = 1000
const KEYS = 'Arrow keys move the instant, + and − zoom at it, Esc shows the whole recording.'

export function Curve({ use }: { readonly use: MemoryUse }) {
  const { curve, held, start_ns: t0, end_ns: t1 } = use
  const [box, width] = useWidth<HTMLDivElement>(FIRST_WIDTH)
  const readout = useRef<HTMLParagraphElement>(null)
  const resting = `At ${at([t0, t1], held.time_ns, held.allocated_bytes, held.reserved_bytes)}${held.is_peak ? ' (the peak)' : ''}`
  const restingNow = useRef(resting)
  restingNow.current = resting
  const colors = theme.value
  const shownLife = life.value
  const height = heightOf(HEIGHT)

  useLayoutEffect(() => {
    if (box.current === null) return undefined
    return plot(box.current, {
      curve,
      life: shownLife,
      width,
      range: [t0, t1],
      mark: [held.time_ns, held.allocated_bytes],
      height,
      onRange: (range) => go(rangeChanges(range)),
      onInstant: (time) => go(instantChanges(time)),
      onReset: () => go(rangeChanges(undefined)),
      // Straight into the page: a pointer moves sixty times a second.
      onPoint: (index) => {
        if (readout.current === null) return
        readout.current.textContent = index === undefined ? restingNow.current : `At ${pointText(use, index)}`
      },
    })
  }, [use, shownLife, width, height, colors])
  useEffect(() => {
    if (readout.current !== null) readout.current.textContent = resting
  }, [resting])

  return (
    <section class="memory-curve">
      <div class="memory-key">
        <span class="memory-allocated">Allocated</span>
        {curve.reserved_bytes !== null && (
          <>
            <span class="memory-reserved">Reserved</span>
            <span class="memory-fragmentation">
              Fragmentation <Definition of="Fragmentation" text={define.curve_fragmentation_bytes} />
            </span>
          </>
        )}
        <p ref={readout} class="memory-readout" />
        <span class="grow" />
        <span class="soft">Drag: a range · click: an instant · double click: everything</span>
      </div>
      <div
        ref={box}
        class="memory-plot"
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="slider"
        aria-label={`Instant on the memory curve. ${KEYS}`}
        aria-orientation="horizontal"
        aria-valuemin={t0}
        aria-valuemax={t1}
        aria-valuenow={held.time_ns}
        aria-valuetext={resting}
        title={KEYS}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || !press(event.key, use)) return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
    </section>
  )
}

function pointText({ curve, start_ns: t0, end_ns: t1 }: MemoryUse, index: number): string {
  const [time, allocated] = [curve.time_ns[index] ?? 0, curve.allocated_bytes[index] ?? 0]
  return at([t0, t1], time, allocated, curve.reserved_bytes?.[index] ?? null)
}

function at(range: readonly [number, number], time: number, allocated: number, reserved: number | null): string {
  const more =
    reserved === null
      ? ''
      : `, ${formatBytes(reserved)} reserved, ${formatBytes(Math.max(0, reserved - allocated))} between`
  return `${instantWords(time, range)}: ${formatBytes(allocated)} allocated${more}`
}

/** Does what a key means; false for one that means nothing here. */
function press(key: string, { curve, held, start_ns: t0, end_ns: t1 }: MemoryUse): boolean {
  const times = curve.time_ns
  const before = times.findLastIndex((time) => time <= held.time_ns)
  const moveTo = (index: number): void => {
    const time = times[Math.max(0, Math.min(index, times.length - 1))]
    if (time !== undefined) adjust(instantChanges(time))
  }
  const zoom = (factor: number): void => {
    const [low, high] = [held.time_ns - (held.time_ns - t0) * factor, held.time_ns + (t1 - held.time_ns) * factor]
    if (high - low >= 2) go({ ...rangeChanges([Math.max(0, low), high]), ...instantChanges(held.time_ns) })
  }
  const page = Math.max(1, Math.floor(times.length / 20))
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveTo(previous(times, before)),
    ArrowRight: () => moveTo(next(times, before)),
    PageDown: () => moveTo(before - page),
    PageUp: () => moveTo(before + page),
    Home: () => moveTo(0),
    End: () => moveTo(times.length - 1),
    '+': () => zoom(0.5),
    '=': () => zoom(0.5),
    '-': () => zoom(2),
    Escape: () => go(rangeChanges(undefined)),
  }
  const action = actions[key]
  action?.()
  return action !== undefined
}

/** The last point at an earlier time than that of `index`, the first one at a later: several points may share a time. */
function previous(times: readonly number[], index: number): number {
  const now = times[index] ?? 0
  return times.findLastIndex((time) => time < now)
}

function next(times: readonly number[], index: number): number {
  const now = times[index] ?? 0
  const found = times.findIndex((time) => time > now)
  return found < 0 ? times.length - 1 : found
}
