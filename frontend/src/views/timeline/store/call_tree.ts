/** The call tree of an area as the flame graph and its table need it, the right way up or from the callees. Pure. */
import { nodesOf } from '../../../widgets/charts/icicle'
import type { Nodes } from '../../../widgets/charts/icicle'
import type { CallNode, TimelineEvent } from '../../../wire/wire'

export interface CallTree {
  readonly rows: readonly CallNode[]
  readonly nodes: Nodes
}

export function callTree(rows: readonly CallNode[]): CallTree {
  const nodes = nodesOf({
    parent: rows.map((row) => row.parent ?? -1),
    total: rows.map((row) => row.time_ns),
    own: rows.map((row) => row.self_ns),
  })
  return { rows, nodes }
}

/** What has time of its own at the root, who called it below, by time; a chain has the time of its first name. */
export function inverted(rows: readonly CallNode[]): readonly CallNode[] {
  const found: { -readonly [Key in keyof CallNode]: CallNode[Key] }[] = []
  const places = new Map<string, number>()
  for (const leaf of rows) {
    if (leaf.self_ns === 0) continue
    let parent: number | null = null
    for (let at: CallNode | undefined = leaf; at !== undefined; at = at.parent === null ? undefined : rows[at.parent]) {
      const key: string = `${parent ?? ''} ${at.kind} ${at.name}`
      let place = places.get(key)
      if (place === undefined) {
        place = found.length
        places.set(key, place)
        found.push({ ...at, parent, count: 0, time_ns: 0, self_ns: 0, longest: leaf.longest })
      }
      const node = found[place]
      if (node !== undefined) {
        node.time_ns += leaf.self_ns
        node.count += leaf.count
        if (leaf.longest.duration_ns > node.longest.duration_ns) node.longest = leaf.longest
        if (at.parent === null) node.self_ns += leaf.self_ns // nobody called it: the chain ends
      }
      parent = place
    }
  }
  return inOrder(found)
}

/** By time; a caller has at most that of what it calls, which so comes before it. */
function inOrder(rows: readonly CallNode[]): readonly CallNode[] {
  const order = rows.map((_, place) => place).sort((a, b) => (rows[b]?.time_ns ?? 0) - (rows[a]?.time_ns ?? 0) || a - b)
  const placeOf = new Map(order.map((old, place) => [old, place]))
  return order.flatMap((old) => {
    const row = rows[old]
    return row === undefined ? [] : [{ ...row, parent: row.parent === null ? null : (placeOf.get(row.parent) ?? null) }]
  })
}

/** The node that an event is counted in, or the nearest one around it; -1 where none is listed. */
export function nodeOf({ rows, nodes }: CallTree, event: TimelineEvent | undefined): number {
  if (event === undefined) return -1
  const above = event.owner === null ? event.parents : [event.owner, ...event.parents]
  const names = [...above.map(({ name }) => name).reverse(), event.name]
  let at = -1
  for (const name of names) at = nodes.childrenOf(at).find((id) => rows[id]?.name === name) ?? at
  return at
}
