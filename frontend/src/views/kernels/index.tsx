import './kernels.css'

import { categoryOf } from '../../base/categories'
import { exactNs, formatNs, formatShare } from '../../base/units'
import { filters, peaks } from '../../state/filters'
import { at, go } from '../../state/place'
import { GroupChoice } from '../../widgets/choose/group_choice'
import { Definition } from '../../widgets/panel/popup'
import { Select } from '../../widgets/choose/select'
import { DataTable } from '../../widgets/table/data_table'
import type { KernelRow, Kernels } from '../../wire/wire'
import { useWithEffects } from '../effects'
import { ViewFrame } from '../frame'
import { soughtInTimeline } from '../links'
import type { ViewProps } from '../props'
import { CategoryBar } from './category_bar'
import { columnsFor, groupOf } from './columns'
import * as define from './definitions'
import { Details } from './details'

const KINDS = [
  { id: 'kernel', label: 'Kernels' },
  { id: 'copy', label: 'Copies' },
  { id: 'set', label: 'Sets' },
  { id: 'all', label: 'All device work' },
] as const

export function KernelsView({ profile }: ViewProps) {
  const group = groupOf(at('kernels.group'))
  const kind = KINDS.find((each) => each.id === at('kernels.kind'))?.id ?? 'kernel'
  const category = categoryOf(at('kernels.category') ?? null)?.id
  const params = { ...filters.value, ...peaks.value, group_by: group, kind, category }
  const reply = useWithEffects('view/kernels', profile, params)
  return (
    <ViewFrame profile={profile} reply={reply}>
      {(kernels) => (
        <div class="kernels-body">
          <CategoryBar
            totals={kernels.categories}
            chosen={category}
            onChoose={(id) => go({ 'kernels.category': id, 'kernels.row': undefined })}
          />
          <DataTable
            key={`${kernels.group_by} ${kernels.kind}`}
            id="kernels"
            label="Kernels"
            rows={kernels.rows}
            columns={columnsFor(kernels)}
            sort={{ column: 'total_ns', descending: true }}
            keyOf={keyOf}
            isLive
            fileParts={[profile.run, profile.worker, profile.span]}
            details={(row) =>
              isOne(kernels.group_by) && (
                <button type="button" class="button" onClick={() => go(soughtInTimeline(row.name))}>
                  Find in timeline
                </button>
              )
            }
            sections={(row) => <Details row={row} group={kernels.group_by} profile={profile} params={params} />}
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
            <GroupChoice
              label="Group by"
              value={group}
              groupings={kernels.groupings}
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
