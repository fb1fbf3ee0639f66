/** One rank against its peers, beside every table of the view: `ranks.rank` in the link. */
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { exactNs, formatNs, formatRange, signedNs } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { at, go } from '../../state/place'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf } from '../../widgets/table/column'
import type { Column, Figure } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import type {
  OneRank,
  RankDimensionRow,
  RankPartRow,
  RanksTable,
  RankStepRow,
  MoreKernelRow,
  WaitedForRow,
} from '../../wire/wire'
import { compareItems } from '../compare_items'
import { opening, soughtInTimeline } from '../links'
import { timelineAt } from '../timeline_link'
import { ofShownJob } from '../of_job'
import { LastRanks } from './collectives/came_last'
import { shown } from './hang'
import { OwnTimeChart } from './own_time_chart'
import { DimensionLink, Sentence, linked, longest, placeOfLanes, placeOfRank, placeOfSlowLinks } from './rank_links'
import { RANK_DIMENSION_ROW, RANK_PART_ROW, RANK_STEP_ROW, MORE_KERNEL_ROW, WAITED_FOR_ROW } from './row_figures'
import { waited, withShortWaits } from './waited'
import { Waiting } from './waiting'

const CLOSED = { 'ranks.rank': undefined, 'ranks.at': undefined }
const NAME_CHARACTERS = 26
const MOST_PEERS = 24 // characters

interface RankPanelProps {
  readonly run: string
  readonly whole: Pick<RanksTable, 'ranks' | 'absent' | 'links' | 'clock_error_ns'>
}

/** Nothing without a rank in the link. */
export function RankPanel(props: RankPanelProps) {
  const rank = at('ranks.rank')
  return (
    <>
      <p class="sr-only" role="status">
        {rank !== undefined && `Rank ${rank} is open beside the tables. Escape closes it.`}
      </p>
      {rank !== undefined && <Open key={rank} {...props} rank={Number(rank)} />}
    </>
  )
}

/** Who opens the panel by keys is in it, and back where that was once it goes, whatever closes it. */
function useFocusWhileOpen(): RefObject<HTMLElement | null> {
  const panel = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const own = panel.current
    const { activeElement, body } = document
    const before = activeElement === body ? null : (activeElement as HTMLElement | null) // a link of the page opens it
    if (before?.matches(':focus-visible') === true) own?.focus()
    return () => {
      if (own?.contains(document.activeElement) !== true) return
      const back = before?.isConnected === true ? before : own.closest<HTMLElement>('main')
      back?.focus({ preventScroll: true })
    }
  }, [])
  return panel
}

function Open({ run, whole, rank }: RankPanelProps & { readonly rank: number }) {
  const state = useJointReply('view/ranks/rank', { ...ofShownJob(run), rank })
  const { value, error } = state.value
  const of = value?.result
  const alike = whole.absent.find(({ ranks }) => ranks.length > 1 && ranks.includes(rank))?.ranks
  const panel = useFocusWhileOpen()
  // Listens as soon as it is seen: an effect of after the next frame would miss an Escape that comes before that.
  useLayoutEffect(() => {
    const stop = new AbortController()
    const close = (event: KeyboardEvent): void => {
      if (event.code === 'Escape') go(CLOSED)
    }
    document.addEventListener('keydown', close, { signal: stop.signal })
    return () => stop.abort()
  }, [])
  return (
    <aside ref={panel} tabIndex={-1} class="side-panel ranks-panel" aria-label={`Rank ${rank}`}>
      <header>
        <h2>
          Rank {rank}
          {of?.host != null && <span class="soft"> on {of.host}</span>}
        </h2>
        <button
          type="button"
          class="button is-plain"
          aria-label="Close the rank"
          title="Close (Esc)"
          onClick={() => go(CLOSED)}
        >
          ✕
        </button>
      </header>
      {whole.ranks.some((row) => row.rank === rank && row.is_cut_off) && (
        <p class="is-bad">Its file ends before its profile does.</p>
      )}
      {error !== undefined || of?.rank !== rank ? (
        <>
          <Waiting error={error} />
          {error !== undefined && alike !== undefined && (
            <p class="soft">The same holds of ranks {shown(alike)}: ranks without figures are one row.</p>
          )}
        </>
      ) : (
        <Told run={run} error={whole.clock_error_ns} of={of} links={whole.links} />
      )}
    </aside>
  )
}

interface ToldProps extends Pick<RanksTable, 'links'> {
  readonly run: string
  /** Of the hosts' clocks. */
  readonly error: number | null
  readonly of: OneRank
}

