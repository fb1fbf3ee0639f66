/** A row a rank, and one for who has no figures. */
import { useMemo } from 'preact/hooks'

import { plural } from '../../base/units'
import { columnsOf, saying } from '../../widgets/table/column'
import type { Column } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { RankRow, RanksTable } from '../../wire/wire'
import { RankLink, placeOfPanel } from './rank_links'
import { RANK_ROW } from './row_figures'
import type { NarrowedProps } from './tables'
import { withShortWaits } from './waited'

/** `absent`: the ranks of the row, of which no figure is recorded. */
type Row = { readonly [K in keyof RankRow]: RankRow[K] | null } & {
  readonly rank: number
  readonly why_absent: string | null
  readonly absent: readonly number[]
  readonly n_more: number // beyond those that are listed
}

const NOTHING = Object.fromEntries(Object.keys(RANK_ROW).map((id) => [id, null])) as unknown as Row

function rowsOf({ ranks, absent }: RanksTable): readonly Row[] {
  return [
    ...ranks.map((row) => ({ ...row, why_absent: null, absent: [], n_more: 0 })),
    ...absent.map(({ ranks: numbers, reason, n_more }) => ({
      ...NOTHING,
      ...{ rank: numbers[0] ?? -1, why_absent: reason, absent: numbers, n_more },
    })),
  ]
}

function nameOf({ rank, absent, n_more: more }: Row): string {
  return absent.length > 1 ? plural(absent.length + more, 'rank') : `rank ${rank}`
}

function totalOf(shown: readonly Row[]): string {
  const n = shown.reduce((sum, { absent, n_more: more }) => sum + absent.length + more, 0)
  const here = plural(shown.filter(({ absent }) => absent.length === 0).length, 'rank')
  return n === 0 ? here : `${here}, ${n} without figures`
}

/** Where others have none by their nature, nobody knows of these. */
const NOT_KNOWN = {
  absent: 'none',
  draw: ({ why_absent: why }: Row) => (why === null ? null : <span class="soft">not recorded</span>),
}

export function RankTable({ table, run, whole }: NarrowedProps) {
  // First whom the sentences speak of: what a slow link costs is in nobody's own work.
  const worst =
    whole.slow_link !== null ? 'transfer_ns' : whole.ranks.some((row) => row.excess_ns !== null) ? 'excess_ns' : null
  return (
    <DataTable
      id="ranks.rank"
      label="Ranks"
      rows={useMemo(() => rowsOf(table), [table.ranks, table.absent])}
      columns={rankColumns(whole)}
      sort={{ column: worst ?? 'rank', descending: worst !== null }}
      keyOf={({ rank }) => String(rank)}
      wholeName={nameOf}
      totals={totalOf}
      fileParts={[run]}
      isLive
      goTo={({ rank }) => placeOfPanel(rank)}
    />
  )
}

function rankColumns(table: RanksTable): readonly Column<Row>[] {
  const { slow_link: slow, clock_error_ns: error, absent } = table
  const columns = columnsOf<Row, typeof RANK_ROW>(RANK_ROW, {
    rank: {
      width: 112,
      draw: (row) => (row.absent.length > 1 ? nameOf(row) : <RankLink rank={row.rank} />),
    },
    why_absent: absent.length > 0 && { width: 160 },
    host: { kind: 'name', width: 140 },
    // What the rows are sorted by: seen without scrolling at 640 px.
    ...(slow !== null && { transfer_ns: {} }),
    excess_ns: { width: 132, kind: 'change_ns' },
    own_ns: {},
    step_ns: {},
    stage: NOT_KNOWN,
    // Who is waited for: at 1440 px.
    n_last: {},
    caused_least_ns: {},
    computation_ns: {},
    wait_ns: {},
    transfer_ns: {},
    untold_ns: {},
    copy_ns: {},
    idle_ns: {},
    loader_ns: {},
    bubble_ns: NOT_KNOWN,
    received: NOT_KNOWN,
    peak_bytes: {},
    caused_most_ns: { hidden: true },
    all_computation_ns: { hidden: true },
    all_communication_ns: { hidden: true },
    all_overlap_ns: { hidden: true },
    replica: NOT_KNOWN,
  })
  return saying(withShortWaits(columns, error), rowsOf(table), 'rank')
}
