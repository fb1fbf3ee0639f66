/** Who lies where in the icicle: a row's width is its share, children lie below it in the order of their first calls. */
import type { ModuleRow } from '../../../wire/wire'
import { childrenOf, lineage } from '../tree/tree'
import type { Tree } from '../tree/tree'

export interface Block {
  /** -1 is the whole profile; undefined stands for children too narrow to be drawn. */
  readonly id: number | undefined
  readonly level: number
  /** In shares of the width, 0 to 1. */
  readonly left: number
  readonly width: number
  readonly value: number
  /** How much of the value is the row's own, 0 to 1. */
  readonly ownShare: number
  /** Around what is zoomed to: drawn over the whole width. */
  readonly isAround: boolean
}

interface IcicleOf {
  readonly tree: Tree
  readonly total: (row: ModuleRow) => number
  readonly own: (row: ModuleRow) => number
  /** The row over the whole width; -1 is the whole profile. */
  readonly zoom: number
  /** What is narrower is put together, in shares of the width. */
  readonly least: number
}

/** Blocks with parents before children. A row without any of the metric has none. */
export function icicle({ tree, total, own, zoom, least }: IcicleOf): readonly Block[] {
  const whole = childrenOf(tree, -1).reduce((sum, id) => sum + valueOf(id), 0)
  const around = zoom < 0 ? [] : [...lineage(tree, zoom).slice(1).reverse()]
  const blocks: Block[] = []
  const line = zoom < 0 ? [-1] : [-1, ...around, zoom]
  line.forEach((id, level) => add(id, level, 0, 1, level < line.length - 1))
  if (whole > 0) descend(zoom, line.length, 0, 1)
  return blocks

  function valueOf(id: number): number {
    if (id < 0) return whole
    const row = tree.rows[id]
    return row === undefined ? 0 : total(row)
  }

  function add(id: number, level: number, left: number, width: number, isAround = false): void {
    const row = tree.rows[id]
    const value = valueOf(id)
    blocks.push({
      id,
      level,
      left,
      width,
      value,
      ownShare: row === undefined || value === 0 ? 0 : own(row) / value,
      isAround,
    })
  }

  function descend(id: number, level: number, left: number, width: number): void {
    const scale = valueOf(id) === 0 ? 0 : width / valueOf(id)
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
    for (const child of childrenOf(tree, id)) {
      const share = valueOf(child) * scale
      if (share < least) {
        rest.value += valueOf(child)
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
