/** The first screen: how long a step is, who is waited for and why, by which dimension, in which rank and step; and what to doubt. */
import '../../widgets/panel/small_table.css'

import { exactCount, exactNs, formatNs, plural } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { columnsOf, saying } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import type { DimensionRow, Lead, RanksTable } from '../../wire/wire'
import * as define from './definitions'
import { HeatMap } from './map/heat_map'
import { Doubts, Notes } from './notes'
import { DimensionLink, LONGEST, RankLinks, Sentence, placeOfLanes } from './rank_links'
import { DIMENSION_ROW } from './row_figures'
import { StepBar } from './step_bar'
import { TwoRanks } from './map/two_ranks'
import { WhatIf } from './what_if'
import { withShortWaits } from './waited'

const MOST_LINKS = 4
const BEHIND: Readonly<Record<NonNullable<Lead['table']>, readonly [shown: string, words: string]>> = {
  collective: ['collectives', 'collectives'],
  link: ['links', 'links'],
  stage: ['pipeline', 'pipeline'],
  path: ['path', 'critical path'],
}

interface SummaryProps {
  readonly table: RanksTable
  readonly run: string
}

interface WholeProps extends SummaryProps {
  readonly whole: RanksTable
  /** Ranks are still to come. */
  readonly isPending: boolean
}

export function Summary({ table, whole, run, isPending }: WholeProps) {
  return (
    <div class="ranks-summary">
      <section aria-label="The step">
        {table.parts !== null && (
          <StepBar
            parts={table.parts}
            whole={table.job_step_ns}
            hasMap={table.steps.length > 0}
            hasSteps={table.n_steps > 0}
          />
        )}
        <ol class="ranks-sentences">
          {table.sentences.map((sentence, nth) => (
            <li key={sentence}>
              <Sentence text={sentence} counted={table.leads[nth]?.counted} />{' '}
              <Leads lead={table.leads[nth]} table={table} run={run} />
            </li>
          ))}
        </ol>
      </section>
      <WhatIf table={table} run={run} />
      {table.dimensions.length > 0 && (
        <Dimensions rows={table.dimensions} error={table.clock_error_ns} isPending={isPending} />
      )}
      <TwoRanks table={whole} />
      <HeatMap table={table} whole={whole} run={run} />
      <Doubts of={table.doubts} />
      <Notes table={table} run={run} />
    </div>
  )
}

/** Whom a sentence tells of, in which step, and the table that has its figures. */
function Leads({ lead, table, run }: SummaryProps & { readonly lead: Lead | undefined }) {
  if (lead === undefined) return null
  const members = new Set(lead.ranks.slice(0, MOST_LINKS))
  const behind = lead.table === null ? undefined : BEHIND[lead.table]
  return (
    <span class="ranks-leads">
      <RankLinks run={run} ranks={table.ranks.filter(({ rank }) => members.has(rank))} lead={lead} />
      {lead.step !== null && <PlaceLink to={placeOfLanes(lead.step)}>side by side</PlaceLink>}{' '}
      {behind !== undefined && <PlaceLink to={{ 'ranks.show': behind[0] }}>{behind[1]}</PlaceLink>}
    </span>
  )
}

const DIMENSIONS = [define.dimensions, define.exposed_wait_ns, define.wait_ns, define.bus_bytes_per_s].join('\n')

interface DimensionsProps extends Pick<WholeProps, 'isPending'> {
  readonly rows: readonly DimensionRow[]
  readonly error: number | null
}

function Dimensions({ rows, error, isPending }: DimensionsProps) {
  const columns = columnsOf<DimensionRow, typeof DIMENSION_ROW>(DIMENSION_ROW, {
    name: { draw: ({ name, is_inferred: isInferred }) => <Name name={name} isInferred={isInferred} /> },
    exposed_wait_ns: {},
    exposed_transfer_ns: {},
    exposed_untold_ns: rows.some((row) => row.exposed_untold_ns !== 0) && {},
    exposed_ns: {},
    wait_ns: false,
    transfer_ns: false,
    untold_ns: false,
    inside_bytes_per_s: { absent: 'none' },
    between_bytes_per_s: { absent: 'none' },
    longest_took_ns: LONGEST,
    n_incomplete: rows.some((row) => row.n_incomplete > 0) && {},
  })
  const shown = saying(withShortWaits(columns, error), rows).filter(({ isEmpty }) => isEmpty !== true)
  return (
    <section aria-label="Dimensions">
      <h2>
        By dimension, mean of a rank and step <Definition of="a dimension" text={DIMENSIONS} />
      </h2>
      <div class="ranks-dimensions">
        <FigureTable
          rows={rows}
          explained={DIMENSION_ROW}
          // Ranks that are still to come may tell it.
          columns={isPending ? shown.map((column) => ({ ...column, absent: 'not known yet' })) : shown}
        />
      </div>
    </section>
  )
}

function Name({ name, isInferred }: { readonly name: string; readonly isInferred: boolean }) {
  return (
    <>
      <DimensionLink name={name} />
      {isInferred && <span class="soft"> (by its use)</span>}
    </>
  )
}

/** `64 of 64 ranks · 8 hosts · pipeline 4 × data 4 · 2 steps · clocks ± 0.9 µs`. */
export function Head({ table }: { readonly table: RanksTable }) {
  const {
    n_ranks: found,
    world_size: size,
    layout,
    hosts,
    n_steps: nSteps,
    clock_error_ns: error,
    sigma_ns: sigma,
  } = table
  const inferred = new Set(table.dimensions.filter((row) => row.is_inferred).map(({ name }) => name))
  const dimensions = Object.entries(layout).map(
    ([name, of]) => `${name} ${of}${inferred.has(name) ? ' (by its use)' : ''}`,
  )
  const nApart = hosts.filter(({ error_ns: own }) => own === null).length
  const nCutOff = table.ranks.filter(({ is_cut_off: isCutOff }) => isCutOff).length
  const parts = [
    size === null ? plural(found, 'rank') : `${exactCount(found)} of ${plural(size, 'rank')}`,
    plural(hosts.length, 'host'),
    ...(dimensions.length > 0 ? [dimensions.join(' × ')] : []),
    plural(nSteps, 'step'),
    `${plural(table.n_matched, 'collective')} matched`,
    ...(nCutOff > 0 ? [`${nCutOff} cut off`] : []),
  ]
  return (
    <p class="ranks-head">
      <b>{parts[0]}</b> · {parts.slice(1).join(' · ')} ·{' '}
      {error !== null ? (
        <>
          <span title={exactNs(error)}>clocks ±{formatNs(error)}</span>
          {nApart > 0 && (
            <>
              {' '}
              (<PlaceLink to={{ 'ranks.show': 'clocks' }}>{plural(nApart, 'host')} not tied</PlaceLink>)
            </>
          )}
        </>
      ) : hosts.length < 2 && sigma === null ? (
        'one clock'
      ) : (
        <PlaceLink to={{ 'ranks.show': 'clocks' }}>clocks: not {sigma === null ? 'compared' : 'tied'}</PlaceLink>
      )}
      <Definition of="the error of clocks" text={define.clock_error_ns} />
    </p>
  )
}
