/** Every key's action as a visible control, and the search. */
import './show.css'
import './toolbar.css'

import { useEffect, useRef, useState } from 'preact/hooks'

import { formatNs } from '../../../base/units'
import { onPicture } from '../../../draw/paint/pen'
import { at, go } from '../../../state/place'
import { isBeside, openBeside } from './beside'
import { Found } from './found'
import { Popup } from '../../../widgets/panel/popup'
import { useRoving } from '../../../widgets/use_roving'
import { Legend, legendOf } from './legend'
import { Marks } from './marks'
import { PerfettoButton } from './perfetto_button'
import type { Tool as HandTool } from '../store/hand'
import { NOT_BESIDE } from '../store/link'
import type { TimelineStore } from '../store/store'

const ZOOM = 0.5
const SEEK_AFTER_MS = 150

interface ToolbarProps {
  readonly store: TimelineStore
  readonly q: string
  readonly isRegex: boolean
  readonly isTable: boolean
  readonly onTable: () => void
}

export function Toolbar({ store, q, isRegex, isTable, onTable }: ToolbarProps) {
  const hasEvent = store.selection.event.value !== undefined
  const hasTarget = hasEvent || store.marks.value.length > 0
  const { hand } = store
  const box = useRoving<HTMLDivElement>()
  const taking = (tool: HandTool) => ({ isPressed: hand.tool.value === tool, onClick: () => hand.take(tool) })
  return (
    <div ref={box} class="tl-toolbar" role="toolbar" aria-label="Timeline">
      <Search store={store} q={q} isRegex={isRegex} />
      <span class="tl-buttons">
        <Tool label="Zoom in" keys="W" text="+" onClick={() => store.window.zoom(ZOOM)} />
        <Tool label="Zoom out" keys="S" text="−" onClick={() => store.window.zoom(1 / ZOOM)} />
        <Tool label="Move left" keys="A" text="←" onClick={() => store.window.pan(-store.window.view.width / 3)} />
        <Tool label="Move right" keys="D" text="→" onClick={() => store.window.pan(store.window.view.width / 3)} />
        <Tool label="Show all" keys="0" text="All" onClick={() => store.window.showAll()} />
        <Tool label="Zoom to the selection" keys="F" text="Fit" disabled={!hasTarget} onClick={() => store.fit()} />
        <Tool label="Draw the stretch to zoom to (or Shift+drag)" keys="B" text="Box" {...taking('range')} />
        <Tool label="Draw an area to sum up by name (or Alt+drag)" keys="E" text="Area" {...taking('area')} />
        <Tool label="Measure: the stretch stays as a mark" keys="R" text="Measure" {...taking('measure')} />
        <Tool
          label="Mark the selected event's time across all tracks"
          keys="M"
          text="Mark"
          isPressed={store.selectedMark !== undefined}
          disabled={!hasEvent}
          onClick={() => store.toggleMark()}
        />
      </span>
      <Show store={store} isTable={isTable} onTable={onTable} />
      <Marks store={store} />
      <span class="grow" />
      <WindowWords store={store} />
      <Legend store={store} />
    </div>
  )
}

interface ToolProps {
  readonly label: string
  readonly keys: string
  readonly text: string
  readonly disabled?: boolean
  readonly isPressed?: boolean
  readonly onClick: () => void
}

function Tool({ label, keys, text, disabled = false, isPressed, onClick }: ToolProps) {
  return (
    <button
      type="button"
      class="button"
      title={`${label} (${keys})`}
      aria-label={/^\w/.test(text) && !label.startsWith(text) ? `${text}: ${label}` : label} // what is read begins with what is seen
      aria-pressed={isPressed}
      disabled={disabled}
      onClick={onClick}
    >
      {text}
    </button>
  )
}

/** What of the tracks is hidden or was moved, which values are shown, and what else there is to see. */
function Show({ store, isTable, onTable }: Pick<ToolbarProps, 'store' | 'isTable' | 'onTable'>) {
  const { hidden, order, heights } = store.picture.arrangement.value
  const shown = store.shownValues
  return (
    <Popup
      isKept
      label="Show"
      content={(close) => (
        <div class="tl-show">
          <Switches
            label="Values over time"
            all={store.values.all.map(({ id, title }) => [
              title,
              shown.some((track) => track.id === id),
              () => store.toggleValue(id),
            ])}
          />
          <Switches
            label="Hidden tracks"
            all={store.tracks.tracks.flatMap(({ id, name }) =>
              hidden.has(id) ? [[name, false, () => store.toggle('hidden', id)] as const] : [],
            )}
          />
          {order.length + heights.size > 0 && (
            <button type="button" class="button" onClick={() => store.resetTracks()}>
              Tracks as they were
            </button>
          )}
          <h3>Other ways to see it</h3>
          <span class="tl-buttons">
            <button type="button" class="button" aria-pressed={isTable} onClick={onTable}>
              As table
            </button>
            <button
              type="button"
              class="button"
              aria-pressed={isBeside()}
              title="Another step, or another profile, below on the same axis"
              onClick={() => {
                if (isBeside()) go(NOT_BESIDE)
                else openBeside(store)
                close()
              }}
            >
              Beside
            </button>
            <PerfettoButton store={store} />
          </span>
        </div>
      )}
    />
  )
}

