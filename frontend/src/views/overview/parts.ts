/** The parts of the two charts, with their definitions and what their figures lead to. */
import { BREAKDOWN } from '../../base/categories'
import type { Communication, DeviceUse } from '../../data/wire'
import type { Changes } from '../../state/hash'
import type { Part } from '../../widgets/stacked_bar'
import * as define from './definitions'

/** All device work by category, in the kernels view. */
export const BY_CATEGORY: Changes = {
  view: 'kernels',
  'kernels.kind': 'all',
  'kernels.group': 'category',
  'kernels.row': undefined,
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
  kernel: kernels('kernel'),
  copy: kernels('copy'),
  set: kernels('set'),
  communication: BY_CATEGORY,
  data_loader: { view: 'operators', 'operators.q': 'enumerate' },
  other_host: { view: 'operators', 'operators.q': undefined },
}

export const TIME_PARTS: readonly Part[] = BREAKDOWN.map((category) => {
  const to = TIME_PLACES[category.id]
  return { ...category, definition: TIME_TEXTS[category.id], ...(to === undefined ? {} : { to }) }
})

export const DEVICE_USES: readonly Part[] = [
  use('busy', 'Busy', 'var(--c-kernel)', define.busy, BY_CATEGORY),
  use('launch_gap', 'Launch gaps', 'var(--c-annotation)', define.launch_gap),
  use('blocked', 'Blocked', 'var(--c-python)', define.blocked),
  use('unknown', 'Unknown', 'transparent', define.unknown),
  use('synchronisation', 'Synchronisation', 'var(--c-runtime)', define.synchronisation, advice('synchronising')),
  use('waiting_for_host', 'Waits for host', 'var(--c-other-host)', define.waiting_for_host, advice('host_bound')),
]

export const COMMUNICATION: readonly Part[] = [
  beside('exposed', 'Exposed communication', define.communication_ns),
  beside('overlapped', 'Overlapped communication', define.communication_ns),
]

function beside(id: keyof Communication, title: string, definition: string): Part {
  return { id, title, color: 'transparent', definition, to: BY_CATEGORY, isBeside: true }
}

function use(id: keyof DeviceUse, title: string, color: string, definition: string, to?: Changes): Part {
  return { id, title, color, definition, ...(to === undefined ? {} : { to }) }
}

function kernels(kind: 'kernel' | 'copy' | 'set'): Changes {
  return { view: 'kernels', 'kernels.kind': kind, 'kernels.row': undefined }
}

function advice(finding: string): Changes {
  return { view: 'advice', 'advice.open': finding }
}
