/** The tables behind the first screen: of ranks, collectives, the critical path, links and clocks. */
import { plural } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { columnsOf } from '../../widgets/table/column'
import type { Column } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { CollectiveRow, HostRow, LinkRow, PathRow, RankRow, RanksTable } from '../../wire/wire'
import { Asked } from './heat_map'
import { Instances } from './instances'
import { DimensionLink, LONGEST, OnlyLink, RankLinks, linked, placeOfLanes, placeOfPanel } from './rank_links'
import { COLLECTIVE_ROW, HOST_ROW, LINK_ROW, PATH_ROW, RANK_ROW } from './row_figures'
import { Bar } from './step_bar'

interface TablesProps {
  readonly table: RanksTable
  readonly run: string
}

export function RankTable({ table, run }: TablesProps) {
  const hasWaits = table.ranks.some((row) => row.excess_ns !== null)
  return (
    <DataTable
      id="ranks.rank"
      label="Ranks"
      rows={table.ranks}
      columns={rankColumns()}
      sort={hasWaits ? { column: 'excess_ns', descending: true } : { column: 'rank', descending: false }}
      keyOf={({ rank }) => String(rank)}
      wholeName={({ rank }) => `rank ${rank}`}
      totals={(shown) => plural(shown.length, 'rank')}
      fileParts={[run]}
      isLive
      details={(row) => (
        <p>
          <RankLinks run={run} ranks={[row]} />
          {row.is_cut_off && <span class="is-bad">Its file ends before its profile does.</span>}
        </p>
      )}
    />
  )
}

function rankColumns(): readonly Column<RankRow>[] {
  return columnsOf<RankRow, typeof RANK_ROW>(RANK_ROW, {
    rank: {
      width: 112,
      draw: ({ rank }) => <RankLink rank={rank} />,
    },
    host: {},
    step_ns: {},
    own_ns: {},
    excess_ns: { width: 132 },
    computation_ns: {},
    wait_ns: {},
    transfer_ns: {},
    untold_ns: {},
    copy_ns: {},
    idle_ns: {},
    loader_ns: {},
    bubble_ns: { absent: 'none' },
    received: { absent: 'none' },
    n_last: {},
    caused_least_ns: {},
    caused_most_ns: { hidden: true },
    all_computation_ns: { hidden: true },
    all_communication_ns: { hidden: true },
    all_overlap_ns: { hidden: true },
  })
}

export function CollectiveTable({ table, run }: TablesProps) {
  return (
    <DataTable
      id="ranks.collective"
      label="Collectives"
      rows={table.collectives}
      columns={columnsOf<CollectiveRow, typeof COLLECTIVE_ROW>(COLLECTIVE_ROW, {
        // What a row is, what it costs, and why, before what it is told by: these are seen without scrolling at 1280 px.
        dimension: { width: 100 },
        kind: { width: 150 },
        bytes: { width: 90 },
        exposed_wait_ns: {},
        exposed_transfer_ns: {},
        bus_bytes_per_s: {},
        // Null where nobody came last alone, and where several did as often: the cell then says so.
        last_rank: {
          absent: 'none',
          draw: ({ last_rank: rank, last_share: share }) =>
            rank === null ? share === null ? null : 'several' : <RankLink rank={rank} />,
        },
        n_mismatches: {},
        last_share: { absent: 'none' },
        longest_took_ns: LONGEST,
        n_ranks: {},
        n_instances: {},
      })}
      sort={{ column: 'exposed_wait_ns', descending: true }}
      keyOf={(row) => [row.dimension, row.kind, row.n_ranks, row.bytes].join(' ')}
      fileParts={[run]}
      isLive
      details={(row) => <Instances run={run} of={row} />}
    />
  )
}

export function PathTable({ table, run }: TablesProps) {
  return (
    <>
      <PathBar rows={table.path} />
      <DataTable
        id="ranks.path"
        label="Critical path"
        rows={table.path}
        columns={columnsOf<PathRow, typeof PATH_ROW>(PATH_ROW, {
          what: { width: 220 },
          rank: {
            draw: ({ rank }) => (rank === null ? null : <RankLink rank={rank} />),
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

/** Whose time the path is, the largest part first; the table has it by what it does. */
function PathBar({ rows }: { readonly rows: readonly PathRow[] }) {
  const of = new Map<string, number>()
  for (const { what, rank, path_ns: ns } of rows) {
    const nobodys = what.startsWith('waiting') ? 'perhaps waiting for who is not here' : 'on several at once'
    const title = rank === null ? nobodys : `rank ${rank}`
    of.set(title, (of.get(title) ?? 0) + ns)
  }
  const most = [...of].sort(([, a], [, b]) => b - a)
  const parts = most.slice(0, MOST_RANKS)
  const rest = most.slice(MOST_RANKS).reduce((sum, [, ns]) => sum + ns, 0)
  if (rest > 0) parts.push([plural(most.length - MOST_RANKS, 'other rank'), rest])
  return (
    <div class="ranks-path">
      <Bar
        parts={parts.map(([title, ns], nth) => ({
          ...{ title, ns, color: 'var(--c-kernel)' },
          opacity: 1 - (0.75 * nth) / (MOST_RANKS + 1),
        }))}
        after={<PlaceLink to={{ 'ranks.show': 'lanes' }}>where it lies</PlaceLink>}
      />
    </div>
  )
}

/** Opens its panel. */
function RankLink({ rank }: { readonly rank: number }) {
  return (
    <PlaceLink to={placeOfPanel(rank)} tabIndex={-1}>
      {rank}
    </PlaceLink>
  )
}

export function LinkTable({ table, run }: TablesProps) {
  return (
    <>
      {table.hosts.length > 1 && (
        <div class="ranks-path">
          <Asked table={table} run={run} measure="link" axes="link" />
        </div>
      )}
      <DataTable
        id="ranks.link"
        label="Links"
        rows={table.links}
        columns={columnsOf<LinkRow, typeof LINK_ROW>(LINK_ROW, {
          hosts: { width: 240 },
          dimension: { draw: ({ dimension }) => <DimensionLink name={dimension} /> },
          longest_took_ns: LONGEST,
          of_usual_share: {
            draw: ({ is_slow: isSlow, of_usual_share: share }) =>
              isSlow && share !== null ? <span class="is-bad">{Math.round(100 * share)} %, slow</span> : null,
          },
        })}
        sort={{ column: 'of_usual_share', descending: false }}
        keyOf={(row) => [row.hosts, row.dimension, row.kind, row.n_ranks].join(' ')}
        fileParts={[run]}
        isLive
      />
    </>
  )
}

export function HostTable({ table, run }: TablesProps) {
  return (
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
          draw: ({ component, first_rank: own, offset_ns: offset }) => {
            const other = table.hosts.find((each) => each.component === component)?.first_rank ?? own
            return other === own
              ? null
              : linked(offset, { ...placeOfLanes(undefined, [other, own]), 'ranks.clock': 'raw' })
          },
        },
      })}
      sort={{ column: 'host', descending: false }}
      keyOf={({ host }) => host}
      fileParts={[run]}
      isLive
    />
  )
}