interface SwitchesProps {
  readonly label: string
  readonly all: readonly (readonly [words: string, isOn: boolean, toggle: () => void])[]
}

function Switches({ label, all }: SwitchesProps) {
  return all.length === 0 ? null : (
    <>
      <h3>{label}</h3>
      <span class="tl-buttons tl-parts" role="group" aria-label={label}>
        {all.map(([words, isOn, toggle], index) => (
          <button key={index} type="button" class="button" aria-pressed={isOn} onClick={toggle}>
            {words}
          </button>
        ))}
      </span>
    </>
  )
}

function WindowWords({ store }: { readonly store: TimelineStore }) {
  const words = useRef<HTMLSpanElement>(null)
  store.window.followSettled()
  const { view } = store.window
  const { start_ns: start, end_ns: end } = store.tracks // one of 0 ns is shown wider
  const [t0, t1] = [Math.max(view.t0, start), Math.min(view.t1, end)]
  const [length, whole] = [formatNs(t1 - t0), formatNs(end - start)]
  const range = `${formatNs(t0 - start)} to ${formatNs(t1 - start)}: ${length} of ${whole}`
  const grain = IS_REPORT ? grainOf(store) : 0
  const coarse = IS_REPORT && grain > view.nsPerPx ? ` · drawn to ${formatNs(grain)}` : ''
  useEffect(() => {
    const stop = new AbortController()
    onPicture(() => {
      const { current } = words
      const legend = legendOf(store.beside.value === undefined ? [store] : [store, store.beside.value])
      if (current !== null) current.dataset['picture'] = JSON.stringify({ lines: [current.title], legend })
    }, stop)
    return () => stop.abort()
  }, [store])
  return (
    <span ref={words} class="soft tl-window" title={range} aria-live="off">
      <span>{length}</span> <span>of {whole}</span>
      {IS_REPORT && coarse !== '' && (
        <span
          title={
            `This report draws this stretch to ${formatNs(grain)}: events nearer than that may be one, ` +
            `and edges beside their place. tb-plugin serve draws each.`
          }
        >
          {coarse}
        </span>
      )}
    </span>
  )
}

/** How fine the picture is, in ns: a report has what it has, however near one looks. */
function grainOf({ tracks: { tracks }, loader, window }: TimelineStore): number {
  const blocks = tracks.flatMap(({ id }) => loader.blocksFor(id, window.view) ?? [])
  return Math.max(0, ...blocks.map(({ bucketNs, unitNs }) => Math.max(bucketNs, unitNs)))
}

function Search({
  store,
  q,
  isRegex,
}: {
  readonly store: TimelineStore
  readonly q: string
  readonly isRegex: boolean
}) {
  const [text, setText] = useState(q)
  const asked = useRef(isRegex)
  asked.current = isRegex
  useEffect(() => setText(q), [q])
  useEffect(() => {
    if (text === q) return undefined
    // What the button asked for meanwhile stays: a busy page clears this timer only after it has rung.
    const timer = setTimeout(() => store.search.type(text, asked.current), SEEK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, q, isRegex])
  return (
    <span class="tl-search" role="search">
      <input
        type="search"
        data-search
        placeholder="Search"
        aria-label="Search names of events"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            if (text !== q) store.search.type(text, isRegex) // faster than the moment that typing waits
            void store.search.next(event.shiftKey ? -1 : 1)
          } else if (event.key === 'Escape') event.currentTarget.blur()
          else return
          event.preventDefault()
        }}
      />
      <button
        type="button"
        class="button"
        title="Regular expression"
        aria-label="Regular expression"
        aria-pressed={isRegex}
        onClick={() => store.search.type(text, !isRegex)}
      >
        .*
      </button>
      {q !== '' && (
        <>
          <Found store={store} />
          <button
            type="button"
            class="button"
            title="List what was found"
            aria-pressed={at('timeline.list') === '1'}
            onClick={() => go({ 'timeline.list': at('timeline.list') === '1' ? undefined : '1' })}
          >
            List
          </button>
        </>
      )}
    </span>
  )
}
