/** Several ranks of one step side by side, on one clock: who computes, waits and moves data, and the critical path. */
import './lanes.css'

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { UNTOLD, WAIT } from '../../../base/categories'
import { exactCount, formatNs, plural } from '../../../base/units'
import { useJointReply } from '../../../data/joint'
import { onPicture } from '../../../draw/paint/pen'
import type { Pen } from '../../../draw/paint/pen'
import { adjust, at, go } from '../../../state/place'
import { theme } from '../../../state/theme'
import { Definition } from '../../../widgets/panel/popup'
import { useWidth } from '../../../widgets/use_width'
import { Said } from '../../../widgets/panel/said'
import type { RankLanes, RanksTable } from '../../../wire/wire'
import { JointFrame } from '../../joint_frame'
import { ofShownJob } from '../../of_job'
import { AsTable } from '../as_table'
import { cameLast } from '../collectives/came_last'
import * as define from '../definitions'
import { AXIS, LEFT, draw, hasRoom, layoutOf, memberAt, ticksOf, xOf } from './lanes_picture'
import type { Colors, Layout, Stretch } from './lanes_picture'
import { shown } from '../hang'
import { press } from './lanes_keys'
import { ELSEWHERE, marksOf } from './lanes_marks'
import type { LaneMarks } from './lanes_marks'
import { Marks } from './lanes_marks_list'
import { PAN, ZOOM, fit, look, mark, moved, pinnedOf, seenOf, zoom } from './lanes_moves'
import { LanesTable, keeping, kindOf, timesOf } from './lanes_table'
import { NotAmong, OneCollectivePanel } from '../collectives/one_collective'
import { EVERYTHING, UNPINNED } from '../rank_links'
import { waited } from '../waited'

/** `table`: the ranks that words leave of the whole. */
interface LanesProps {
  readonly table: Pick<RanksTable, 'ranks'>
  readonly run: string
  readonly whole: Pick<RanksTable, 'ranks' | 'clock_error_ns'>
}

export function Lanes({ table, run, whole }: LanesProps) {
  const step = at('ranks.step')
  const kept = table.ranks.length < whole.ranks.length ? shown(table.ranks.map(({ rank }) => rank)) : undefined
  const wanted = useJointReply('view/ranks/lanes', {
    ...ofShownJob(run),
    ranks: at('ranks.of') ?? kept,
    ...(step === 'all' ? { whole: true } : step === undefined ? {} : { step: Number(step) }),
  }).value
  // What is not there is said beside the box in which one can ask again; a link has no picture yet, and gets another one's.
  const isLost = wanted.error !== undefined && wanted.value?.result.run !== run
  const instead = useJointReply('view/ranks/lanes', isLost ? { ...ofShownJob(run), ranks: kept } : undefined).value
  const state = isLost || wanted.value === undefined ? instead : { ...wanted, error: undefined }
  return (
    <JointFrame state={state}>
      {({ result }) =>
        result.lanes.length === 0 ? (
          <p class="notice">{result.notes.join(' ')}</p>
        ) : (
          <SideBySide key={result.run} reply={result} run={run} error={whole.clock_error_ns} wrong={wanted.error} />
        )
      }
    </JointFrame>
  )
}

interface SideBySideProps {
  readonly reply: RankLanes
  readonly run: string
  readonly error: number | null
  readonly wrong: string | undefined
}

/** `error`: of the hosts' clocks; `wrong`: why this is not what the link asks for. */
function SideBySide({ reply, run, error, wrong }: SideBySideProps) {
  const [box, width] = useWidth<HTMLDivElement>(900)
  const [pointed, setPointed] = useState({ of: reply, place: -1 })
  const isRaw = at('ranks.clock') === 'raw'
  const isTable = at('ranks.as') === 'table'
  const seen = seenOf(reply)
  const layout = useMemo(() => layoutOf(reply, width, isRaw), [reply, width, isRaw])
  const pinned = pinnedOf(reply)
  const marks = marksOf(reply, layout)
  const marked = pointed.of === reply && pointed.place >= 0 ? pointed.place : pinned
  return (
    <div class="ranks-lanes">
      <Tools reply={reply} layout={layout} seen={seen} marks={marks} isRaw={isRaw} wrong={wrong} />
      {reply.notes.map((note) => (
        <p key={note} class="soft">
          <Said text={note} />
        </p>
      ))}
      {!isTable && <Axis layout={layout} seen={seen} marks={marks} />}
      <div ref={box} class="ranks-lanes-box">
        {isTable ? (
          <LanesTable reply={reply} run={run} error={error} />
        ) : (
          <Picture
            reply={reply}
            layout={layout}
            seen={seen}
            marks={marks}
            marked={marked}
            onPoint={(place) => setPointed({ of: reply, place })}
          />
        )}
      </div>
      {reply.n_left_out > 0 && (
        <p class="view-note">{plural(reply.n_left_out, 'collective')} are left out, the shortest.</p>
      )}
      <div class="ranks-lanes-told">
        <p class="ranks-legend" role="status">
          {marked >= 0
            ? said(reply, marked, error)
            : !isTable && marks.here.length === 0 && marks.n_elsewhere > 0
              ? `No mark is here for F to fit: ${marks.n_elsewhere === 1 ? 'it is' : `all ${exactCount(marks.n_elsewhere)} are`} ${ELSEWHERE}.`
              : !isTable &&
                'A collective under the pointer shows all of its members; a click keeps it, and so do arrow keys.'}
        </p>
        <NotAmong isHere={pinned >= 0} />
        {pinned >= 0 && <OneCollectivePanel run={run} reply={reply} place={pinned} error={error} />}
      </div>
    </div>
  )
}

