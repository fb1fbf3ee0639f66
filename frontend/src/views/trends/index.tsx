import './trends.css'

import { useEffect, useMemo, useRef } from 'preact/hooks'

import { formatTime, plural } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { runs } from '../../data/runs'
import { adjust, at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import { CopyButton } from '../../widgets/links/clipboard'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { DataTable } from '../../widgets/table/data_table'
import type { TrendLine, TrendPoint, Trends } from '../../wire/wire'
import { JointFrame } from '../joint_frame'
import { opening } from '../links'
import { Chart, MOST_COLORS, colorOf } from './chart'
import { CHARTS } from './charts'
import { COLUMNS } from './columns'
import * as define from './definitions'
import { comparing, comparingLevels, hand, looked, moved, openingOf, pointAt } from './hand'

const LINES = [
  { id: 'auto', label: 'as recorded' },
  { id: 'run', label: 'one a run' },
  { id: 'worker', label: 'one a worker' },
  { id: 'directory', label: 'all runs together' },
] as const
const ALONG = [
  { id: 'order', label: 'order' },
  { id: 'time', label: 'time' },
  { id: 'step', label: 'training step' },
] as const
const TYPED_MS = 250 // after the last letter: each question is about every profile

export function TrendsView() {
  const line = LINES.find(({ id }) => id === at('trends.line'))?.id ?? 'auto'
  const only = at('trends.only') ?? ''
  const { value: reply, error } = useJointReply('view/trends', { line, only }).value
  // What is not a pattern yet is said beside it; what was drawn stays.
  const isPattern = error !== undefined && only !== '' && reply !== undefined
  return (
    <div class="trends">
      <div class="trends-bar">
        <Select
          label="Lines"
          value={line}
          options={LINES}
          onChoose={(id) => go({ 'trends.line': id === 'auto' ? undefined : id })}
        />
        <Select
          label="Along"
          value={along()}
          options={ALONG}
          onChoose={(id) => go({ 'trends.along': id === 'order' ? undefined : id })}
        />
        <RunsBox only={only} />
        {isPattern && (
          <span class="trends-problem" role="status">
            {error}
          </span>
        )}
        <span class="soft">
          A change is confirmed 5 to 8 profiles later <Definition of="a change" text={define.changes} />
        </span>
      </div>
      <JointFrame state={{ value: reply, error: isPattern ? undefined : error }}>
        {({ result }) => <Answer result={result} />}
      </JointFrame>
    </div>
  )
}

/** Asks a moment after the last letter. */
function RunsBox({ only }: { readonly only: string }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <label>
      Runs{' '}
      <input
        type="search"
        placeholder="regular expression"
        value={only}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => adjust({ 'trends.only': value || undefined }), TYPED_MS)
        }}
      />
    </label>
  )
}

function along(): (typeof ALONG)[number]['id'] {
  return ALONG.find(({ id }) => id === at('trends.along'))?.id ?? 'order'
}

function Answer({ result: { lines: all, baseline, is_cut: isCut } }: { readonly result: Trends }) {
  const opened = at('run')
  const isOpened = ({ points }: TrendLine): boolean => points.some(({ run }) => run === opened)
  // The run that is open first: it has a colour, and stands before the others.
  const lines = useMemo(() => [...all.filter(isOpened), ...all.filter((line) => !isOpened(line))], [all, opened])
  const front = useMemo(() => {
    const found = lines.map(isOpened)
    return found.includes(true) ? found : []
  }, [lines, opened])
  const rows = useMemo(() => lines.flatMap(({ points }) => points), [lines])
  const charts = useMemo(() => CHARTS.filter((chart) => rows.some((point) => (chart.value(point) ?? 0) !== 0)), [rows])
  if (rows.length === 0) return <p class="notice">No run here has this name.</p>
  return (
    <>
      <Legend lines={lines} />
      <Said lines={lines} />
      <div
        class="trends-charts"
        role="group"
        tabIndex={0}
        aria-label="Charts. Arrow keys move the point, Enter opens its profile, Shift and Enter compare it with the one before."
        onKeyDown={(event) => onKey(event, lines)}
        onMouseLeave={() => (hand.value = undefined)}
      >
        {charts.map((chart) => (
          <Chart key={chart.id} lines={lines} chart={chart} along={along()} front={front} baseline={baseline} />
        ))}
      </div>
      <div class="trends-table">
        <DataTable
          id="trends"
          label="Profiles"
          rows={rows}
          columns={COLUMNS}
          sort={{ column: 'recorded_ns', descending: true }}
          keyOf={keyOf}
          goTo={opening}
          isLive
          totals={(shown) => `${plural(shown.length, 'profile')}${isCut ? ', older ones are left out' : ''}`}
          fileParts={[]}
        />
      </div>
    </>
  )
}

