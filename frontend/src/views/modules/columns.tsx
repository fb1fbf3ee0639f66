import { cutMiddle } from '../../base/cut'
import type { MemoryBytes, ModuleRow, Modules } from '../../data/wire'
import type { Column } from '../../widgets/table/column'
import * as define from './definitions'

const INDENT_CHARACTERS = 2

type Time = keyof ModuleRow['device']

/** Columns whose values hold those of the rows below: their sum is that of the roots. */
export const TOTALS: ReadonlySet<string> = new Set(
  ['host', 'device']
    .flatMap((side) =>
      ['forward_total_ns', 'backward_total_ns', 'total_ns', 'share', 'allocated_total_bytes', 'net_total_bytes'].map(
        (figure) => `${side}_${figure}`,
      ),
    )
    .concat('kernels_total', 'operators_total'),
)

interface NameCell {
  readonly hasChildren: (row: ModuleRow) => boolean
  readonly isOpen: (row: ModuleRow) => boolean
  readonly onToggle: (row: ModuleRow) => void
}

/** Columns whose values this profile has. */
export function columnsFor(modules: Modules, cell: NameCell): readonly Column<ModuleRow>[] {
  const { has_device, has_backward, has_calls, has_qualified, has_host_memory, has_device_memory } = modules
  const columns: (Column<ModuleRow> | false)[] = [
    nameColumn(cell),
    has_qualified && {
      id: 'qualified',
      title: 'In the model',
      kind: 'name',
      width: 190,
      absent: '–',
      value: (row) => (row.qualified === '' ? null : row.qualified),
      definition: define.qualified,
    },
    {
      id: 'class_name',
      title: 'Class',
      kind: 'text',
      hidden: modules.rows.every((row) => row.name.startsWith(row.class_name)),
      absent: '–',
      value: (row) => (row.class_name === '' ? null : row.class_name),
      definition: define.class_name,
    },
    modules.group_by === 'class' && {
      id: 'instances',
      title: 'Instances',
      kind: 'count',
      absent: '–',
      value: (row) => (row.kind === 'module' ? row.instances : null),
      definition: define.instances,
    },
    has_calls && {
      id: 'calls',
      title: 'Calls',
      kind: 'count',
      absent: '–',
      value: (row) => row.calls,
      definition: define.calls,
    },
    {
      id: 'recomputed',
      title: 'Recomputed',
      kind: 'count',
      hidden: modules.rows.every((row) => (row.recomputed ?? 0) === 0),
      absent: '–',
      value: (row) => row.recomputed,
      definition: define.recomputed,
    },
    ...(has_device ? timesOf('device', has_backward, has_calls, modules.totals.device_ns, true) : []),
    ...timesOf('host', has_backward, has_calls, modules.totals.host_ns, !has_device),
    has_device && {
      id: 'kernels_total',
      title: 'Kernels',
      kind: 'count',
      sums: true,
      value: (row) => row.kernels_total,
      definition: define.kernels_total,
    },
    has_device && {
      id: 'kernels_self',
      title: 'Kernels self',
      kind: 'count',
      sums: true,
      hidden: true,
      value: (row) => row.kernels_self,
      definition: define.kernels_self,
    },
    ...(has_device_memory ? memoryOf('device', true) : []),
    ...(has_host_memory ? memoryOf('host', !has_device_memory) : []),
    {
      id: 'operators_total',
      title: 'Operators',
      kind: 'count',
      sums: true,
      hidden: has_device,
      value: (row) => row.operators_total,
      definition: define.operators_total,
    },
    {
      id: 'operators_self',
      title: 'Operators self',
      kind: 'count',
      sums: true,
      hidden: true,
      value: (row) => row.operators_self,
      definition: define.operators_self,
    },
    {
      id: 'first_start_ns',
      title: 'First call',
      kind: 'ns',
      hidden: true,
      absent: '–',
      value: (row) => row.first_start_ns,
      definition: define.first_start_ns,
    },
  ]
  return columns.filter((column) => column !== false)
}

function nameColumn({ hasChildren, isOpen, onToggle }: NameCell): Column<ModuleRow> {
  return {
    id: 'name',
    title: 'Module',
    kind: 'name',
    value: (row) => row.name,
    definition: define.name,
    draw: (row, characters) => (
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
        {cutMiddle(row.name, Math.max(8, characters - INDENT_CHARACTERS * (row.depth + 1)))}
      </span>
    ),
  }
}

const SIDES = { device: 'Device', host: 'Host' } as const

function timesOf(
  side: 'device' | 'host',
  hasBackward: boolean,
  hasCalls: boolean,
  whole: number,
  isMain: boolean,
): readonly Column<ModuleRow>[] {
  const time = (id: Time, name: string, hidden = false): Column<ModuleRow> => ({
    id: `${side}_${id}`,
    title: `${SIDES[side]} ${name}`,
    kind: 'ns',
    sums: true,
    absent: '–',
    hidden,
    value: (row) => row[side]?.[id] ?? null,
    definition: define[id],
  })
  return [
    time('total_ns', 'total'),
    {
      id: `${side}_share`,
      title: `Of ${side}`,
      kind: 'share',
      sums: true,
      absent: '–',
      hidden: !isMain,
      value: (row) => (row[side] === null || whole === 0 ? null : row[side].total_ns / whole),
      definition: define.share,
    },
    ...(hasBackward ? [time('forward_total_ns', 'fwd'), time('backward_total_ns', 'bwd')] : []),
    time('self_ns', 'self', hasBackward),
    ...(hasBackward ? [time('forward_self_ns', 'fwd self', true), time('backward_self_ns', 'bwd self', true)] : []),
    ...(hasCalls
      ? [
          {
            id: `${side}_mean_ns`,
            title: `${SIDES[side]} per call`,
            kind: 'ns',
            absent: '–',
            hidden: true,
            value: (row) => perCall(row, side),
            definition: define.mean_ns,
          } satisfies Column<ModuleRow>,
        ]
      : []),
  ]
}

function perCall(row: ModuleRow, side: 'device' | 'host'): number | null {
  const total = row[side]?.forward_total_ns ?? null
  return total === null || row.calls === null || row.calls === 0 ? null : total / row.calls
}

function memoryOf(side: 'device' | 'host', isMain: boolean): readonly Column<ModuleRow>[] {
  const memory = (id: keyof MemoryBytes, name: string, hidden: boolean): Column<ModuleRow> => ({
    id: `${side}_${id}`,
    title: `${SIDES[side]} ${name}`,
    kind: 'bytes',
    sums: true,
    absent: '–',
    hidden,
    value: (row) => row[`${side}_memory`]?.[id] ?? null,
    definition: define[id],
  })
  return [
    memory('allocated_total_bytes', 'allocated', !isMain),
    memory('net_total_bytes', 'net memory', true),
    memory('allocated_self_bytes', 'allocated self', true),
    memory('net_self_bytes', 'net memory self', true),
  ]
}
