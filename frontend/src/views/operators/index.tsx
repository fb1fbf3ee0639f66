import './operators.css'

import { filters, insideName } from '../../state/filters'
import { at, go } from '../../state/place'
import { GroupChoice, missingOf } from '../../widgets/choose/group_choice'
import { DataTable } from '../../widgets/table/data_table'
import type { OperatorRow } from '../../wire/wire'
import { useWithEffects } from '../effects'
import { ViewFrame } from '../frame'
import { soughtInTimeline } from '../links'
import type { ViewProps } from '../props'
import { columnsFor, groupOf } from './columns'
import { RowDetails } from './details'

export function OperatorsView({ profile }: ViewProps) {
  const group = groupOf(at('operators.group'))
  const reply = useWithEffects('view/operators', profile, { ...filters.value, group_by: group })
  return (
    <ViewFrame profile={profile} reply={reply}>
      {(operators) => (
        <DataTable
          key={operators.group_by}
          id="operators"
          label="Operators"
          rows={operators.rows}
          columns={columnsFor(operators)}
          sort={{ column: operators.has_device ? 'device_self_ns' : 'host_self_ns', descending: true }}
          keyOf={keyOf}
          isLive
          fileParts={[profile.run, profile.worker, profile.span]}
          details={(row) => <Actions row={row} />}
          sections={(row) => <RowDetails profile={profile} group={operators.group_by} row={row} />}
        >
          <GroupChoice
            label="Group by"
            value={group}
            groupings={operators.groupings}
            onChoose={(id) => go({ 'operators.group': id === 'name' ? undefined : id, 'operators.row': undefined })}
          />
          {operators.no_shapes !== null && missingOf(operators.groupings, group) === null && (
            <span class="soft">No FLOPs, no bytes: {operators.no_shapes}</span>
          )}
        </DataTable>
      )}
    </ViewFrame>
  )
}

/** What a row leads to: its events, and every view cut down to it. */
function Actions({ row }: { readonly row: OperatorRow }) {
  if (IS_REPORT) return null // it neither searches nor filters
  if (row.kind === 'module') {
    return (
      <button
        type="button"
        class="button"
        title="Every view counts only what runs in this module"
        onClick={() => go({ module: row.name, 'operators.group': undefined, 'operators.row': undefined })}
      >
        Only this module
      </button>
    )
  }
  if (row.kind === 'call_site') {
    return (
      <button
        type="button"
        class="button"
        title="Every view counts only what runs inside this function"
        onClick={() => go({ inside: insideName(row.name), 'operators.group': undefined, 'operators.row': undefined })}
      >
        Only inside this function
      </button>
    )
  }
  if (row.kind !== 'operator' && row.kind !== 'annotation' && row.kind !== 'launch') return null
  // All steps are one row; their names end with their numbers.
  const isSteps = row.name === 'ProfilerStep*'
  const name = isSteps ? 'ProfilerStep#' : row.name
  return (
    <>
      <button type="button" class="button" onClick={() => go(soughtInTimeline(name))}>
        Find in timeline
      </button>
      <button
        type="button"
        class="button"
        title="Every view counts only what runs inside it"
        onClick={() => go({ inside: isSteps ? '^ProfilerStep#' : insideName(name) })}
      >
        Only inside it
      </button>
    </>
  )
}

function keyOf(row: OperatorRow): string {
  return row.input_shapes === null ? row.name : `${row.name} ${row.input_shapes}`
}
