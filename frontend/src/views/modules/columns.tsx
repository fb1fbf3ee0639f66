import { cutMiddle } from '../../base/cut'
import type { ModuleRow, Modules } from '../../data/wire'
import type { Column } from '../../widgets/table/column'

const INDENT_CHARACTERS = 2

type Time = keyof ModuleRow['device']

/** Columns whose values hold those of the rows below: their sum is that of the roots. */
export const TOTALS: ReadonlySet<string> = new Set(
  ['host', 'device']
    .flatMap((side) => ['forward_total_ns', 'backward_total_ns', 'total_ns', 'share'].map((time) => `${side}_${time}`))
    .concat('kernels_total'),
)

interface NameCell {
  readonly hasChildren: (row: ModuleRow) => boolean
  readonly isOpen: (row: ModuleRow) => boolean
  readonly onToggle: (row: ModuleRow) => void
}

/** Columns whose values this profile has. */
export function columnsFor(modules: Modules, cell: NameCell): readonly Column<ModuleRow>[] {
  const { has_device, has_backward } = modules
  const columns: (Column<ModuleRow> | false)[] = [
    nameColumn(cell),
    {
      id: 'class_name',
      title: 'Class',
      kind: 'text',
      hidden: true,
      absent: '–',
      value: (row) => (row.class_name === '' ? null : row.class_name),
      definition: 'The class of the module.',
    },
    {
      id: 'calls',
      title: 'Calls',
      kind: 'count',
      absent: '–',
      value: (row) => (row.kind === 'module' ? row.calls : null),
      definition: 'How often the module was called at this place, in the forward pass.',
    },
    {
      id: 'recomputed',
      title: 'Recomputed',
      kind: 'count',
      hidden: modules.rows.every((row) => row.recomputed === 0),
      absent: '–',
      value: (row) => (row.kind === 'module' ? row.recomputed : null),
      definition:
        'Calls inside the backward pass, to compute again what checkpointing did not keep. Their time is backward time.',
    },
    ...(has_device ? timesOf('device', has_backward, modules.totals.device_ns, true) : []),
    ...timesOf('host', has_backward, modules.totals.host_ns, !has_device),
    has_device && {
      id: 'kernels_total',
      title: 'Kernels',
      kind: 'count',
      sums: true,
      value: (row) => row.kernels_total,
      definition: 'Kernels launched by the module and the modules inside it, forward and backward.',
    },
    has_device && {
      id: 'kernels_self',
      title: 'Kernels self',
      kind: 'count',
      sums: true,
      hidden: true,
      value: (row) => row.kernels_self,
      definition: 'Kernels launched by the module itself, not by modules inside it.',
    },
    {
      id: 'first_start_ns',
      title: 'First call',
      kind: 'ns',
      hidden: true,
      absent: '–',
      value: (row) => row.first_start_ns,
      definition:
        'When it was first called, from the start of the profile. Sort by it to read the modules in the order of the model.',
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
    definition:
      'Class and number, as torch counts the instances of a class by their first call. “not in a module”: everything else those threads did. “not attributed”: device work whose launch is not in the file.',
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

const SIDES = {
  device: { title: 'Device', what: 'Summed time of the kernels, copies and sets launched' },
  host: { title: 'Host', what: 'Host time' },
} as const

function timesOf(
  side: 'device' | 'host',
  hasBackward: boolean,
  whole: number,
  isMain: boolean,
): readonly Column<ModuleRow>[] {
  const { title, what } = SIDES[side]
  const time = (id: Time, name: string, definition: string, hidden = false): Column<ModuleRow> => ({
    id: `${side}_${id}`,
    title: `${title} ${name}`,
    kind: 'ns',
    sums: true,
    absent: '–',
    hidden,
    value: (row) => row[side]?.[id] ?? null,
    definition,
  })
  const inside = 'by the module and the modules inside it'
  const backward =
    'Operators of autograd, with all they call, belong to the module of their forward operator; gradient accumulation has none.'
  return [
    time('total_ns', 'total', `${what} ${inside}, forward and backward.`),
    {
      id: `${side}_share`,
      title: `Of ${side}`,
      kind: 'share',
      sums: true,
      absent: '–',
      hidden: !isMain,
      value: (row) => (row[side] === null || whole === 0 ? null : row[side].total_ns / whole),
      definition:
        side === 'device'
          ? 'Device total over all device time.'
          : 'Host total over the time in which anything was open on the threads that run modules.',
    },
    ...(hasBackward
      ? [
          time('forward_total_ns', 'fwd', `${what} ${inside} in the forward pass.`),
          time('backward_total_ns', 'bwd', `${what} ${inside} in the backward pass. ${backward}`),
        ]
      : []),
    time(
      'self_ns',
      'self',
      `${what} by the module itself, not by modules inside it. The sum is all ${side} time.`,
      hasBackward,
    ),
    ...(hasBackward
      ? [
          time('forward_self_ns', 'fwd self', `${what} by the module itself in the forward pass.`, true),
          time('backward_self_ns', 'bwd self', `${what} by the module itself in the backward pass. ${backward}`, true),
        ]
      : []),
  ]
}
