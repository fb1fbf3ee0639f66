import '../../../widgets/twisty.css'

import type { JSX } from 'preact'

import type { Names } from '../../../base/names'
import { columnsOf, type Column } from '../../../widgets/table/column'
import type { ModuleRow, Modules } from '../../../wire/wire'
import { effectColumns } from '../../effects'
import { MODULE_ROW } from '../row_figures'

const INDENT_CHARACTERS = 2

/** Of a column whose values hold those of modules inside the one without them, which adds up to the whole; else itself. */
export function ownOf(id: string): string {
  return id.replace('_total', '_self').replace(/^(device|host)_share$/, '$1_self_share')
}

interface NameCell {
  readonly hasChildren: (row: ModuleRow) => boolean
  readonly isOpen: (row: ModuleRow) => boolean
  readonly onToggle: (row: ModuleRow) => void
}

/** Columns whose values this profile has. */
export function columnsFor(modules: Modules, cell: NameCell): readonly Column<ModuleRow>[] {
  const { has_device, has_backward, has_calls, has_qualified, has_host_memory, has_device_memory, rows, totals } =
    modules
  const inPhases = has_device && has_backward
  const byClass = modules.group_by === 'class'
  return columnsOf(MODULE_ROW, {
    name: { kind: 'name', draw: drawName(cell) },
    qualified: has_qualified && {
      kind: 'name',
      width: 190,
      value: (row) => (row.qualified === '' ? null : row.qualified),
    },
    class_name: {
      hidden: rows.every((row) => row.name.startsWith(row.class_name)),
      value: (row) => (row.class_name === '' ? null : row.class_name),
    },
    instances: modules.group_by !== 'instance' && { value: (row) => (row.kind === 'module' ? row.instances : null) },
    calls: has_calls && {},
    recomputed: { hidden: rows.every((row) => (row.recomputed ?? 0) === 0) },
    ...(byClass && has_device ? { device_self_ns: {}, device_self_share: { value: () => null } } : {}), // these come first
    device_total_ns: has_device && {},
    device_share: has_device && { value: (row) => share(row.device.total_ns, totals.device_ns) },
    ...effectColumns(modules),
    device_forward_total_ns: inPhases && {},
    device_backward_total_ns: inPhases && {},
    device_self_ns: has_device && { hidden: has_backward && !byClass },
    device_self_share: has_device && { hidden: !byClass, value: (row) => share(row.device.self_ns, totals.device_ns) },
    device_forward_self_ns: inPhases && { hidden: true },
    device_backward_self_ns: inPhases && { hidden: true },
    device_mean_ns: has_device && has_calls && { hidden: true, value: (row) => perCall(row, 'device') },
    host_total_ns: {},
    host_share: { hidden: has_device, value: (row) => share(row.host?.total_ns, totals.host_ns) },
    host_forward_total_ns: has_backward && {},
    host_backward_total_ns: has_backward && {},
    host_self_ns: { hidden: has_backward && (!byClass || has_device) },
    host_self_share: { hidden: !byClass || has_device, value: (row) => share(row.host?.self_ns, totals.host_ns) },
    host_forward_self_ns: has_backward && { hidden: true },
    host_backward_self_ns: has_backward && { hidden: true },
    host_mean_ns: has_calls && { hidden: true, value: (row) => perCall(row, 'host') },
    kernels_total: has_device && {},
    kernels_self: has_device && { hidden: true },
    device_allocated_total_bytes: has_device_memory && {},
    device_net_total_bytes: has_device_memory && { hidden: true },
    device_allocated_self_bytes: has_device_memory && { hidden: true },
    device_net_self_bytes: has_device_memory && { hidden: true },
    host_allocated_total_bytes: has_host_memory && { hidden: has_device_memory },
    host_net_total_bytes: has_host_memory && { hidden: true },
    host_allocated_self_bytes: has_host_memory && { hidden: true },
    host_net_self_bytes: has_host_memory && { hidden: true },
    operators_total: { hidden: has_device },
    operators_self: { hidden: true },
    first_start_ns: { hidden: true, isPlace: true },
  })
}

function drawName({
  hasChildren,
  isOpen,
  onToggle,
}: NameCell): (row: ModuleRow, characters: number, names: Names) => JSX.Element {
  return (row, characters, names) => (
    <span class="tree-name" style={{ '--depth': row.depth }} title={row.path}>
      {hasChildren(row) ? (
        <button
          type="button"
          class="twisty"
          tabIndex={-1}
          aria-label={`${isOpen(row) ? 'Close' : 'Open'} ${row.name}`}
          onClick={(event) => {
            event.stopPropagation()
            onToggle(row)
          }}
        >
          {isOpen(row) ? '▾' : '▸'}
        </button>
      ) : (
        <span class="twisty" />
      )}
      {names.cut(row.name, Math.max(8, characters - INDENT_CHARACTERS * (row.depth + 1)))}
    </span>
  )
}

function share(ns: number | undefined, whole: number): number | null {
  return ns === undefined || whole === 0 ? null : ns / whole
}

function perCall(row: ModuleRow, side: 'device' | 'host'): number | null {
  const total = row[side]?.forward_total_ns ?? null
  return total === null || row.calls === null || row.calls === 0 ? null : total / row.calls
}
