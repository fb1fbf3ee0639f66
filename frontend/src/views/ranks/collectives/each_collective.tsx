/** Collectives one by one, instead of the table of their sorts: those that a sentence or a row counts (`ranks.each` in the link). */
import { exactCount, formatBytes, plural } from '../../../base/units'
import { useJointReply } from '../../../data/joint'
import { PlaceLink } from '../../../widgets/links/place_link'
import { columnsOf } from '../../../widgets/table/column'
import { DataTable } from '../../../widgets/table/data_table'
import type { InstanceRow, RanksTable } from '../../../wire/wire'
import { ofShownJob } from '../../of_job'
import { LastRanks } from './came_last'
import { shown } from '../hang'
import { Dots } from './instances'
import { MembersOf } from './one_collective'
import { linked, placeOfInstance } from '../rank_links'
import { INSTANCE_ROW } from '../row_figures'
import { waited } from '../waited'
import { Waiting } from '../waiting'

interface EachProps {
  readonly table: RanksTable
  readonly run: string
  /** `dimension=tensor&kind=all-reduce&ranks=5&steps=10,11`, as the server is asked. */
  readonly which: string
}

export function EachCollective({ table, run, which }: EachProps) {
  const said = new URLSearchParams(which)
  const text = (name: string) => said.get(name) ?? undefined
  const count = (name: string) => (/^\d+$/.test(said.get(name) ?? '') ? Number(said.get(name)) : undefined)
  const asked = { dimension: text('dimension'), kind: text('kind'), n_ranks: count('n_ranks'), bytes: count('bytes') }
  const of = { ranks: text('ranks'), steps: text('steps'), begun: text('begun') }
  const { value, error } = useJointReply('view/ranks/instances', { ...ofShownJob(run), ...asked, ...of }).value
  if (value === undefined) return <Waiting error={error} />
  const { rows, n_instances: n, reason } = value.result
  const words = [
    ...[asked.dimension, asked.kind ?? 'collectives'],
    asked.n_ranks !== undefined && `of ${plural(asked.n_ranks, 'rank')}`,
    asked.bytes !== undefined && `of about ${formatBytes(asked.bytes)}`,
    of.ranks !== undefined && `of rank${/\D/.test(of.ranks) ? 's' : ''} ${of.ranks.split(',').join(', ')} and others`,
    of.steps !== undefined &&
      `in step${/\D/.test(of.steps) ? 's' : ''} ${/-/.test(of.steps) ? of.steps : shown(of.steps.split(',').map(Number))}`,
  ].filter(Boolean)
  return (
    <>
      <header class="ranks-path">
        <PlaceLink to={{ 'ranks.each': undefined }}>← all sorts</PlaceLink> <b>{words.join(' ')}</b>{' '}
        <span class="soft">
          {reason ?? plural(n, 'collective')}
          {rows.length < n && `, the longest ${exactCount(rows.length)} of them here`}
        </span>
      </header>
      {rows.length > 0 && (
        <>
          <div class="ranks-each">
            <Dots rows={rows} error={table.clock_error_ns} />
          </div>
          <DataTable
            id="ranks.instance"
            label="Collectives one by one"
            rows={rows}
            columns={columnsOf<InstanceRow, typeof INSTANCE_ROW>(INSTANCE_ROW, {
              at_ns: { draw: (row) => linked(row.at_ns, placeOfInstance(row)) },
              step: {},
              wait_ns: { draw: ({ wait_ns: ns }) => waited(ns, table.clock_error_ns) },
              transfer_ns: {},
              last_ranks: {
                draw: ({ last_ranks: last, n_last: n, step }) => (
                  <LastRanks ranks={last} n={n} step={step ?? undefined} />
                ),
                value: ({ last_ranks: last }) => last.join(' '),
                order: ({ last_ranks: last }) => last[0] ?? null,
              },
              lasts_ns: {},
              dimension: {},
              kind: {},
              group: {},
              sequence: {},
              members: { order: ({ ranks }) => ranks[0] ?? null },
              n_ranks: {},
              bytes: {},
            })}
            sort={{ column: 'wait_ns', descending: true }}
            keyOf={({ worker, row }) => `${worker} ${row}`}
            totals={(shown) => plural(shown.length, 'collective')}
            isEntered
            sections={(row) => <MembersOf run={run} of={row} error={table.clock_error_ns} />}
            fileParts={[run]}
            isLive
          />
        </>
      )}
    </>
  )
}
