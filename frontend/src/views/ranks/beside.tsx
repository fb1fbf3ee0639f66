/** Another recording of the same job beside this one, a step of each. What is not alike in the two stands first. */
import { formatNs, plural } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { runs } from '../../data/runs'
import { spanTitle } from '../../data/span_title'
import type { Changes } from '../../state/hash'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { BesideRow, RanksTable, RunState, WorkerState } from '../../wire/wire'
import { kernelsOf, spanChanges } from '../links'
import { ofShownJob } from '../of_job'
import { linked, placeOfDimension, placeOfInstance, placeOfLanes, placeOfPanel, placeOfRank } from './rank_links'
import { BESIDE_ROW } from './row_figures'
import { shortWait, waited } from './waited'

const BY = [
  { id: 'dimension', label: 'dimension' },
  { id: 'rank', label: 'rank' },
] as const

const MOST_RECORDINGS = 8 // of a run

/**
 * Other jobs and recordings of this run, then those of other runs of several ranks. What one name would stand for twice says its
 * time; what leads to one recording is offered once.
 */
export function othersThan(run: string, jobs: RanksTable['jobs']): readonly Other[] {
  const all = runs.value.reply?.runs ?? []
  const own = all.find(({ name }) => name === run)?.workers ?? []
  const mine = own.find(({ name }) => name === at('worker')) ?? own[0]
  const shown = ofShownJob(run).span ?? mine?.in_ranks
  const apart = jobs.filter((job) => !job.is_shown && mine?.spans.some(({ name }) => name === job.span) !== true)
  const found = [
    ...(own.length > 1 ? recordings(mine) : []).flatMap(({ span, title }) =>
      span === shown ? [] : [{ id: `${run}\t${span}`, label: `this run · ${title}`, beside: run, beside_span: span }],
    ),
    ...apart.map(({ span, title }) => ({
      id: `${run}\t${span}`,
      label: `this run · ${title}`,
      beside: run,
      beside_span: span,
    })),
    ...all
      .filter(({ name, workers }) => name !== run && workers.length > 1)
      .sort((a, b) => likeness(b) - likeness(a))
      .flatMap(({ name, workers, opens }) => {
        const each = recordings(workers.find((worker) => worker.name === opens) ?? workers[0])
        if (each.length < 2) return [{ id: name, label: name, beside: name }]
        return each.map(({ span, title }) => ({
          id: `${name}\t${span}`,
          label: `${name} · ${title}`,
          beside: name,
          beside_span: span,
        }))
      }),
  ]
  return [...new Map(found.map((one) => [one.id, one])).values()]
  /** As many ranks first, then names that begin alike. */
  function likeness({ name, workers }: RunState): number {
    let alike = workers.length === own.length ? 1e6 : 0
    for (let at = 0; at < name.length && name[at] === run[at]; at++) alike++
    return alike
  }
}

/** The newest first. */
function recordings(worker: WorkerState | undefined): readonly { readonly span: string; readonly title: string }[] {
  const all = (worker?.spans ?? []).map((span, index) => ({ span: span.name, title: spanTitle(span, index) }))
  return all.slice(-MOST_RECORDINGS).reverse()
}

interface Other {
  readonly id: string
  readonly label: string
  readonly beside: string
  readonly beside_span?: string
}

interface BesideProps {
  /** Narrowed to what is chosen of the `whole`. */
  readonly table: RanksTable
  readonly whole: RanksTable
  readonly run: string
}

