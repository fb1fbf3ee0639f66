/** The pipeline: what each stage does with the time between the job's first forward and its last backward. */
import { exactNs, formatNs, formatShare, plural, signedShare } from '../../../base/units'
import { PlaceLink } from '../../../widgets/links/place_link'
import { Definition } from '../../../widgets/panel/popup'
import { columnsOf } from '../../../widgets/table/column'
import { DataTable } from '../../../widgets/table/data_table'
import type { PipelineFigures, RanksTable, StageRow } from '../../../wire/wire'
import * as define from '../definitions'
import { MicroBatchBlocks } from './micro_batches'
import { OnlyLink, linked, placeOfLanes } from '../rank_links'
import { STAGE_ROW } from '../row_figures'
import { Track } from '../step_bar'

interface PipelineProps {
  readonly table: RanksTable
  readonly run: string
}

export function PipelineTable({ table, run }: PipelineProps) {
  const { pipeline, stages } = table
  if (pipeline === null) return null
  const [worst] = [...stages].sort((a, b) => b.most_bubble_ns - a.most_bubble_ns)
  return (
    <>
      <div class="ranks-pipeline">
        <Figures of={pipeline} />
        <MicroBatchBlocks run={run} />
        <h2>All ranks of a stage, mean of steps</h2>
        <div class="ranks-stages" aria-hidden="true">
          {stages.map((row) => (
            <Stage key={row.stage} row={row} window={pipeline.window_ns} />
          ))}
        </div>
        <p class="ranks-legend">
          <span>
            <span class="swatch" style={{ background: 'var(--c-kernel)' }} />
            busy: as high as its share between warm-up and drain
          </span>
          <span>
            <span class="swatch is-idle" />
            warm-up and drain
          </span>
          {worst !== undefined && (
            <PlaceLink to={placeOfLanes(worst.most_bubble_step, worst.most_bubble_replica)}>
              what ran when, where the bubble is longest
            </PlaceLink>
          )}
        </p>
      </div>
      <DataTable
        id="ranks.stage"
        label="Stages"
        rows={stages}
        columns={columnsOf<StageRow, typeof STAGE_ROW>(STAGE_ROW, {
          stage: { width: 112, draw: ({ stage }) => <OnlyLink words={`stage=${stage}`} text={String(stage)} /> },
          n_ranks: { width: 84 },
          computation_ns: {},
          imbalance_share: { width: 132, draw: ({ imbalance_share: share }) => signedShare(share) },
          busy_ns: { hidden: true }, // most often its computation; the picture has it
          bubble_ns: {},
          bubble_share: {},
          most_bubble_ns: {
            width: 190,
            draw: ({
              most_bubble_ns: most,
              most_bubble_rank: rank,
              most_bubble_step: step,
              most_bubble_replica: peers,
            }) => linked(most, placeOfLanes(step, peers), `, rank ${rank}, step ${step}`),
          },
        })}
        sort={{ column: 'stage', descending: false }}
        keyOf={({ stage }) => String(stage)}
        totals={() => 'Total'}
        wholeName={({ stage }) => `stage ${stage}`}
        fileParts={[run]}
        isLive
      />
    </>
  )
}

function Figures({ of }: { readonly of: PipelineFigures }) {
  const told = [
    ...(of.schedule === null ? [] : [of.schedule]),
    of.n_chunks !== null && of.n_chunks > 1
      ? `${plural(of.n_stages, 'stage')} of ${of.n_chunks} chunks each`
      : plural(of.n_stages, 'stage'),
    ...(of.n_micro_batches === null ? [] : [plural(of.n_micro_batches, 'micro-batch', 'micro-batches')]),
  ]
  return (
    <p class="ranks-legend">
      <span>{told.join(' · ')}</span> <Definition of="the schedule" text={define.schedule} />
      <span title={exactNs(of.window_ns)}>
        window <b>{formatNs(of.window_ns)}</b> <Definition of="the window" text={define.window_ns} />
      </span>
      <span title={exactNs(of.bubble_ns)}>
        bubble <b>{formatNs(of.bubble_ns)}</b> <span class="soft">{formatShare(of.bubble_share)}</span>{' '}
        <Definition of="a bubble" text={define.bubble_ns} />
      </span>
      <span>ideal bubble by formula {of.ideal_share === null ? 'not known' : formatShare(of.ideal_share)}</span>
    </p>
  )
}

/** Between warm-up and drain only sums are known: the height is the share that is busy, not a beat that nobody recorded. */
function Stage({ row, window }: { readonly row: StageRow; readonly window: number }) {
  const between = Math.max(row.busy_ns + row.steady_ns, 1)
  const share = row.busy_ns / between
  const parts = [
    { title: `warm-up: ${exactNs(row.warm_up_ns)}`, ns: row.warm_up_ns, color: undefined },
    {
      title: `busy: ${exactNs(row.busy_ns)} (${formatShare(share)}), steady bubble: ${exactNs(row.steady_ns)}`,
      ns: between,
      color: `linear-gradient(0deg, var(--c-kernel) ${share * 100}%, transparent 0)`,
    },
    { title: `drain: ${exactNs(row.drain_ns)}`, ns: row.drain_ns, color: undefined },
  ]
  return (
    <>
      <span>stage {row.stage}</span>
      <Track parts={parts} whole={window} />
    </>
  )
}
