/** From block to block of an icicle by arrow keys. Pure. */
import type { Block } from './icicle'

const STEP = 1e-9 // shares of the width are sums of fractions

/** The block beside, around or below another one; undefined where there is none. */
export function neighbourBlock(
  blocks: readonly Block[],
  from: Block,
  key: string,
  isFlame: boolean,
): Block | undefined {
  const level = blocks.filter((block) => block.id !== undefined && block.level === from.level + deeper(key, isFlame))
  switch (key) {
    case 'ArrowLeft':
      return level.findLast(({ left }) => left < from.left - STEP)
    case 'ArrowRight':
      return level.find(({ left }) => left > from.left + STEP)
    case 'ArrowUp':
    case 'ArrowDown':
      return level.find(({ left, width }) => left < from.left + from.width - STEP && left + width > from.left + STEP)
    default:
      return undefined
  }
}

/** What a block holds lies below it, in a flame graph above. */
function deeper(key: string, isFlame: boolean): number {
  const way = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  return isFlame ? -way : way
}
