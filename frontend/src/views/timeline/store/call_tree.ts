/** The call tree of an area as the flame graph and its table need it. Pure. */
import { nodesOf } from '../../../widgets/charts/icicle'
import type { Nodes } from '../../../widgets/charts/icicle'
import type { CallNode, TimelineCalls, TimelineEvent } from '../../../wire/wire'

export interface CallTree {
  readonly rows: readonly CallNode[]
  readonly nodes: Nodes
}

/** `time_ns`: of all, also of what is not listed. */
export function callTree({ nodes: rows, time_ns }: Pick<TimelineCalls, 'nodes' | 'time_ns'>): CallTree {
  const nodes = nodesOf({
    parent: rows.map((row) => row.parent ?? -1),
    total: rows.map((row) => row.time_ns),
    own: rows.map((row) => row.self_ns),
  })
  return { rows, nodes: { ...nodes, total: (id) => (id < 0 ? time_ns : nodes.total(id)) } }
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
