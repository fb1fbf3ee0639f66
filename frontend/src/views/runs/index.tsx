import { plural } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { isCancelled } from '../../data/runs'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import type { Column } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { RunRow } from '../../wire/wire'
import { JointFrame } from '../joint_frame'
import { columnsFor, placeOf } from './columns'
import { TICK, Ticked } from './tick'

const EACH = [
  { id: 'run', label: 'Runs' },
  { id: 'worker', label: 'Workers' },
  { id: 'span', label: 'Spans' },
] as const

export function RunsView() {
  const each = EACH.find(({ id }) => id === at('runs.each'))?.id ?? 'run'
  const reply = useJointReply('view/runs', { each })
  return (
    <JointFrame state={reply.value}>
      {({ result }) => (
        <DataTable
          id="runs"
          label="Runs"
          rows={result.rows}
          columns={withTick(columnsFor(result))}
          sort={{ column: 'recorded_ns', descending: true }}
          keyOf={({ run, worker, span }) => `${run} ${worker} ${span}`}
          goTo={placeOf}
          isLive
          totals={(shown) => totals(shown, result.each)}
          fileParts={[]}
        >
          <Select
            label="Rows"
            value={each}
            options={EACH}
            onChoose={(id) => go({ 'runs.each': id === 'run' ? undefined : id })}
          />
          <Ticked />
        </DataTable>
      )}
    </JointFrame>
  )
}

/** The names stay pinned, the ticks stand beside them. */
function withTick([name, ...others]: readonly Column<RunRow>[]): readonly Column<RunRow>[] {
  return name === undefined ? [TICK] : [name, TICK, ...others]
}

/** Of the rows shown, so that a search counts what it found. */
function totals(rows: readonly RunRow[], each: string): string {
  const ended = rows.filter((row) => row.state === 'failed')
  const cancelled = ended.filter((row) => isCancelled(row.reason)).length
  const failed = ended.length - cancelled
  const toCome = rows.filter((row) => row.state !== 'failed' && row.state !== 'ready').length
  return [
    plural(rows.length, each),
    ...(at('runs.sort') === undefined && rows.length > 1 ? ['newest first'] : []), // by a column that is seldom in sight
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(toCome > 0 ? [`${toCome} still to come`] : []),
  ].join(', ')
}
