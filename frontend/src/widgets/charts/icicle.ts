/** Who lies where in an icicle: a node's width is its share, children lie below it in their order. Upside down it is a flame graph. */

/** A tree by number, as the picture needs it. -1 is the whole. */
export interface Nodes {
  readonly childrenOf: (id: number) => readonly number[]
  /** What is around a node, the outermost first. */
  readonly around: (id: number) => readonly number[]
  /** With all below it; 0 is not drawn. */
  readonly total: (id: number) => number
  readonly own: (id: number) => number
}

/** Nodes in columns, parents before children; the parent of a root is -1. */
export interface NodeColumns {
  readonly parent: readonly number[]
  readonly total: readonly number[]
  readonly own: readonly number[]
}

export function nodesOf({ parent, total, own }: NodeColumns): Nodes {
  const children: number[][] = parent.map(() => [])
  const roots: number[] = []
  parent.forEach((above, id) => (children[above] ?? roots).push(id))
  return {
    childrenOf: (id) => (id < 0 ? roots : (children[id] ?? [])),
    around: (id) => {
      const found: number[] = []
      for (let at = parent[id] ?? -1; at >= 0; at = parent[at] ?? -1) found.unshift(at)
      return found
    },
    total: (id) => (id < 0 ? roots.reduce((sum, root) => sum + (total[root] ?? 0), 0) : (total[id] ?? 0)),
    own: (id) => own[id] ?? 0,
  }
}

export interface Block {
  /** -1 is the whole; undefined stands for children too narrow to be drawn. */
  readonly id: number | undefined
  readonly level: number
  /** In shares of the width, 0 to 1. */
  readonly left: number
  readonly width: number
  readonly value: number
  /** How much of the value is the node's own, 0 to 1. */
  readonly ownShare: number
  /** Around what is zoomed to: drawn over the whole width. */
  readonly isAround: boolean
}

interface IcicleOf {
  readonly nodes: Nodes
  /** The node over the whole width; -1 is the whole. */
  readonly zoom: number
  /** What is narrower is put together, in shares of the width. */
  readonly least: number
}

/** Blocks with parents before children. A node without any of the value has none. */
export function icicle({ nodes, zoom, least }: IcicleOf): readonly Block[] {
  const { childrenOf, total, own } = nodes
  const whole = total(-1)
  const around = zoom < 0 ? [] : nodes.around(zoom)
  const blocks: Block[] = []
  const line = zoom < 0 ? [-1] : [-1, ...around, zoom]
  line.forEach((id, level) => add(id, level, 0, 1, level < line.length - 1))
  if (whole > 0) descend(zoom, line.length, 0, 1)
  return blocks

  function add(id: number, level: number, left: number, width: number, isAround = false): void {
    const value = total(id)
    blocks.push({ id, level, left, width, value, ownShare: value === 0 || id < 0 ? 0 : own(id) / value, isAround })
  }

  function descend(id: number, level: number, left: number, width: number): void {
    const scale = total(id) === 0 ? 0 : width / total(id)
    let at = left
    let rest = { left: at, value: 0 }
    const flush = (): void => {
      const isSeen = rest.value > 0 && rest.value * scale >= least
      if (isSeen)
        blocks.push({
          id: undefined,
          level,
          left: rest.left,
          width: rest.value * scale,
          value: rest.value,
          ownShare: 0,
          isAround: false,
        })
    }
    for (const child of childrenOf(id)) {
      const share = total(child) * scale
      if (share < least) {
        rest.value += total(child)
      } else {
        flush()
        add(child, level, at, share)
        descend(child, level + 1, at, share)
        rest = { left: at + share, value: 0 }
      }
      at += share
    }
    flush()
  }
}
