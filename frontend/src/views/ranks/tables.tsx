/** The tables behind the first screen: of collectives, the critical path, links and clocks; of ranks: `rank_table.tsx`. */
import { ELLIPSIS, cutMiddle } from '../../base/cut'
import { exactCount, formatBytes, plural, signedNs } from '../../base/units'
import { at } from '../../state/place'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf, saying } from '../../widgets/table/column'
import type { Column } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import { Said } from '../../widgets/panel/said'
import type { CollectiveRow, HostRow, LinkRow, PathRow, RanksTable } from '../../wire/wire'
import { timelineAt } from '../timeline_link'
import * as define from './definitions'
import { AsTable } from './as_table'
import { Asked } from './map/heat_map'
import { EachCollective } from './collectives/each_collective'
import { Instances } from './collectives/instances'
import { DimensionLink, LONGEST, OnlyLink, RankLink, linked, placeOfLanes, placeOfPanel } from './rank_links'
import { COLLECTIVE_ROW, HOST_ROW, LINK_ROW, PATH_ROW } from './row_figures'
import { Bar } from './step_bar'
import { Notes } from './notes'
import { withShortWaits } from './waited'

export interface TablesProps {
  readonly table: RanksTable
  readonly run: string
}

/** `whole`: all rows of the job, which decide what columns and shares say, whatever the table is narrowed to. */
export interface NarrowedProps extends TablesProps {
  readonly whole: RanksTable
}

export function CollectiveTable({ table, run, whole }: NarrowedProps) {
  const each = at('ranks.each')
  if (each !== undefined) return <EachCollective table={table} run={run} which={each} />
  if (table.collectives.length === 0)
    return <Empty table={table} run={run} why="none: no collective here was matched between ranks" />
  return (
    <>
      <p class="view-note">Times are summed over members and instances; where several are open at once, each counts.</p>
      <DataTable
        id="ranks.collective"
        label="Collectives"
        rows={table.collectives}
        columns={collectiveColumns(whole.collectives, whole.clock_error_ns)}
        sort={{ column: costOf(whole.collectives), descending: true }}
        keyOf={(row) => [row.dimension, row.kind, row.n_ranks, row.bytes].join(' ')}
        wholeName={({ dimension, kind, bytes }) =>
          `${dimension}, ${kind}${bytes === null ? '' : ` of ${formatBytes(bytes)}`}`
        }
        totals={() => 'Total'}
        fileParts={[run]}
        isLive
        isEntered
        details={(row) => <Instances run={run} of={row} error={whole.clock_error_ns} />}
      />
    </>
  )
}

/** What they are sorted by: of one rank alone nobody knows which part of its time is waiting. */
function costOf(rows: readonly CollectiveRow[]): 'exposed_wait_ns' | 'exposed_untold_ns' {
  return rows.some((row) => row.exposed_wait_ns !== null) ? 'exposed_wait_ns' : 'exposed_untold_ns'
}

function collectiveColumns(rows: readonly CollectiveRow[], error: number | null): readonly Column<CollectiveRow>[] {
  const columns = columnsOf<CollectiveRow, typeof COLLECTIVE_ROW>(COLLECTIVE_ROW, {
    // What a row is, what it costs, and why, before what it is told by: all are seen without scrolling at 1440 px.
    dimension: { width: 100 },
    kind: { width: 142 },
    bytes: { width: 78 },
    n_instances: { width: 82 },
    // Summed, as is said above the table.
    exposed_wait_ns: { title: 'Exposed wait', width: 140 },
    exposed_transfer_ns: { title: 'Exposed transfer', width: 150 },
    exposed_untold_ns: { title: 'Not told apart', width: 122 },
    // Of a known size and time there is a rate, but where the kind has none.
    bus_bytes_per_s: {
      draw: ({ bytes, median_transfer_ns: ns, bus_bytes_per_s: rate }) =>
        rate === null && bytes !== null && ns !== null ? 'none' : null,
    },
    least_bus_bytes_per_s: rows.some((row) => row.least_bus_bytes_per_s !== null) && {
      width: 150,
      isKnown: (row) => row.median_transfer_ns === null,
    },
    // Null where nobody came last alone, and where several did as often: the cell then says so.
    last_rank: {
      title: 'Last rank',
      width: 200,
      absent: 'none',
      definition: [define.collectives_last_rank, define.n_late].join('\n'),
      draw: ({ last_rank: rank, last_share: share, n_late: n }) =>
        share === null ? null : (
          <>
            {rank === null ? 'several,' : <RankLink rank={rank} />}{' '}
            <span class="soft">
              {exactCount(Math.round(share * n))} of {exactCount(n)} {rank === null ? 'each' : 'late'}
            </span>
          </>
        ),
    },
    n_mismatches: {},
    longest_took_ns: LONGEST,
    n_ranks: {},
    last_share: { absent: 'none', hidden: true },
    n_late: { hidden: true },
    wait_ns: { hidden: true },
    transfer_ns: { hidden: true },
    untold_ns: { hidden: true },
    median_transfer_ns: { hidden: true },
    low_bus_bytes_per_s: { hidden: true },
  })
  const hasLast = rows.some((row) => row.last_share !== null)
  return saying(withShortWaits(columns, error), rows, costOf(rows), ...(hasLast ? ['last_rank'] : []))
}

