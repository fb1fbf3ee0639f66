import './roofline.css'

import { useMemo } from 'preact/hooks'

import { categoryOf } from '../../base/categories'
import { exactNs, formatFlops, formatNs, formatRate, formatShare } from '../../base/units'
import { useReply } from '../../data/reply'
import { filters, insideName, peaks } from '../../state/filters'
import { at, go } from '../../state/place'
import { Definition } from '../../widgets/panel/popup'
import { columnsOf, type Column } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { Roofline, RooflineRow } from '../../wire/wire'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { Chart } from './chart'
import * as define from './definitions'
import { keyOf, nameOf } from './key'
import { ROOFLINE_ROW } from './row_figures'

export function RooflineView({ profile }: ViewProps) {
  const reply = useReply('view/roofline', profile, { ...filters.value, ...peaks.value })
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(roofline) => (
        <div class="roofline-body">
          <Head roofline={roofline} />
          <Chart roofline={roofline} />
          <Table roofline={roofline} fileParts={[profile.run, profile.worker, profile.span]} />
        </div>
      )}
    </ViewFrame>
  )
}

/** What is known, and what it is held against. */
function Head({ roofline }: { readonly roofline: Roofline }) {
  const { coverage, twin_ns: twins, total_ns: total, lost_ns: lost, peak, is_guess: isGuess } = roofline
  return (
    <p class="roofline-head">
      {coverage === null ? (
        'No device work. '
      ) : (
        <>
          Work is known for <b>{formatShare(coverage)}</b> of <span title={exactNs(total)}>{formatNs(total)}</span> of
          device time {scopeWords()}
          {twins > 0 && `, ${formatShare(twins / total)} of it by kernels alike`}.{' '}
          <Definition of="coverage" text={define.coverage} />{' '}
        </>
      )}
      {roofline.paged_ns > 0 &&
        `${formatNs(roofline.paged_ns)} of paged attention is not known: context lengths are data and in no file. `}
      {!roofline.has_shapes && 'Shapes were not recorded: record with record_shapes=True. '}
      {lost !== null && (
        <>
          <b title={exactNs(lost)}>{formatNs(lost)}</b> is lost to the roof.{' '}
          <Definition of="lost" text={define.lost_ns} />{' '}
        </>
      )}
      {peak === null ? (
        <>The device's peaks are unknown. </>
      ) : (
        <>
          {isGuess && <b>A guess by units and memory: </b>}
          {peak}
          {peaksOf(roofline)}. <Definition of="peaks" text={define.roofs} />
        </>
      )}
      <PeakBox />
    </p>
  )
}

/** What the figures are of: other views' gains are per step. */
function scopeWords(): string {
  const { steps, ...others } = filters.value
  const selection = Object.keys(others).length > 0 ? 'in the selection' : undefined
  return selection ?? (steps === undefined ? 'in the whole recording' : `in steps ${steps}`)
}

/** A user who knows better says so; it stands in the link. */
function PeakBox() {
  return (
    <label class="roofline-peak soft">
      Peaks{' '}
      <input
        type="text"
        placeholder="bf16=989,bandwidth=3350"
        title="TFLOP/s by type, bandwidth in GB/s, for all views; Enter takes it"
        value={at('roofline.peak') ?? ''}
        onChange={(event) => go({ 'roofline.peak': event.currentTarget.value.trim() || undefined })}
      />
    </label>
  )
}

function peaksOf({ roofs, bytes_per_s: bandwidth }: Roofline): string {
  const parts = roofs.map(({ rate_type: type, flops_per_s: rate, best_flops_per_s: best }) => {
    const peak = rate === null ? 'unknown' : `${formatFlops(rate)}/s`
    return `${type} ${peak}${best === null ? '' : ` (best row ${formatFlops(best)}/s)`}`
  })
  const all = bandwidth === null ? parts : [...parts, `memory ${formatRate(bandwidth)}`]
  return all.length === 0 ? '' : `: ${all.join(', ')}`
}

interface TableProps {
  readonly roofline: Roofline
  readonly fileParts: readonly string[]
}

function Table({ roofline, fileParts }: TableProps) {
  const columns = useMemo(() => columnsFor(), [])
  return (
    <DataTable
      id="roofline"
      label="Roofline"
      rows={roofline.rows}
      columns={columns}
      sort={{ column: 'lost_ns', descending: true }}
      keyOf={keyOf}
      fileParts={fileParts}
      details={(row) =>
        !IS_REPORT && (
          <button type="button" class="button" onClick={() => go({ inside: insideName(row.name) })}>
            Only this
          </button>
        )
      }
    />
  )
}

function columnsFor(): readonly Column<RooflineRow>[] {
  return columnsOf<RooflineRow, typeof ROOFLINE_ROW>(ROOFLINE_ROW, {
    name: { kind: 'name', value: nameOf },
    lost_ns: {},
    total_ns: {},
    share: {},
    roof_share: {},
    bound: { width: 92 },
    // As in a terminal: of what computes nothing there is no rate.
    flops_per_s: { value: (row) => (row.flops_per_s === 0 ? null : row.flops_per_s) },
    bytes_per_s: {},
    flops_per_byte: { width: 110 },
    shapes: { width: 250, hidden: true },
    count: {},
    category: { width: 150, value: (row) => categoryOf(row.category)?.title ?? row.category, draw: categoryCell },
    rate_type: { width: 70 },
    types: { hidden: true, width: 220 },
    flops: { hidden: true },
    bytes: { hidden: true },
  })
}

function categoryCell(row: RooflineRow) {
  const category = categoryOf(row.category)
  if (category === undefined) return <span class="is-absent">several</span>
  return (
    <>
      <span class="swatch" style={{ background: category.color }} /> {category.title}
    </>
  )
}
