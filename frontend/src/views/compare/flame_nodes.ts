/** The tree of differences as blocks: as wide as the longer of both sides, so that what one side alone has is seen too. */
import { nodesOf } from '../../widgets/charts/icicle'
import type { Nodes } from '../../widgets/charts/icicle'
import type { ChangeRow } from '../../wire/wire'

/** Rows below the step by their place behind it: the step itself is the whole. A row with rows below it is as wide as these. */
export function flameNodes(rows: readonly ChangeRow[]): Nodes {
  const below = rows.slice(1)
  const total = below.map(({ a_ns, b_ns }) => Math.max(a_ns, b_ns))
  const inner = below.map(() => 0)
  for (let id = below.length - 1; id >= 0; id--) {
    const width = (inner[id] ?? 0) > 0 ? (inner[id] ?? 0) : (total[id] ?? 0)
    const parent = (below[id]?.parent ?? 0) - 1
    total[id] = width
    if (parent >= 0) inner[parent] = (inner[parent] ?? 0) + width
  }
  return nodesOf({
    parent: below.map(({ parent }) => parent - 1),
    total,
    own: total.map((of, id) => ((inner[id] ?? 0) > 0 ? 0 : of)),
  })
}

/** What a block says beside its width. */
export function onlyIn({ a_ns, b_ns }: Pick<ChangeRow, 'a_ns' | 'b_ns'>): 'a' | 'b' | undefined {
  if (a_ns > 0 && b_ns === 0) return 'a'
  return b_ns > 0 && a_ns === 0 ? 'b' : undefined
}
