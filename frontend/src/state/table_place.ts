/** Where a table view shows a certain row: what would hide it there (search, grouping, kind) is undone. Filters stay. */
import type { Changes } from './hash'

const HIDING = {
  operators: ['group', 'q', 'row'],
  kernels: ['group', 'kind', 'category', 'q', 'row'],
  modules: ['group', 'q', 'row'],
} as const

export type TableView = keyof typeof HIDING

/** `wanted` without the view's name: `tablePlace('kernels', { kind: 'copy' })`. */
export function tablePlace(view: TableView, wanted: Changes = {}): Changes {
  const undone = HIDING[view].map((key) => [`${view}.${key}`, undefined])
  const chosen = Object.entries(wanted).map(([key, value]) => [`${view}.${key}`, value])
  return { view, ...(Object.fromEntries([...undone, ...chosen]) as Changes) }
}

/** The kernels view with all work of this kind, as events and tables name kinds. */
export function kernelsOf(kind: string, wanted: Changes = {}): Changes {
  return tablePlace('kernels', { kind: kind === 'copy' || kind === 'set' ? kind : undefined, ...wanted })
}
