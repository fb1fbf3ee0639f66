import './runs.css'

import { Names } from '../../base/names'
import { plural } from '../../base/units'
import { isCancelled } from '../../data/runs'
import type { Changes } from '../../state/hash'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf, type Column } from '../../widgets/table/column'
import { saidPlainly } from '../../widgets/panel/said'
import type { RunRow, RunsTable } from '../../wire/wire'
import { MONO_PX } from '../../widgets/use_width'
import { opening } from '../links'
import { RUN_ROW } from './row_figures'

/** What tells which run is worse, and why, stands before the rest: these columns, as wide as a window of 1,440 px has room for. */
export function columnsFor({ each, rows }: RunsTable): readonly Column<RunRow>[] {
  const files = filesOfAlike(rows, each)
  const hasSentence = rows.some((row) => row.reason !== null)
  const who = {
    worker: { kind: 'name', width: wide(rows, ({ label }) => label), value: (row: RunRow) => row.label },
    span: { width: 176, hidden: each !== 'span' },
  } as const
  const columns = columnsOf<RunRow, typeof RUN_ROW>(RUN_ROW, {
    run: {
      kind: 'name',
      width: files.size > 0 ? 280 : 216,
      draw: (row, characters, names) => <RunCell row={row} characters={characters} names={names} files={files} />,
    },
    ...(each !== 'run' && who),
    step_ns: {},
    busy_share: { width: 104 },
    peak_bytes: {},
    finding: {
      width: hasSentence ? 360 : 300,
      unknown: (row) => (
        <span class={isBad(row) ? 'is-bad' : 'soft'} title={saidPlainly(row.reason ?? '')}>
          {row.reason}
        </span>
      ),
    },
    gain_share: { isKnown: ({ summary }) => summary !== null && summary.finding !== null },
    state: {
      width: 88,
      value: (row) =>
        isBad(row) || isCutOff(row)
          ? [stateOf(row), isBad(row) ? row.reason : CUT_OFF].filter(Boolean).join(': ')
          : (row.reason ?? stateOf(row)),
      draw: (row) => <span class={isBad(row) ? 'is-bad' : ''}>{TO_COME[row.state] ?? stateOf(row)}</span>,
    },
    recorded_ns: {},
    size_bytes: {},
    ...who,
    file: {
      kind: 'name',
      width: wide(rows, ({ file }) => file),
      value: (row) => row.file || null,
      absent: '–',
      hidden: true,
    },
    device: {
      width: 180,
      value: ({ summary: of }) => of?.device ?? (countOf(of?.n_devices) === null ? null : 'unnamed'),
      draw: drawDevices,
    },
    n_devices: { value: ({ summary }) => countOf(summary?.n_devices), hidden: true },
    n_ranks: {
      draw: ({ n_ranks: found, summary: of }) => (of?.world_size == null ? null : `${found} of ${of.world_size}`),
    },
    n_recordings: { hidden: each !== 'run' || rows.every(({ n_recordings: n }) => n < 2) },
    rank: { hidden: true },
    world_size: { hidden: true },
    n_steps: { width: 104, value: ({ summary }) => countOf(summary?.n_steps) },
    capacity_bytes: { hidden: true },
    n_findings: { hidden: true },
  })
  return columns.map((column) => ('path' in column ? { isKnown: hasAnswered, ...column } : column))
}

/** As wide as the longest of these names, within reason. */
function wide(rows: readonly RunRow[], nameOf: (row: RunRow) => string): number {
  const longest = Math.max(0, ...rows.map((row) => nameOf(row).length))
  return Math.min(300, Math.max(150, Math.ceil(longest * MONO_PX) + 22))
}

/** By row, where others have all the same names, or it is of one of several files: the file that tells it apart. */
function filesOfAlike(rows: readonly RunRow[], each: RunsTable['each']): Files {
  const namesOf = ({ run, label, span }: RunRow): string =>
    [run, each !== 'run' && label, each === 'span' && span].join('\n')
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(namesOf(row), (counts.get(namesOf(row)) ?? 0) + 1)
  const isAlike = (row: RunRow): boolean => (counts.get(namesOf(row)) ?? 0) > 1 || row.n_others > 0
  const alike = rows.filter((row) => isAlike(row) && row.file !== '')
  const names = new Names(alike.map(({ file }) => file))
  return new Map(alike.map((row) => [row, names]))
}

/** Names that the file of a row is cut apart from. */
type Files = ReadonlyMap<RunRow, Names>

/** What a profile answers stays empty until it has, and where it cannot. */
function hasAnswered({ summary }: RunRow): boolean {
  return summary !== null
}

/** How far it is stands beside its name. */
const TO_COME: Partial<Record<RunRow['state'], string>> = { found: '', queued: '', loading: 'reading' }

const CUT_OFF = 'figures of the part that could be read'
const EACH_FILE = 'Rows: Workers has a row for each file.'
const RUN_PART = 0.3 // of the room, where its file has to stand beside it

function isCutOff({ summary }: Pick<RunRow, 'summary'>): boolean {
  return summary?.is_cut_off === true
}

/** Nothing is wrong with what somebody cancelled. */
function isBad({ state, reason }: RunRow): boolean {
  return state === 'failed' && !isCancelled(reason)
}

/** None of them was recorded: not 0. */
function countOf(found: number | undefined): number | null {
  return found === undefined || found === 0 ? null : found
}

function drawDevices({ summary: of }: RunRow) {
  return of === null || of.n_devices < 2 ? null : `${of.n_devices} × ${of.device ?? 'unnamed'}`
}

/** Without figures: what it opens with, as a folder of dumps with who hangs. */
export function placeOf(row: RunRow): Changes {
  return { ...opening(row), ...(row.summary === null && { view: undefined }) }
}

interface RunCellProps {
  readonly row: RunRow
  readonly characters: number
  readonly names: Names
  readonly files: Files
}

/** The pinned column: what is still to come, or never comes, is seen however far the table is scrolled. */
function RunCell({ row, characters, names, files }: RunCellProps) {
  const state = stateOf(row)
  const note = state === 'ready' ? '' : state
  const others = row.n_others > 0 ? ` and ${plural(row.n_others, 'other')}` : ''
  const room = characters - others.length - (note === '' ? 0 : note.length + 1)
  const file = files.get(row)
  const ofRun = file === undefined ? room : Math.max(room - row.file.length - 1, Math.floor(room * RUN_PART))
  const run = names.cut(row.run, ofRun)
  return (
    <span class="runs-cell">
      <PlaceLink to={placeOf(row)} class="runs-link" tabIndex={-1}>
        {run}
        {file && (
          <span class="soft" title={others === '' ? row.file : `The figures are those of ${row.file}. ${EACH_FILE}`}>
            /{file.cut(row.file, room - run.length - 1)}
            {others}
          </span>
        )}
      </PlaceLink>
      {note !== '' && (
        <span class={isBad(row) ? 'is-bad' : 'soft'} title={row.reason ?? (isCutOff(row) ? CUT_OFF : undefined)}>
          {note}
        </span>
      )}
    </span>
  )
}

/** In a word. */
export function stateOf(row: RunRow): string {
  switch (row.state) {
    case 'found':
    case 'queued':
      return 'queued'
    case 'loading':
      return `${Math.round(row.progress * 100)} %`
    case 'ready':
      return isCutOff(row) ? 'cut off' : 'ready'
    case 'failed':
      return isBad(row) ? 'failed' : 'cancelled'
  }
}