function Told({ run, error, of, links }: ToldProps) {
  const own = { run, worker: of.worker ?? '', span: of.span ?? '' }
  const asked = at('ranks.at')
  const found = of.steps.find(({ number }) => String(number) === asked)
  const step = found ?? latest(of.steps)
  const ran = of.is_on_host ? 'Operator' : 'Kernel'
  const slow = of.host === null || of.rank === null ? undefined : placeOfSlowLinks(links, of.rank, of.host)
  return (
    <>
      {asked !== undefined && found === undefined && (
        <p class="view-note" role="status">
          It has no step {asked}
          {step !== undefined && `: this is step ${step.number}`}.
        </p>
      )}
      <p class="ranks-panel-links">
        <PlaceLink to={placeOfRank(run, own, step?.number)}>overview</PlaceLink>
        <PlaceLink
          to={
            step === undefined
              ? { ...opening(own), view: 'timeline' }
              : timelineAt(own, step.start_ns, step.step_ns, `step ${step.number}`)
          }
        >
          timeline
        </PlaceLink>
        {of.peer !== null && (
          <>
            <PlaceLink to={placeOfLanes(step?.number, [of.rank ?? 0, of.peer])}>beside rank {of.peer}</PlaceLink>
            <PlaceLink
              title="Its peer with the median own work"
              to={{
                view: 'compare',
                'compare.items': compareItems([{ run, worker: of.peer_worker ?? '', span: of.peer_span ?? '' }, own]),
                'compare.toggled': undefined,
              }}
            >
              compare with rank {of.peer}
            </PlaceLink>
          </>
        )}
        {slow !== undefined && <PlaceLink to={slow}>slow links</PlaceLink>}
      </p>
      {of.sentences.map((sentence) => (
        <p key={sentence}>
          <Sentence text={sentence} counted={of.counted.find(({ text }) => sentence.includes(text))} />
        </p>
      ))}
      {of.steps.length > 0 && <LikePeers run={run} of={of} />}
      <Part
        title={`Own work in steps${of.peers === null ? '' : of.peers.length > MOST_PEERS ? ', against its peers' : `, against ranks ${of.peers}`}`}
        above={<OwnTimeChart steps={of.steps} chosen={step?.number} />}
        rows={of.steps}
        explained={RANK_STEP_ROW}
        columns={withShortWaits(stepColumns(own, of.steps), error)}
      />
      <InGaps steps={of.steps} />
      <Part
        title={of.steps.length > 1 ? 'What it does, in a step' : 'What it does'}
        rows={of.parts}
        explained={RANK_PART_ROW}
        columns={columnsOf<RankPartRow, typeof RANK_PART_ROW>(RANK_PART_ROW, {
          part: {},
          mine_ns: {},
          peers_ns: {},
          more_ns: { draw: ({ more_ns: more }) => (more === null ? null : signedNs(more)) },
        })}
      />
      <Part
        title="Whom it waits for"
        rows={of.waits_for}
        explained={WAITED_FOR_ROW}
        columns={withShortWaits(
          columnsOf<WaitedForRow, typeof WAITED_FOR_ROW>(WAITED_FOR_ROW, {
            last_ranks: {
              draw: ({ last_ranks: last, n_last: n }) => <LastRanks ranks={last} n={n} />,
              value: ({ last_ranks: last }) => last.join(' '),
            },
            wait_ns: {},
            longest_took_ns: longest((ns) => waited(ns, error)),
          }),
          error,
        )}
      />
      <Part
        title="Its collectives"
        rows={of.dimensions}
        explained={RANK_DIMENSION_ROW}
        columns={withShortWaits(
          columnsOf<RankDimensionRow, typeof RANK_DIMENSION_ROW>(RANK_DIMENSION_ROW, {
            dimension: { draw: ({ dimension }) => <DimensionLink name={dimension} /> },
            exposed_wait_ns: {},
            exposed_transfer_ns: {},
            exposed_untold_ns: of.dimensions.some((row) => row.exposed_untold_ns !== 0) && {},
            wait_ns: {},
            transfer_ns: {},
            untold_ns: of.dimensions.some((row) => row.untold_ns !== 0) && {},
          }),
          error,
        )}
      />
      <Part
        title={`${ran}s that cost more than on its peers`}
        rows={of.kernels}
        explained={MORE_KERNEL_ROW}
        columns={columnsOf<MoreKernelRow, typeof MORE_KERNEL_ROW>(MORE_KERNEL_ROW, {
          kernel: {
            title: ran,
            draw: ({ kernel, shape, peers_shape: usual }, characters, names) => (
              <>
                <PlaceLink
                  to={{ ...opening(own), ...soughtInTimeline(kernel), 'timeline.list': '1' }}
                  title={`${kernel}\nAll its calls in the timeline`}
                >
                  <span class="mono">{names.cut(kernel, characters)}</span>
                </PlaceLink>
                {shape !== null && (
                  <div class="soft ranks-shape">
                    {(usual === null ? shape : `${shape} against ${usual}`).replaceAll(', ', ',\u00A0')}
                  </div>
                )}
              </>
            ),
          },
          why: {},
          more_ns: {},
          n_calls: {},
          peers_calls: {},
          median_ns: {},
          peers_median_ns: {},
          shape: false, // under the name, where it tells apart rows of one name
          peers_shape: false,
        })}
      />
    </>
  )
}

