/**
 * One pipeline in one step: a row a stage, a block a micro-batch's forward or backward. What no block covers is hatched, bubble;
 * dotted where not all blocks of the stage are told.
 */
import './micro_batches.css'

import { exactNs, formatNs, signedNs } from '../../../base/units'
import { useJointReply } from '../../../data/joint'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import { Definition } from '../../../widgets/panel/popup'
import { PlaceLink } from '../../../widgets/links/place_link'
import { SmallTable, TimeCell } from '../../../widgets/panel/small_table'
import type { MicroBatches, MicroBlocks, PipelineRow } from '../../../wire/wire'
import { timelineAt } from '../../timeline_link'
import { ofShownJob } from '../../of_job'
import { AsTable } from '../as_table'
import * as define from '../definitions'
import { MicroTimes } from './micro_times'
import { PipelineBars } from './pipelines'
import { placeOfLanes, placeOfPanel } from '../rank_links'
import { Waiting } from '../waiting'

const MOST_LISTED = 512

interface Block {
  readonly row: PipelineRow
  readonly name: string
  readonly kind: 'is-forward' | 'is-backward' | 'is-both'
  readonly start_ns: number
  readonly lasts_ns: number
  readonly shade: Readonly<Record<string, number>>
}

export function MicroBatchBlocks({ run }: { readonly run: string }) {
  const { value, error } = useJointReply('view/ranks/micro_batches', {
    ...ofShownJob(run),
    rank: numberIn('ranks.pipe'),
    step: numberIn('ranks.step'),
  }).value
  const of = value?.result
  if (error !== undefined || of === undefined) return <Waiting error={error} />
  const blocks = blocksOf(of)
  return (
    <section class="ranks-micro" aria-label="Micro-batches">
      <div class="filters">
        {of.steps.length > 1 && (
          <Select
            label="Step"
            value={String(of.step)}
            options={of.steps.map((step) => ({ id: String(step), label: `step ${step}` }))}
            onChoose={(step) => go({ 'ranks.step': step })}
          />
        )}
        {of.choices.length > 1 && (
          <Select
            label="Pipeline"
            value={String(of.choices.find(({ rank }) => of.rows.some((row) => row.rank === rank))?.rank)}
            options={of.choices.map(({ rank, title, bubble_ns: bubble }) => ({
              id: String(rank),
              label: `${title} · ${formatNs(bubble)} bubble`,
            }))}
            onChoose={(rank) => go({ 'ranks.pipe': rank })}
          />
        )}
        <Definition of="a block" text={define.blocks} />
        {blocks.length > 0 && <AsTable picture="Picture" />}
        {of.step !== null && (
          <PlaceLink
            to={placeOfLanes(
              of.step,
              of.rows.map(({ rank }) => rank),
            )}
          >
            with sends and receives, side by side
          </PlaceLink>
        )}
      </div>
      {of.choices.length > 1 && <PipelineBars of={of} />}
      {of.reason !== null ? (
        <p class="is-absent">{of.reason}</p>
      ) : at('ranks.as') === 'table' ? (
        <>
          <div class="ranks-twin" tabIndex={0} role="region" aria-label="Times of stages and micro-batches">
            <MicroTimes of={of} />
          </div>
          <Table run={run} blocks={blocks} />
        </>
      ) : (
        <Picture run={run} of={of} blocks={blocks} />
      )}
      {of.notes.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
    </section>
  )
}

function numberIn(key: string): number | undefined {
  const value = Number(at(key) ?? NaN)
  return Number.isFinite(value) ? value : undefined
}

function blocksOf({ rows, blocks }: MicroBatches): readonly Block[] {
  return blocks.row.flatMap((place, nth) => {
    const [row, start] = [rows[place], blocks.start_ns[nth] ?? 0]
    const [isForward, isBackward] = [(blocks.forward[nth] ?? -1) >= 0, (blocks.backward[nth] ?? -1) >= 0]
    const kind = isForward && isBackward ? 'is-both' : isForward ? 'is-forward' : 'is-backward'
    const lasts = (blocks.end_ns[nth] ?? 0) - start
    return row === undefined
      ? []
      : [{ row, name: blocks.name[nth] ?? '', kind, start_ns: start, lasts_ns: lasts, shade: shadeOf(blocks, nth) }]
  })
}

/** The later the chunk, the lighter. */
function shadeOf(blocks: MicroBlocks, nth: number): Readonly<Record<string, number>> {
  return { '--forward-chunk': blocks.forward_chunk[nth] ?? 0, '--backward-chunk': blocks.backward_chunk[nth] ?? 0 }
}

interface BlocksProps {
  readonly run: string
  readonly blocks: readonly Block[]
}

function Picture({ run, of, blocks }: BlocksProps & { readonly of: MicroBatches }) {
  const whole = Math.max(of.window_ns, of.ideal_ns ?? 0, 1)
  const share = (ns: number): string => `${(100 * ns) / whole}%`
  return (
    <>
      <div class={`ranks-stages ${of.n_chunks > 1 ? 'has-chunks' : ''}`}>
        {of.rows.map((row) => {
          const mine = blocks.filter((block) => block.row === row)
          return [
            <span key={`${row.stage} name`}>
              stage {row.stage} ·{' '}
              <PlaceLink to={placeOfPanel(row.rank, of.step ?? undefined)}>rank {row.rank}</PlaceLink>
            </span>,
            <div
              key={row.stage}
              class={`ranks-micro-row ${row.is_told ? '' : 'is-untold'}`}
              role="group"
              aria-label={`stage ${row.stage}: ${mine.map(({ name }) => name).join(' ')}`}
            >
              {mine.map((block) => (
                <PlaceLink
                  key={block.start_ns}
                  class={`ranks-micro-block ${block.kind}`}
                  to={placeOfBlock(run, block)}
                  title={`${block.name} of stage ${row.stage}: ${exactNs(block.lasts_ns)}, from ${exactNs(block.start_ns)} on. A click leads to rank ${row.rank} there`}
                  tabIndex={-1}
                >
                  <i style={{ left: share(block.start_ns), width: share(block.lasts_ns), ...block.shade }}>
                    <span>{block.name}</span>
                  </i>
                </PlaceLink>
              ))}
            </div>,
            <span key={`${row.stage} bubble`} class="ranks-micro-bubble soft">
              {row.bubble_ns === null ? 'bubble not known' : `bubble ${formatNs(row.bubble_ns)}`}
            </span>,
          ]
        })}
        {of.ideal !== null && <IdealRows of={of} ideal={of.ideal} share={share} />}
        <span />
        <span class="ranks-micro-axis soft">
          <span>0</span>
          <span>{formatNs(whole)}</span>
        </span>
        <span />
      </div>
      <p class="ranks-legend">
        <span>
          <span class="swatch ranks-micro-key is-forward" /> F: forward
        </span>
        <span>
          <span class="swatch ranks-micro-key is-backward" /> B: backward
        </span>
        {of.n_chunks > 1 && <span>F0·1: in chunk 1 of its stage, lighter than chunk 0</span>}
        {blocks.some(({ kind }) => kind === 'is-both') && (
          <span>
            <span class="swatch ranks-micro-key is-both" /> both, one after the other
          </span>
        )}
        {of.ideal !== null && (
          <span class="soft">
            without waits: the same blocks at mean durations, {signedNs((of.ideal_ns ?? 0) - of.window_ns)}
          </span>
        )}
        {of.rows.some(({ is_told: isTold }) => isTold) && (
          <span>
            <span class="swatch ranks-micro-key" /> nothing computed: bubble, or its own collectives
          </span>
        )}
        {of.rows.some(({ is_told: isTold }) => !isTold) && (
          <span>
            <span class="swatch ranks-micro-key is-untold" /> not told: of a micro-batch that nothing names, or bubble
          </span>
        )}
      </p>
    </>
  )
}

interface IdealRowsProps {
  readonly of: MicroBatches
  readonly ideal: MicroBlocks
  readonly share: (ns: number) => string
}

/** On the same axis, below: low, for it is a measure and nothing that ran. */
function IdealRows({ of, ideal, share }: IdealRowsProps) {
  const down = { gridRow: `span ${of.rows.length}` } // beside all of its rows
  return (
    <>
      <span class="soft" style={down}>
        without waits
      </span>
      {of.rows.map((row, place) => [
        <div
          key={row.stage}
          class="ranks-micro-row is-ideal"
          role="group"
          aria-label={`stage ${row.stage} without waits, ${ideal.name.filter((_, nth) => ideal.row[nth] === place).join(' ')}`}
        >
          {ideal.row.map((at, nth) => {
            const [start, end] = [ideal.start_ns[nth] ?? 0, ideal.end_ns[nth] ?? 0]
            return (
              at === place && (
                <i
                  key={nth}
                  class={(ideal.forward[nth] ?? -1) >= 0 ? 'is-forward' : 'is-backward'}
                  style={{ left: share(start), width: share(end - start), ...shadeOf(ideal, nth) }}
                  title={`Stage ${row.stage} without waits: ${ideal.name[nth]}, ${exactNs(end - start)}, from ${exactNs(start)} on`}
                />
              )
            )
          })}
        </div>,
        place === 0 && (
          <span key="takes" class="ranks-micro-bubble soft" style={down}>
            {formatNs(of.ideal_ns ?? 0)} <Definition of="the same blocks without waits" text={define.ideal} />
          </span>
        ),
      ])}
    </>
  )
}

function Table({ run, blocks }: BlocksProps) {
  const shown = blocks.slice(0, MOST_LISTED)
  return (
    <div class="ranks-twin" tabIndex={0} role="region" aria-label="Micro-batches, as a table">
      {shown.length < blocks.length && (
        <p class="soft">
          The first {MOST_LISTED} of {blocks.length}.
        </p>
      )}
      <SmallTable first="Stage" columns={['Rank', 'Block', 'Begins', 'Takes']}>
        {shown.map((block) => (
          <tr key={`${block.row.stage} ${block.start_ns}`}>
            <td class="is-text">{block.row.stage}</td>
            <td>{block.row.rank}</td>
            <td>
              <PlaceLink to={placeOfBlock(run, block)}>{block.name}</PlaceLink>
            </td>
            <TimeCell ns={block.start_ns} />
            <TimeCell ns={block.lasts_ns} />
          </tr>
        ))}
      </SmallTable>
    </div>
  )
}

function placeOfBlock(run: string, { row, name, start_ns: start, lasts_ns: lasts }: Block) {
  return timelineAt({ run, worker: row.worker, span: row.span }, row.zero_ns + start, lasts, name)
}