export function PathTable({ table, run, whole }: NarrowedProps) {
  return (
    <>
      <PathBar rows={whole.path} />
      <DataTable
        id="ranks.path"
        label="Critical path"
        rows={table.path}
        columns={columnsOf<PathRow, typeof PATH_ROW>(PATH_ROW, {
          what: { width: 220 },
          rank: {
            draw: ({ rank }) => (rank === null ? null : <RankLink rank={rank} />),
          },
          path_ns: {},
          path_share: {},
          longest_piece_ns: {
            draw: ({ what, rank, longest_piece_ns: lasted, piece_at_ns: begun }) => {
              const own = whole.ranks.find((one) => one.rank === rank)
              if (lasted === null || begun === null || own === undefined) return null
              return linked(
                lasted,
                timelineAt({ run, worker: own.worker, span: own.span }, begun, lasted, `${what}\ncritical path`),
              )
            },
          },
        })}
        sort={{ column: 'path_ns', descending: true }}
        keyOf={(row) => `${row.what} ${row.rank}`}
        fileParts={[run]}
        isLive
      />
    </>
  )
}

const MOST_RANKS = 6
const WORTH_A_PART = 0.01

/** Whose time the whole path is, the largest part first; the table has it by what it does. */
function PathBar({ rows }: { readonly rows: readonly PathRow[] }) {
  const of = new Map<string, number>()
  for (const { what, rank, path_ns: ns } of rows) {
    const nobodys = what.startsWith('waiting') ? 'perhaps waiting for who is not here' : 'on several at once'
    const title = rank === null ? nobodys : `rank ${rank}`
    of.set(title, (of.get(title) ?? 0) + ns)
  }
  const most = [...of].sort(([, a], [, b]) => b - a)
  const whole = most.reduce((sum, [, ns]) => sum + ns, 0)
  const parts = most.filter(([, ns], nth) => nth < MOST_RANKS && ns > whole * WORTH_A_PART)
  const rest = most.slice(parts.length).reduce((sum, [, ns]) => sum + ns, 0)
  if (rest > 0) parts.push([plural(most.length - parts.length, 'other rank'), rest])
  return (
    <div class="ranks-path">
      <Bar
        parts={parts.map(([title, ns], nth) => ({
          ...{ title, ns, color: 'var(--c-kernel)' },
          to: title.startsWith('rank ') ? placeOfPanel(Number(title.slice(5))) : undefined,
          opacity: 1 - (0.75 * nth) / (MOST_RANKS + 1),
        }))}
        after={<PlaceLink to={{ 'ranks.show': 'lanes' }}>where it lies</PlaceLink>}
      />
    </div>
  )
}

export function LinkTable({ table, run, whole }: NarrowedProps) {
  if (table.links.length === 0)
    return <Empty table={table} run={run} why="none: no collective of known wait and size" />
  return (
    <>
      <div class="ranks-path">
        <header class="ranks-header">
          <h2>Host by host: of the usual bus rate</h2>
          <AsTable picture="Map" />
        </header>
        <Asked table={table} whole={whole} run={run} measure="link" axes="link" isTable={at('ranks.as') === 'table'} />
      </div>
      <DataTable
        id="ranks.link"
        label="Links"
        rows={table.links}
        columns={linkColumns(whole.links)}
        sort={{ column: 'of_usual_share', descending: false }}
        keyOf={(row) => [row.hosts, row.dimension, row.kind, row.n_ranks, row.pair ?? 'all', row.steps].join(' ')}
        fileParts={[run]}
        isLive
      />
    </>
  )
}

