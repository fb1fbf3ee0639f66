import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { OperatorRow, Operators, ViewReply } from '../../data/wire'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/select'
import { DataTable } from '../../widgets/table/data_table'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { columnsFor } from './columns'

export function OperatorsView({ profile }: ViewProps) {
  const group = at('operators.group') === 'shapes' ? 'shapes' : 'name'
  const reply = useReply<ViewReply<Operators>>('view/operators', { ...profile, group_by: group }, versionOf(profile))
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(operators) => (
        <DataTable
          id="operators"
          label="Operators"
          rows={operators.rows}
          columns={columnsFor(operators)}
          sort={{ column: operators.has_device ? 'device_self_ns' : 'host_self_ns', descending: true }}
          keyOf={keyOf}
          fileParts={[profile.run, profile.worker, profile.span]}
          details={(row) => (
            <button type="button" class="button" onClick={() => go({ view: 'timeline', 'timeline.q': row.name })}>
              Find in timeline
            </button>
          )}
        >
          <Select
            label="Group by"
            value={group}
            options={[
              { id: 'name', label: 'Name' },
              { id: 'shapes', label: 'Name and input shapes' },
            ]}
            onChoose={(id) => go({ 'operators.group': id === 'name' ? undefined : id, 'operators.row': undefined })}
          />
          {group === 'shapes' && !operators.has_shapes && (
            <span class="soft">
              Input shapes were not recorded: <code>record_shapes=True</code>
            </span>
          )}
        </DataTable>
      )}
    </ViewFrame>
  )
}

function keyOf(row: OperatorRow): string {
  return row.input_shapes === null ? row.name : `${row.name} ${row.input_shapes}`
}