/** Over that of the picture, and in sight however far down that is scrolled. A name of the first lane reaches 3 px above it. */
function Axis({ layout, seen, marks }: Pick<PictureProps, 'layout' | 'seen' | 'marks'>) {
  return (
    <div class="ranks-lanes-axis" style={{ height: `${AXIS - 3}px` }} aria-hidden="true">
      {ticksOf(layout, seen).map((ns) => {
        const left = Math.round(xOf(layout, seen, ns))
        const text = formatNs(ns)
        return hasRoom(layout, seen, left, text, marks.here) && <span key={ns} style={{ left: `${left}px` }}>{text}</span> // prettier-ignore
      })}
      {marks.here.map(({ place, t0 }, nth) => {
        const left = Math.round(xOf(layout, seen, t0))
        return left >= LEFT && <b key={place} style={{ left: `${left}px` }}>{nth + 1}</b> // prettier-ignore
      })}
    </div>
  )
}

interface ToolsProps {
  readonly reply: RankLanes
  readonly layout: Layout
  readonly seen: Stretch
  readonly marks: LaneMarks
  readonly isRaw: boolean
  readonly wrong: string | undefined
}

function Tools({ reply, layout, seen, marks, isRaw, wrong }: ToolsProps) {
  const pinned = pinnedOf(reply)
  return (
    <div class="ranks-lanes-tools">
      {reply.steps.length > 0 && (
        <label>
          step{' '}
          <select
            value={String(reply.step ?? 'all')}
            onChange={(event) => go({ 'ranks.step': event.currentTarget.value, ...EVERYTHING, ...UNPINNED })}
          >
            {[...reply.steps, 'all'].map((step) => (
              <option key={step} value={step}>
                {step}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        ranks{' '}
        <input
          type="text"
          size={10}
          placeholder="4-7,12"
          value={at('ranks.of') ?? ''}
          aria-label={`Ranks, of ${reply.n_ranks}`}
          aria-invalid={wrong !== undefined}
          onChange={(event) => {
            const wanted = event.currentTarget.value.trim()
            go({ 'ranks.of': wanted === '' ? undefined : wanted })
          }}
        />
      </label>
      {wrong !== undefined && (
        <span class="is-bad" role="alert">
          {wrong}
        </span>
      )}
      <span class="soft">
        {reply.lanes.length} of {plural(reply.n_ranks, 'rank')}
      </span>
      <button type="button" class="button is-small" title="Zoom in (W)" onClick={() => zoom(reply, seen, 1 / ZOOM)}>
        +
      </button>
      <button type="button" class="button is-small" title="Zoom out (S)" onClick={() => zoom(reply, seen, ZOOM)}>
        −
      </button>
      <button type="button" class="button is-small" title="All of it (0)" onClick={() => adjust(EVERYTHING)}>
        Whole
      </button>
      <button
        type="button"
        class="button is-small"
        title="Zoom to the collective that is kept, else to all marks (F)"
        disabled={pinned < 0 && marks.here.length === 0}
        onClick={() => fit(reply, layout)}
      >
        Fit
      </button>
      <button
        type="button"
        class="button is-small"
        title="Mark the collective that is kept, over all ranks (M)"
        aria-pressed={marks.here.some(({ place }) => place === pinned)}
        disabled={pinned < 0}
        onClick={() => mark(reply)}
      >
        Mark
      </button>
      <Marks reply={reply} marks={marks} />
      <button
        type="button"
        class="button is-small"
        aria-pressed={isRaw}
        title="Each rank on the clock of its own host"
        onClick={() => go({ 'ranks.clock': isRaw ? undefined : 'raw' })}
      >
        Raw clocks
      </button>
      <AsTable picture="Picture" />
      <p class="ranks-legend">
        {LEGEND.map(([words, color]) => (
          <span key={words}>
            <span class="swatch" style={{ background: color }} />
            {words}
          </span>
        ))}
        <Definition of="waiting" text={`${define.wait_ns}\n${define.untold_ns}`} />
      </p>
    </div>
  )
}

const LEGEND = [
  ['computing', 'var(--c-kernel)'],
  ['waiting', WAIT],
  ['moving data', 'var(--c-communication)'],
  ['not told apart', UNTOLD],
  ['critical path', 'var(--text)'],
] as const

interface PictureProps {
  readonly reply: RankLanes
  readonly layout: Layout
  readonly seen: Stretch
  readonly marks: LaneMarks
  readonly marked: number
  readonly onPoint: (place: number) => void
}

function Picture({ reply, layout, seen, marks, marked, onPoint }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const grabbed = useRef<{ readonly x: number; readonly seen: Stretch; moved: boolean } | undefined>(undefined)
  const now = theme.value
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d') ?? null
    if (element === null || context === null) return undefined
    const ratio = window.devicePixelRatio
    element.width = Math.round(layout.width * ratio)
    element.height = Math.round(layout.height * ratio)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const paint = (pen: Pen): void => draw(pen, reply, layout, seen, colors(), marked, marks.here, formatNs)
    paint(context)
    const stop = new AbortController()
    onPicture((penFor) => paint(penFor(element)), stop)
    return () => stop.abort()
  }, [reply, layout, seen.t0, seen.t1, marked, at('ranks.mark'), now])
  useLayoutEffect(() => {
    const stop = new AbortController()
    document.addEventListener('keydown', (event) => press(event, canvas.current, reply, seen, layout), stop)
    return () => stop.abort()
  })
  const under = (event: MouseEvent): number => {
    const area = (event.currentTarget as Element).getBoundingClientRect()
    return memberAt(reply, layout, seen, event.clientX - area.left, event.clientY - area.top)
  }
  const placeOf = (event: MouseEvent): number => {
    const area = (event.currentTarget as Element).getBoundingClientRect()
    return Math.max((event.clientX - area.left - LEFT) / (layout.width - LEFT), 0)
  }
  return (
    <canvas
      ref={canvas}
      class="ranks-lanes-canvas"
      style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
      tabIndex={0}
      role="img"
      aria-label={`${plural(reply.lanes.length, 'rank')} side by side, ${formatNs(reply.length_ns)}. Arrows go from collective to collective; the table has the same values.`}
      onMouseMove={(event) => {
        const held = grabbed.current
        if (held === undefined) return onPoint(under(event))
        const moved = ((event.clientX - held.x) / (layout.width - LEFT)) * (held.seen.t1 - held.seen.t0)
        held.moved ||= Math.abs(event.clientX - held.x) > 3
        if (held.moved) look(reply, held.seen.t0 - moved, held.seen.t1 - moved)
        return undefined
      }}
      onMouseDown={(event) => {
        grabbed.current = { x: event.clientX, seen, moved: false }
      }}
      onMouseUp={(event) => {
        const held = grabbed.current
        grabbed.current = undefined
        if (held === undefined || held.moved) return
        const place = under(event)
        go(place < 0 ? UNPINNED : keeping(reply, place))
      }}
      onMouseLeave={() => {
        grabbed.current = undefined
        onPoint(-1)
      }}
      onDblClick={() => adjust(EVERYTHING)}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.shiftKey) return
        event.preventDefault()
        const by = event.deltaY === 0 ? event.deltaX : event.deltaY
        if (event.ctrlKey) zoom(reply, seen, by > 0 ? ZOOM : 1 / ZOOM, placeOf(event))
        else look(reply, ...moved(seen, Math.sign(by) * PAN))
      }}
    />
  )
}