function keyOf({ run, worker, span }: TrendPoint): string {
  return `${run} ${worker} ${span}`
}

/** A name shows its run alone. */
function Legend({ lines }: { readonly lines: readonly TrendLine[] }) {
  if (lines.length < 2) return null
  return (
    <p class="trends-legend">
      {lines.slice(0, MOST_COLORS).map(({ name, points }, line) => (
        <button
          type="button"
          class="link"
          key={name}
          title="Show this run alone"
          onClick={() => go({ 'trends.only': `^${escaped(points[0]?.run ?? name)}$` })}
        >
          <i style={{ background: colorOf(line) }} />
          {name}
        </button>
      ))}
      {lines.length > MOST_COLORS && (
        <span class="soft">
          <i style={{ background: colorOf(lines.length) }} />
          {lines.length - MOST_COLORS} more in grey
        </span>
      )}
    </p>
  )
}

/** A name as a pattern that finds itself. */
function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The point that is looked at, and what can be done with it. */
function Said({ lines }: { readonly lines: readonly TrendLine[] }) {
  const place = looked(lines)
  const point = place && pointAt(lines, place)
  if (place === undefined || point === undefined) return null
  const [open, compare, levels] = [openingOf(lines, place), comparing(lines, place), comparingLevels(lines, place)]
  const said = [point.run, point.label, formatTime(point.recorded_ns), point.changed, point.note].filter(Boolean)
  return (
    <p class="trends-said" aria-live="polite">
      {said.join(' · ')}
      {open !== undefined && (
        <PlaceLink to={open} class="link">
          open
        </PlaceLink>
      )}
      {compare !== undefined && (
        <PlaceLink to={compare} class="link">
          compare with the one before
        </PlaceLink>
      )}
      {levels !== undefined && (
        <PlaceLink to={levels} class="link" title="Up to ten profiles each, as recordings of two programs">
          compare both sides of the last change
        </PlaceLink>
      )}{' '}
      <CopyButton
        isSmall
        label="New normal"
        title="Copies the command that marks this profile as the begin of a new normal: the server writes nothing into a log directory"
        text={() => normalCommand(point, runs.value.reply?.logdirs[0] ?? 'LOGDIR')}
      />
    </p>
  )
}

/** For a shell: quoted, whatever is in the names. */
export function normalCommand({ run, span }: Pick<TrendPoint, 'run' | 'span'>, logdir: string): string {
  const quoted = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`
  return `tb-plugin normal ${quoted(logdir)} --run ${quoted(run)} --span ${quoted(span)} --reason '…'`
}

function onKey(event: KeyboardEvent, lines: readonly TrendLine[]): void {
  const place = looked(lines)
  if (place === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target !== event.currentTarget) return
  if (event.code === 'Enter') {
    const to = event.shiftKey ? comparing(lines, place) : openingOf(lines, place)
    if (to !== undefined) go(to)
  } else {
    const next = moved(lines, place, event.code)
    if (next === undefined) return
    hand.value = next
  }
  event.preventDefault()
  event.stopPropagation()
}
