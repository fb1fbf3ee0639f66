/** The parts of the two charts, with their definitions and what their figures lead to. */
import { BREAKDOWN, HATCHED, KERNEL_CATEGORIES, striped } from '../../base/categories'
import type { Changes } from '../../state/hash'
import type { Part } from '../../widgets/charts/stacked_bar'
import type { Communication, DeviceRow, DeviceUse } from '../../wire/wire'
import { kernelsOf, soughtInTimeline, tablePlace } from '../links'
import * as define from './definitions'

/** All device work by category, in the kernels view. */
export const BY_CATEGORY = tablePlace('kernels', { kind: 'all', group: 'category' })

/** The kernels of one category, or all copies or sets. */
export function ofCategory(category: string): Changes {
  return kernelsOf(category, category === 'copy' || category === 'set' ? {} : { category })
}

/** ns by id. */
export type Parts = Readonly<Record<string, number>>

type TimeId = (typeof BREAKDOWN)[number]['id']

const TIME_TEXTS: Readonly<Record<TimeId, string>> = {
  kernel: define.kernel,
  copy: define.copy,
  set: define.set,
  communication: define.communication,
  runtime: define.runtime,
  data_loader: define.data_loader,
  other_host: define.other_host,
  python: define.python,
  unknown_queue: define.unknown_queue,
  idle: define.idle,
}

const TIME_PLACES: Readonly<Partial<Record<TimeId, Changes>>> = {
  kernel: kernelsOf('kernel'),
  copy: kernelsOf('copy'),
  set: kernelsOf('set'),
  communication: ofCategory('communication'),
  data_loader: tablePlace('operators', { q: 'enumerate' }),
  other_host: tablePlace('operators'),
}

export const TIME_PARTS: readonly Part[] = BREAKDOWN.map((category) => {
  const to = TIME_PLACES[category.id]
  return { ...category, definition: TIME_TEXTS[category.id], ...(to === undefined ? {} : { to }) }
})

/** What only a device or its calls can show. */
const OF_DEVICES: ReadonlySet<string> = new Set(['kernel', 'copy', 'set', 'runtime', 'unknown_queue'])

/** Of `operators_ns` in a bar: the breakdown has parts of the same names. */
export function ofOperators(category: string): string {
  return `operators_${category}`
}

/** Without a device: what the operators compute in place of "Other host". Parts that no bar has and no file could show are left out. */
export function hostParts(bars: readonly Parts[]): readonly Part[] {
  const isThere = ({ id }: Part): boolean => bars.some((parts) => (parts[id] ?? 0) > 0)
  return TIME_PARTS.flatMap((part) => {
    if (part.id === 'other_host') return OPERATOR_PARTS.filter(isThere)
    // Beside so many categories their colours alone would be those of others, for some eyes.
    if (part.id === 'python') return [{ ...part, color: striped(part.color, 135) }]
    if (part.id === 'data_loader') return [{ ...part, color: striped(part.color) }]
    return OF_DEVICES.has(part.id) && !isThere(part) ? [] : [part]
  })
}

/** Beside collectives, of which one part has the time already, and operators of a category. */
const OPERATOR_TITLES: Readonly<Record<string, string>> = {
  communication: 'Collective operators',
  other: 'Other operators',
}

const OPERATOR_PARTS: readonly Part[] = KERNEL_CATEGORIES.map(({ id, title, color }) => ({
  id: ofOperators(id),
  title: OPERATOR_TITLES[id] ?? title,
  color: id === 'other' ? 'var(--c-other-host)' : color, // as the timeline draws them
  definition: define.operators_ns,
  to: tablePlace('operators', { group: 'category' }),
}))

/** What the device does. What a finding explains leads there, without a finding to the timeline. */
export function deviceUses(found: ReadonlySet<string>): readonly Part[] {
  const advice = (finding: string, other: Changes): Changes =>
    found.has(finding) ? { view: 'advice', 'advice.open': finding } : { view: 'timeline', ...other }
  return [
    use('busy', 'Busy', 'var(--c-kernel)', define.busy, BY_CATEGORY),
    use('launch_gap', 'Launch gaps', striped('var(--c-kernel)'), define.launch_gap),
    use('blocked', 'Blocked', striped('var(--text-soft)', 0), define.blocked),
    use('unknown', 'Unknown', HATCHED, define.unknown),
    use(
      'synchronisation',
      'Synchronisation',
      'var(--c-sync)',
      define.synchronisation,
      advice('synchronising', soughtInTimeline('Synchronize')),
    ),
    use(
      'waiting_for_host',
      'Waits for host',
      'var(--warn)',
      define.waiting_for_host,
      advice('host_bound', advice('host_line', {})),
    ),
  ]
}

export const COMMUNICATION: readonly Part[] = [
  beside('exposed', 'Exposed communication', define.communication_ns),
  beside('overlapped', 'Overlapped communication', define.communication_ns),
]

function beside(id: keyof Communication, title: string, definition: string): Part {
  return { id, title, color: 'transparent', definition, to: ofCategory('communication'), isBeside: true }
}

function use(id: keyof DeviceUse, title: string, color: string, definition: string, to?: Changes): Part {
  return { id, title, color, definition, ...(to === undefined ? {} : { to }) }
}

export function sum(devices: readonly DeviceRow[], of: (device: DeviceRow) => number): number {
  return devices.reduce((total, device) => total + of(device), 0)
}
