import './kernels.css'

import { categoryOf } from '../../base/categories'
import { exactNs, formatNs, formatShare } from '../../base/units'
import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { KernelRow, Kernels, ViewReply } from '../../data/wire'
import { filters } from '../../state/filters'
import { at, go } from '../../state/place'
import { Definition } from '../../widgets/popup'
import { Select } from '../../widgets/select'
import { DataTable } from '../../widgets/table/data_table'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { CategoryBar } from './category_bar'
import { columnsFor } from './columns'
import * as define from './definitions'
import { Details } from './details'

const KINDS = [
  { id: 'kernel', label: 'Kernels' },
  { id: 'copy', label: 'Copies' },
  { id: 'set', label: 'Sets' },
  { id: 'all', label: 'All device work' },
] as const

const GROUPS = [
  { id: 'name', label: 'Name' },
  { id: 'launch', label: 'Launch shape and operator' },
  { id: 'operator', label: 'Operator' },
  { id: 'module', label: 'Module' },
  { id: 'stream', label: 'Stream' },
  { id: 'category', label: 'Category' },
] as const

export function KernelsView({ profile }: ViewProps) {
  const group = GROUPS.find((each) => each.id === at('kernels.group'))?.id ?? 'name'
  const kind = KINDS.find((each) => each.id === at('kernels.kind'))?.id ?? 'kernel'
  const category = categoryOf(at('kernels.category') ?? null)?.id
  const query = { ...profile, ...filters.value, group_by: group, kind, category }
  const version = versionOf(profile)
  const reply = useReply<ViewReply<Kernels>>('view/kernels', query, version)
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(kernels) => (
        <div class="kernels-body">
          <CategoryBar
            totals={kernels.categories}
            chosen={category}
            onChoose={(id) => go({ 'kernels.category': id, 'kernels.row': undefined })}
          />
          <DataTable
            id="kernels"
            label="Kernels"
            rows={kernels.rows}
            columns={columnsFor(kernels)}
            sort={{ column: 'total_ns', descending: true }}
            keyOf={keyOf}
            fileParts={[profile.run, profile.worker, profile.span]}
            details={(row) =>
              isOne(kernels.group_by) && (
                <button type="button" class="button" onClick={() => go({ view: 'timeline', 'timeline.q': row.name })}>
                  Find in timeline
                </button>
              )
            }
            sections={(row) => <Details row={row} group={kernels.group_by} query={query} version={version} />}
          >
            <Select
              label="Show"
              value={kind}
              options={KINDS}
              onChoose={(id) =>
                go({
                  'kernels.kind': id === 'kernel' ? undefined : id,
                  'kernels.category': undefined,
                  'kernels.row': undefined,
                })
              }
            />
            <Select
              label="Group by"
              value={group}
              options={GROUPS}
              onChoose={(id) => go({ 'kernels.group': id === 'name' ? undefined : id, 'kernels.row': undefined })}
            />
            <Summary kernels={kernels} />
          </DataTable>
        </div>
      )}
    </ViewFrame>
  )
}

function Summary({ kernels }: { readonly kernels: Kernels }) {
  const { busy_ns: busy, kind, total_ns: total, matrix_ns: matrix, matrix_unknown_ns: unknown } = kernels
  return (
    <>
      <span class="soft" title={exactNs(busy)}>
        busy {formatNs(busy)}
        <Definition of="busy" text={define.busy_ns} />
      </span>
      {kind === 'kernel' && total > 0 && (
        <span class="soft" title={exactNs(matrix)}>
          tensor cores {formatShare(matrix / total)}
          {unknown > 0 && `, ${formatShare(unknown / total)} unknown`}
          <Definition of="tensor cores" text={define.matrix_ns} />
        </span>
      )}
      {kernels.group_by === 'module' && !kernels.has_modules && (
        <span class="soft">
          Modules were not recorded: <code>with_stack=True</code>
        </span>
      )}
    </>
  )
}

/** Whether a row is one kernel. */
function isOne(group: Kernels['group_by']): boolean {
  return group === 'name' || group === 'launch'
}

function keyOf(row: KernelRow): string {
  const launch = [row.operator, row.grid?.join(','), row.block?.join(','), row.registers, row.shared_bytes]
  const isLaunch = row.grid !== null || row.operator !== null
  return [
    row.name === '' ? 'none' : row.name,
    ...(isLaunch ? launch.filter((part) => part !== null && part !== undefined) : []),
  ].join(' ')
}
