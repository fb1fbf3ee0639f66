import { formatNs, exactNs } from '../../base/units'
import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { KernelRow, Kernels, ViewReply } from '../../data/wire'
import { at, go } from '../../state/place'
import { Definition } from '../../widgets/popup'
import { Select } from '../../widgets/select'
import { DataTable } from '../../widgets/table/data_table'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { columnsFor } from './columns'

const KINDS = [
  { id: 'kernel', label: 'Kernels' },
  { id: 'copy', label: 'Copies' },
  { id: 'set', label: 'Sets' },
  { id: 'all', label: 'All device work' },
] as const

export function KernelsView({ profile }: ViewProps) {
  const group = at('kernels.group') === 'launch' ? 'launch' : 'name'
  const kind = KINDS.find((each) => each.id === at('kernels.kind'))?.id ?? 'kernel'
  const reply = useReply<ViewReply<Kernels>>('view/kernels', { ...profile, group_by: group, kind }, versionOf(profile))
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(kernels) => (
        <DataTable
          id="kernels"
          label="Kernels"
          rows={kernels.rows}
          columns={columnsFor(kernels)}
          sort={{ column: 'total_ns', descending: true }}
          keyOf={keyOf}
          fileParts={[profile.run, profile.worker, profile.span]}
          details={(row) => (
            <button type="button" class="button" onClick={() => go({ view: 'timeline', 'timeline.q': row.name })}>
              Find in timeline
            </button>
          )}
        >
          <Select
            label="Show"
            value={kind}
            options={KINDS}
            onChoose={(id) => go({ 'kernels.kind': id === 'kernel' ? undefined : id, 'kernels.row': undefined })}
          />
          <Select
            label="Group by"
            value={group}
            options={[
              { id: 'name', label: 'Name' },
              { id: 'launch', label: 'Launch and operator' },
            ]}
            onChoose={(id) => go({ 'kernels.group': id === 'name' ? undefined : id, 'kernels.row': undefined })}
          />
          <span class="soft" title={exactNs(kernels.busy_ns)}>
            busy {formatNs(kernels.busy_ns)}
            <Definition
              of="busy"
              text="The time in which at least one of these runs, per device, summed over devices. Less than the sum of the column Total where streams overlap."
            />
          </span>
        </DataTable>
      )}
    </ViewFrame>
  )
}

function keyOf(row: KernelRow): string {
  const launch = [row.operator, row.grid?.join(','), row.block?.join(','), row.registers, row.shared_bytes]
  return [row.name, ...launch.filter((part) => part !== null && part !== undefined)].join(' ')
}