function colors(): Colors {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string): string => style.getPropertyValue(name).trim()
  return {
    text: of('--text'),
    soft: of('--text-soft'),
    line: of('--line'),
    computing: of('--c-kernel'),
    communication: of('--c-communication'),
    path: of('--text'),
    hatch: of('--line-strong'),
    mark: of('--accent'),
  }
}

/** `rank 4, all-reduce (tensor): waits 1.88 ms, then moves data for 61.0 us`. */
function said(reply: RankLanes, place: number, error: number | null): string {
  const { members } = reply
  const [start, arrived, end] = timesOf(reply, place)
  const { rank, host } = reply.lanes[members.lane[place] ?? 0] ?? { rank: '', host: null }
  const who = `rank ${rank}${host === null ? '' : ` (${host})`}, ${kindOf(reply, place)}`
  if (members.is_known[place] !== true) return `${who}: ${formatNs(end - start)}; wait and transfer not told apart`
  const last = reply.lasts[members.last[place] ?? -1] ?? []
  const comes = last.length > 1 ? cameLast(last) : 'comes last'
  const waits = members.is_last[place] === true ? comes : `waits ${waited(arrived - start, error)}`
  return `${who}: ${waits}, then moves data for ${formatNs(members.transfer_ns[place] ?? 0)}`
}
