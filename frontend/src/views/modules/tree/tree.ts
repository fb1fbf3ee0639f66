/** Which rows of a tree are in sight, in which order. Rows come with parents before children; indices are their ids. */
import type { Column } from '../../../widgets/table/column'
import { shownRows } from '../../../widgets/table/rows/order'
import type { Sort } from '../../../widgets/table/rows/order'
import type { ModuleRow } from '../../../wire/wire'

const COMFORTABLE_ROWS = 40

export interface Tree {
  readonly rows: readonly ModuleRow[]
  /** Children of a row; those of -1 are the roots. */
  readonly children: ReadonlyMap<number, readonly number[]>
}

export function treeOf(rows: readonly ModuleRow[]): Tree {
  const children = new Map<number, number[]>()
  for (const row of rows) {
    const parent = row.parent ?? -1
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [row.id])
    else siblings.push(row.id)
  }
  return { rows, children }
}

export function childrenOf(tree: Tree, id: number): readonly number[] {
  return tree.children.get(id) ?? []
}

/** The row and what is around it, innermost first. */
export function lineage(tree: Tree, id: number): readonly number[] {
  const found: number[] = []
  for (let at: number | null = id; at !== null && at >= 0; at = tree.rows[at]?.parent ?? null) found.push(at)
  return found
}

/** How many levels are open at first: as many as fit on a screen. Of classes none: they are the answer. */
export function usualLevels(rows: readonly ModuleRow[], byClass = false): number {
  if (byClass) return 0
  const deepest = rows.reduce((depth, row) => Math.max(depth, row.depth), 0)
  for (let levels = 1; levels <= deepest; levels++)
    if (rows.filter((row) => row.depth <= levels).length > COMFORTABLE_ROWS) return levels - 1
  return deepest
}

/** Rows above `levels` are open, except those listed, which are the other way round. */
export interface Opened {
  readonly levels: number
  readonly toggled: ReadonlySet<number>
}

export function isOpen(row: ModuleRow, { levels, toggled }: Opened): boolean {
  return row.depth < levels !== toggled.has(row.id)
}

export function toggled(opened: Opened, id: number): Opened {
  const next = new Set(opened.toggled)
  if (!next.delete(id)) next.add(id)
  return { ...opened, toggled: next }
}

/** Everything around the row is open, so that it is in sight. */
export function revealed(tree: Tree, opened: Opened, id: number): Opened {
  return lineage(tree, id)
    .slice(1)
    .map((above) => tree.rows[above])
    .reduce((now, row) => (row === undefined || isOpen(row, now) ? now : toggled(now, row.id)), opened)
}

/** `3,17` as in the link. What is no number is left out. */
export function parseToggled(text: string | undefined): ReadonlySet<number> {
  return new Set((text ?? '').split(',').filter(Boolean).map(Number).filter(Number.isInteger))
}

export function formatToggled(ids: ReadonlySet<number>): string | undefined {
  return ids.size === 0 ? undefined : Array.from(ids).join(',')
}

/** Whether a search means the row: by the name in the profile, or by that in the model. */
export function isFound(row: ModuleRow, pattern: RegExp): boolean {
  return pattern.test(row.name) || pattern.test(row.qualified)
}

/** Rows to keep for a search: those that match and what is around them; undefined keeps all. */
export function matching(tree: Tree, pattern: RegExp | undefined): ReadonlySet<number> | undefined {
  if (pattern === undefined) return undefined
  const kept = new Set<number>()
  for (const row of tree.rows) if (isFound(row, pattern)) for (const id of lineage(tree, row.id)) kept.add(id)
  return kept
}

/** Ids in the order of the table: sorted among siblings, children below their parent where it is open or searched. */
export function visible(
  tree: Tree,
  columns: readonly Column<ModuleRow>[],
  sort: Sort,
  opened: Opened,
  kept: ReadonlySet<number> | undefined,
): Uint32Array {
  const rank = new Map(Array.from(shownRows(tree.rows, columns, sort, undefined), (id, place) => [id, place]))
  const found: number[] = []
  const visit = (id: number): void => {
    const siblings = childrenOf(tree, id).filter((child) => kept === undefined || kept.has(child))
    // What is no module comes last, whatever it sums up to: the question is about modules.
    const place = (child: number): number =>
      (rank.get(child) ?? 0) + (tree.rows[child]?.kind === 'module' ? 0 : tree.rows.length)
    for (const child of siblings.sort((a, b) => place(a) - place(b))) {
      const row = tree.rows[child]
      if (row === undefined) continue
      found.push(child)
      if (kept !== undefined || isOpen(row, opened)) visit(child)
    }
  }
  visit(-1)
  return Uint32Array.from(found)
}

/** The sum over the whole profile of a column of own values: of all rows, or of classes, which have those of what is below. */
export function wholeOf(tree: Tree, own: Column<ModuleRow> | undefined, byClass: boolean): number | undefined {
  if (own?.sums !== true) return undefined
  return tree.rows.reduce((sum, row) => {
    const value = byClass && row.parent !== null ? null : own.value(row)
    return typeof value === 'number' ? sum + value : sum
  }, 0)
}