/** What is asked comes first, and what all rows have alike only where it is chosen. */
function linkColumns(rows: readonly LinkRow[]): readonly Column<LinkRow>[] {
  const columns = columnsOf<LinkRow, typeof LINK_ROW>(LINK_ROW, {
    hosts: { kind: 'name', width: 190, draw: ({ hosts }, room) => shortHosts(hosts, room) },
    of_usual_share: {
      width: 146,
      draw: ({ is_slow: isSlow, of_usual_share: share }) =>
        isSlow && share !== null ? <span class="is-bad">{Math.round(100 * share)} %, slow</span> : null,
    },
    steps: { width: 90 },
    dimension: { width: 112, draw: ({ dimension }) => <DimensionLink name={dimension} /> },
    kind: { width: 142 },
    pair: {},
    bus_bytes_per_s: {},
    rate_is: { hidden: rows.every(({ rate_is: is }) => is === 'median') },
    longest_took_ns: LONGEST,
  })
  return saying(columns, rows, 'of_usual_share')
}

/** Of a set without room how many it holds: cut in the middle it would read as two. */
function shortHosts(hosts: string, room: number): string | null {
  const names = hosts.split(', ')
  if (names.length < 3 || hosts.length <= room) return null
  const words = `${plural(names.length, 'host')}: `
  return words + cutMiddle(names[0] ?? '', Math.max(room - words.length - 1, 6)) + ELLIPSIS
}

/** In place of a table without rows: the notes say why. */
function Empty({ table, run, why }: TablesProps & { readonly why: string }) {
  return (
    <div class="ranks-summary">
      <p>{why}</p>
      <Notes table={table} run={run} />
    </div>
  )
}

export function HostTable({ table, run, whole }: NarrowedProps) {
  const firstOf = ({ component, first_rank: own }: HostRow): number =>
    whole.hosts.find((each) => each.component === component)?.first_rank ?? own
  const isAlone = (row: HostRow): boolean =>
    whole.hosts.every(({ host, component }) => host === row.host || component !== row.component)
  const isOne = whole.hosts.length === 1 && (whole.sigma_ns === null || whole.clock_error_ns !== null)
  const isFirst = (row: HostRow) =>
    firstOf(row) !== row.first_rank ? undefined : isOne || !isAlone(row) ? 'reference' : 'not tied'
  return (
    <>
      {whole.clock_notes.map((note) => (
        <p key={note} class="view-note" role="status">
          <Said text={note} />
        </p>
      ))}
      <DataTable
        id="ranks.host"
        label="Clocks"
        rows={table.hosts}
        columns={columnsOf<HostRow, typeof HOST_ROW>(HOST_ROW, {
          host: {
            width: 200,
            draw: ({ host }) => (host.includes(' ') ? host : <OnlyLink words={`host=${host}`} text={host} />),
          },
          offset_ns: {
            draw: (row) =>
              isFirst(row) ??
              linked(
                row.offset_ns,
                { ...placeOfLanes(undefined, [firstOf(row), row.first_rank]), 'ranks.clock': 'raw' },
                '',
                signedNs,
              ),
          },
          // Nothing is measured of what the others are held against.
          drift_ppm: { draw: (row) => isFirst(row) },
          drift_error_ppm: { draw: (row) => isFirst(row) },
          error_ns: { draw: (row) => isFirst(row) },
          n_ranks: {},
          component: {
            hidden: whole.hosts.every(({ component }) => component === whole.hosts[0]?.component),
            draw: (row) =>
              isAlone(row) ? 'no other' : whole.hosts.find(({ component }) => component === row.component)?.host,
          },
        })}
        sort={{ column: 'host', descending: false }}
        keyOf={({ host }) => host}
        fileParts={[run]}
        isLive
      />
    </>
  )
}
