/** The call tree of an area as the flame graph and its table need it. Pure. */
import type { Changes } from '../../../state/hash'
import { nodesOf } from '../../../widgets/charts/icicle'
import type { Nodes } from '../../../widgets/charts/icicle'
import type { CallNode, TimelineCalls, TimelineEvent } from '../../../wire/wire'

/** What the link says of one tree's calls is of no other. */
export const OTHER_TREE: Changes = {
  'timeline.call': undefined,
  'timeline.open': undefined,
  'beside.call': undefined,
  'beside.open': undefined,
}

/** What has less of all than this branches off: it ends the calls that everything lies in. */
const NEARLY_ALL = 0.99

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

/** The calls that nearly everything lies in, the outermost first: what a script's stacks begin with. A last one that calls nothing
 * is no frame around something.
 */
export function commonPrefix({ nodes }: CallTree): readonly number[] {
  const found: number[] = []
  const most = NEARLY_ALL * nodes.total(-1)
  const inner = (id: number): number | undefined => nodes.childrenOf(id).find((child) => nodes.total(child) >= most)
  for (let at = inner(-1); at !== undefined && nodes.childrenOf(at).length > 0; at = inner(at)) found.push(at)
  return found
}

/** Without these calls: what the last of them calls stands at the top. */
export function folded({ rows, nodes }: CallTree, prefix: readonly number[]): CallTree {
  const last = prefix.at(-1) ?? -1
  return {
    rows,
    nodes: {
      ...nodes,
      childrenOf: (id) => nodes.childrenOf(id < 0 ? last : id),
      around: (id) => nodes.around(id).slice(prefix.length),
    },
  }
}

/** What a search keeps of the outline: hits, what is around them and what they call. */
export function keptBy({ rows, nodes }: CallTree, hits: ReadonlySet<number>): ReadonlySet<number> {
  const kept = new Set([...hits].flatMap((id) => [id, ...nodes.around(id)]))
  const inside = new Set(hits)
  rows.forEach(({ parent }, id) => {
    if (parent !== null && inside.has(parent)) inside.add(id)
  })
  return new Set([...kept, ...inside])
}

/** What trees and tables call an event: all steps have one name. */
export function rowName(name: string): string {
  return name.replace(/^ProfilerStep#.*/, 'ProfilerStep*')
}

/** The node that an event is counted in, or the nearest one around it; -1 where none is listed. */
export function nodeOf({ rows, nodes }: CallTree, event: TimelineEvent | undefined): number {
  if (event === undefined) return -1
  const above = event.owner === null ? event.parents : [event.owner, ...event.parents]
  const names = [...above.map(({ name }) => name).reverse(), event.name].map(rowName)
  let at = -1
  for (const name of names) {
    const called = [name, name.replace(/^(nn\.Module: .*_)\d+$/, '$1*')] // where modules of a class are one call
    at = nodes.childrenOf(at).find((id) => called.includes(rows[id]?.name ?? '')) ?? at
  }
  return at
}

/** A row of the table below the flame graph. `isOpen`: undefined where it calls nothing. */
export interface CallLine {
  readonly id: number
  readonly row: CallNode
  readonly depth: number
  readonly isOpen: boolean | undefined
}

/** The largest call first, and below each what it calls where it is open, as the link has it: `5,~9` are two that were turned, the
 * second with all below it; `~-1` is everything. What stands alone is open, and of a search what leads to hits and lies in them.
 */
export function outline(
  { rows, nodes }: CallTree,
  zoom: number,
  opened: string,
  kept?: ReadonlySet<number>,
): readonly CallLine[] {
  const turned = new Set(opened.split(','))
  const lines: CallLine[] = []
  const tops = zoom < 0 ? nodes.childrenOf(-1) : [zoom]
  const visit = (id: number, depth: number, isIn: boolean): void => {
    const row = rows[id]
    if (row === undefined || kept?.has(id) === false) return
    const called = nodes.childrenOf(id)
    const isAll = isIn || turned.has(`~${id}`)
    const isOpen = kept !== undefined || (isAll || (depth === 0 && tops.length === 1)) !== turned.has(String(id))
    lines.push({ id, row, depth, isOpen: called.length === 0 ? undefined : isOpen })
    if (isOpen) for (const child of called) visit(child, depth + 1, isAll)
  }
  for (const top of tops) visit(top, 0, turned.has('~-1'))
  return lines
}

/** `opened` with one more turned: closed if it was open; after the key `*` it is open with all below. */
export function withTurned({ nodes }: CallTree, opened: string, id: number, isAll: boolean): string | undefined {
  const others = opened.split(',').filter((text) => {
    const other = Number(text.replace('~', ''))
    return text !== '' && (isAll ? id >= 0 && other !== id && !nodes.around(other).includes(id) : text !== String(id))
  })
  const isOff = !isAll && opened.split(',').includes(String(id))
  return [...others, ...(isOff ? [] : [(isAll ? '~' : '') + String(id)])].join() || undefined
}