export function Beside({ table, whole, run }: BesideProps) {
  const others = othersThan(run, whole.jobs)
  const chosen = others.find(({ id }) => id === at('ranks.beside')) ?? others[0]
  const beside = chosen?.id ?? ''
  const other = { beside: chosen?.beside ?? '', beside_span: chosen?.beside_span }
  // Of another run the page opens what it opens with.
  const there = {
    ...spanChanges(),
    run: other.beside,
    worker: other.beside === run ? at('worker') : undefined,
    span: other.beside_span,
  }
  const by = at('ranks.by') === 'rank' ? 'rank' : 'dimension'
  const { value, error } = useJointReply('view/ranks/beside', { ...ofShownJob(run), ...other, by }).value
  const result = value?.result
  const isReading = result === undefined || (result.reason !== null && value !== undefined && value.n_pending > 0)
  const said = error ?? (isReading ? 'Reading.' : result.reason)
  const kept = namesIn(table)
  const gone = new Set([...namesIn(whole)].filter((name) => !kept.has(name)))
  const rows = result?.rows.filter((row) => !gone.has(row.of)) ?? []
  const [inRun, inBeside] = [namesWith(rows, 'run_ns'), namesWith(rows, 'beside_ns')]
  const saidOf =
    ({ time }: BesideRow) =>
    (ns: number) =>
      time === 'exposed wait' ? waited(ns, least) : formatNs(ns)
  const least = result?.clock_error_ns ?? null
  const asked = at('ranks.beside')
  const isChosen = others.length < 2 || asked !== undefined
  const isUnknown = asked !== undefined && chosen !== undefined && chosen.id !== asked
  return (
    <>
      <header class="ranks-path ranks-header">
        <div class="filters">
          <Select label="Beside" value={beside} options={others} onChoose={(id) => go({ 'ranks.beside': id })} />
          <Select label="By" value={by} options={BY} onChoose={(id) => go({ 'ranks.by': id })} />
        </div>
        <span>
          {isUnknown && (
            <b class="is-bad">
              There is no run {asked.replace('\t', ', recording ')} to lie beside: the most alike does.{' '}
            </b>
          )}
          {!isChosen && <span class="soft">Nothing chosen: the most alike. </span>}
          {[...(result?.differs ?? []), said].join(' ')}
        </span>
      </header>
      {rows.length > 0 && (
        <DataTable
          id="ranks.both"
          label="Beside"
          rows={rows}
          columns={columnsOf<BesideRow, typeof BESIDE_ROW>(BESIDE_ROW, {
            of: {
              width: 130,
              draw: (row) => {
                const events = placeOfEvents(row, whole, run)
                return events === undefined ? null : <PlaceLink to={events}>{row.of}</PlaceLink>
              },
            },
            time: { width: 190 },
            // What is asked, before what it is made of: seen without scrolling at 640 px.
            change_ns: {
              kind: 'change_ns',
              order: ({ change_ns: ns }) =>
                ns === null ? null : shortWait(Math.abs(ns), least) === null ? Math.abs(ns) : 0,
              draw: ({ of, change_ns: ns }) =>
                inRun.has(of) && inBeside.has(of) ? shortWait(Math.abs(ns ?? 0), least) : 'not in both',
            },
            run_ns: {
              width: 150,
              draw: (row) => (inRun.has(row.of) ? linked(row.run_ns, placeOf(row.of), '', saidOf(row)) : 'not in it'),
            },
            beside_ns: {
              width: 150,
              draw: (row) =>
                inBeside.has(row.of)
                  ? linked(row.beside_ns, { ...there, ...placeOf(row.of) }, '', saidOf(row))
                  : 'not in it',
            },
          })}
          sort={{ column: 'change_ns', descending: true }}
          keyOf={(row) => `${row.of} ${row.time}`}
          totals={(shown) => plural(shown.length, 'time')}
          fileParts={[run, beside]}
          isLive
        />
      )}
    </>
  )
}

/** What rows of the job may be called. */
function namesIn({ ranks, dimensions }: RanksTable): ReadonlySet<string> {
  return new Set([...ranks.map(({ rank }) => `rank ${rank}`), ...dimensions.map(({ name }) => name)])
}

/** Of a dimension that one of the two has not nothing is there to be recorded. */
function namesWith(rows: readonly BesideRow[], side: 'run_ns' | 'beside_ns'): ReadonlySet<string> {
  return new Set(rows.filter((row) => row[side] !== null).map(({ of }) => of))
}

/** A rank leads to its panel, a dimension to its collectives; the parts of a step, of all ranks, to the first screen. */
function placeOf(of: string): Changes {
  if (of === 'all ranks') return { 'ranks.show': undefined }
  return of.startsWith('rank ') ? { 'ranks.show': 'ranks', ...placeOfPanel(Number(of.slice(5))) } : placeOfDimension(of)
}

const IN_COLLECTIVES: ReadonlySet<string> = new Set(['exposed wait', 'exposed transfer'])

/**
 * Events of this run that a row counts: of all ranks the step on one clock, of a dimension its longest collective there, of a rank
 * its own profile, for what it waits and moves its communication kernels. None where only the other run has the rank or dimension.
 */
export function placeOfEvents(
  { of, time }: Pick<BesideRow, 'of' | 'time'>,
  { ranks, dimensions }: Pick<RanksTable, 'ranks' | 'dimensions'>,
  run: string,
): Changes | undefined {
  if (of === 'all ranks') return placeOfLanes(undefined)
  const longest = dimensions.find(({ name }) => name === of)?.longest
  if (longest) return placeOfInstance(longest)
  const rank = ranks.find((row) => of === `rank ${row.rank}`)
  if (rank === undefined) return undefined
  const place = placeOfRank(run, rank)
  return IN_COLLECTIVES.has(time)
    ? { ...place, ...kernelsOf('communication', { category: 'communication' }) }
    : { ...place, view: 'timeline' }
}
