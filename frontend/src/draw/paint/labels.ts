/** Names cut to what fits, remembered: the same name is cut to the same length in many frames. */
import { cutMiddle } from '../../base/cut'

const KEPT = 20_000
const MOST_CHARACTERS = 255
const SHORT = 14 // where two ends and an ellipsis would say less than the beginning

export class Labels {
  private readonly known = new Map<number, string>()

  fitting(nameId: number, name: string, characters: number): string {
    const size = Math.min(characters, MOST_CHARACTERS, name.length)
    const key = nameId * 256 + size
    const before = this.known.get(key)
    if (before !== undefined) return before
    if (this.known.size > KEPT) this.known.clear()
    const fresh = size >= name.length ? name : cut(name, size)
    this.known.set(key, fresh)
    return fresh
  }
}

function cut(name: string, size: number): string {
  if (size >= SHORT) return cutMiddle(name, size)
  const head = cutMiddle(name, 3 * SHORT)
  return head.length <= size ? head : `${head.slice(0, size - 1)}…`
}
