/** The parts of the two charts, with their definitions and what their figures lead to. */
import { BREAKDOWN } from '../../base/categories'
import type { Communication, DeviceUse } from '../../data/wire'
import type { Changes } from '../../state/hash'
import { kernelsOf, tablePlace } from '../../state/table_place'
import type { Part } from '../../widgets/stacked_bar'
import * as define from './definitions'

/** All device work by category, in the kernels view. */
export const BY_CATEGORY = tablePlace('kernels', { kind: 'all', group: 'category' })

/** The kernels of one category, or all copies or sets. */
export function ofCategory(category: string): Changes {
  return kernelsOf(category, category === 'copy' || category === 'set' ? {} : { category })
}

type TimeId = (typeof BREAKDOWN)[number]['id']

const TIME_TEXTS: Readonly<Record<TimeId, string>> = {
  kernel: define.kernel,
  copy: define.copy,
  set: define.set,
  communication: define.communication,
  runtime: define.runtime,
  data_loader: define.data_loader,
  other_host: define.other_host,
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

/** What the device does. What a finding explains leads there, without a finding to the timeline. */
export function deviceUses(found: ReadonlySet<string>): readonly Part[] {
  const advice = (finding: string, other: Changes): Changes =>
    found.has(finding) ? { view: 'advice', 'advice.open': finding } : { view: 'timeline', ...other }
  return [
    use('busy', 'Busy', 'var(--c-kernel)', define.busy, BY_CATEGORY),
    use('launch_gap', 'Launch gaps', 'var(--c-annotation)', define.launch_gap),
    use('blocked', 'Blocked', 'var(--c-python)', define.blocked),
    use('unknown', 'Unknown', 'transparent', define.unknown),
    use(
      'synchronisation',
      'Synchronisation',
      'var(--c-runtime)',
      define.synchronisation,
      advice('synchronising', { 'timeline.q': 'Synchronize', 'timeline.regex': undefined }),
    ),
    use('waiting_for_host', 'Waits for host', 'var(--c-other-host)', define.waiting_for_host, advice('host_bound', {})),
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
