import './runs.css'

import type { Names } from '../../base/names'
import { isCancelled } from '../../data/runs'
import type { Changes } from '../../state/hash'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf, type Column } from '../../widgets/table/column'
import type { RunRow, RunsTable } from '../../wire/wire'
import { opening } from '../links'
import { RUN_ROW } from './row_figures'

/** The names of a profile, and as soon as it has answered its figures. */
export function columnsFor({ each, rows }: RunsTable): readonly Column<RunRow>[] {
  const columns = columnsOf<RunRow, typeof RUN_ROW>(RUN_ROW, {
    run: {
      kind: 'name',
      width: 216,
      draw: (row, characters, names) => <RunCell row={row} characters={characters} names={names} />,
    },
    worker: { kind: 'name', width: 150, value: (row) => row.label },
    span: { width: 176, hidden: each !== 'span' },
    recorded_ns: {},
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
    step_ns: {},
    busy_share: { width: 104 },
    peak_bytes: {},
    capacity_bytes: { hidden: true },
    finding: { width: 320 },
    gain_share: { isKnown: ({ summary }) => summary !== null && summary.finding !== null },
    n_findings: { hidden: true },
    state: {
      width: rows.some((row) => row.reason !== null || isCutOff(row)) ? 460 : 120, // a sentence, once there is one to read
      value: stateOf,
      draw: (row) => (isBad(row) ? <span class="is-bad">{stateOf(row)}</span> : null),
    },
  })
  return columns.map((column) => ('path' in column ? { isKnown: hasAnswered, ...column } : column))
}

/** What a profile answers stays empty until it has, and where it cannot. */
function hasAnswered({ summary }: RunRow): boolean {
  return summary !== null
}

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
}

/** The pinned column: what is still to come, or never comes, is seen however far the table is scrolled. */
function RunCell({ row, characters, names }: RunCellProps) {
  const note = isBad(row)
    ? 'failed'
    : row.state === 'failed'
      ? 'cancelled'
      : row.state !== 'ready'
        ? stateOf(row)
        : isCutOff(row)
          ? 'cut off'
          : ''
  return (
    <span class="runs-cell">
      <PlaceLink to={placeOf(row)} class="runs-link" tabIndex={-1}>
        {names.cut(row.run, characters - (note === '' ? 0 : note.length + 1))}
      </PlaceLink>
      {note !== '' && (
        <span class={isBad(row) ? 'is-bad' : 'soft'} title={row.reason ?? undefined}>
          {note}
        </span>
      )}
    </span>
  )
}

/** In words, with the reason where there are no figures. */
export function stateOf({ state, progress, reason, summary }: RunRow): string {
  switch (state) {
    case 'found':
    case 'queued':
      return 'queued'
    case 'loading':
      return `${Math.round(progress * 100)} %`
    case 'ready':
      return reason ?? (isCutOff({ summary }) ? 'cut off: figures of the part that could be read' : 'ready')
    case 'failed':
      if (reason === null) return 'failed'
      return isCancelled(reason) ? reason : `failed: ${reason}`
  }
}