/** What the host is in as the device has nothing to do longest. */
function InGaps({ steps }: Pick<OneRank, 'steps'>) {
  const events = [...new Set(steps.flatMap(({ pause_event: event }) => event ?? []))]
  return events.map((event) => (
    <p key={event}>
      The host in the longest gap of{' '}
      {stepsOf(
        steps.filter((step) => step.pause_event === event),
        steps,
      )}
      : <span class="mono">{event}</span>
    </p>
  ))
}

function stepsOf(some: readonly RankStepRow[], all: readonly RankStepRow[]): string {
  return some.length === all.length
    ? 'each step'
    : `step${some.length > 1 ? 's' : ''} ${shown(some.map(({ number }) => number))}`
}

interface PartProps<R> {
  readonly title: string
  readonly above?: ComponentChildren
  readonly rows: readonly R[]
  readonly columns: readonly Column<R>[]
  readonly explained: Readonly<Record<string, Figure>>
}

/** A table under its title; nothing without rows. It scrolls, and so is reached by the keyboard. */
function Part<R>({ title, above, rows, columns, explained }: PartProps<R>) {
  if (rows.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      {above}
      <div class="ranks-panel-table" tabIndex={0} role="region" aria-label={title}>
        <FigureTable rows={rows} columns={recorded(columns, rows)} explained={explained} characters={NAME_CHARACTERS} />
      </div>
    </section>
  )
}

/** A column without any value says nothing; the panel's sentences say why there is none. */
function recorded<R>(columns: readonly Column<R>[], rows: readonly R[]): readonly Column<R>[] {
  return columns.filter(({ value }) => rows.some((row) => value(row) !== null))
}

/** By replay; nothing where that cannot be told or would change nothing. */
function LikePeers({ run, of }: { readonly run: string; readonly of: OneRank }) {
  const state = useJointReply('view/ranks/what_if', { ...ofShownJob(run), what_if: `rank=${of.rank ?? 0}` })
  const [row] = state.value.value?.result.rows ?? []
  if (row?.would_be_ns == null || row.change_ns === null) return null
  const most = row.would_be_ns
  const least = row.would_be_least_ns ?? most
  const would = formatRange(least, most)
  if (least >= row.was_ns || would === formatNs(row.was_ns))
    return <p title={exactNs(most)}>Like its peers, a step would be no shorter than {formatNs(row.was_ns)}.</p>
  if (formatNs(most) === formatNs(row.was_ns))
    return (
      <p title={`${exactNs(least)} to ${exactNs(most)}`}>
        Like its peers, a step would take {formatNs(least)} or longer, at most the {formatNs(row.was_ns)} that it takes.
      </p>
    )
  return (
    <p title={exactNs(most)}>
      Like its peers, a step would take {would === formatNs(most) && 'about '}
      {would} instead of {formatNs(row.was_ns)} ({signedNs(row.change_ns)}).
    </p>
  )
}

function stepColumns(own: Parameters<typeof timelineAt>[0], rows: readonly RankStepRow[]) {
  return columnsOf<RankStepRow, typeof RANK_STEP_ROW>(RANK_STEP_ROW, {
    number: {
      draw: ({ number, start_ns: start, step_ns: lasted }) => (
        <PlaceLink to={timelineAt(own, start, lasted, `step ${number}`)} title="Show in its timeline">
          {number}
        </PlaceLink>
      ),
    },
    work_ns: {},
    peers_work_ns: {},
    excess_ns: { draw: ({ excess_ns: more }) => (more === null ? null : signedNs(more)) },
    own_ns: false,
    wait_ns: {},
    untold_ns: rows.some((row) => row.untold_ns > 0) && {},
    step_ns: false,
    peers_least_ns: false,
    peers_most_ns: false,
    pause_ns: {
      draw: ({ pause_ns: lasted, pause_at_ns: begun, pause_event: event }) =>
        begun === null ? null : linked(lasted, timelineAt(own, begun, lasted ?? 0, `longest gap\n${event ?? ''}`)),
    },
    pause_event: false, // below the table, where it has room
  })
}

/** The step in which it exceeds its peers most. */
function latest(steps: readonly RankStepRow[]): RankStepRow | undefined {
  const over = (row: RankStepRow): number => row.excess_ns ?? 0
  return steps.reduce<RankStepRow | undefined>(
    (most, row) => (most === undefined || over(row) > over(most) ? row : most),
    undefined,
  )
}
