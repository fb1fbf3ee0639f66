/** Names cut to what fits, remembered: the same name is cut to the same length in many frames. */
import { cutMiddle } from '../../base/cut'
import { cutApart } from '../../base/names'

const KEPT = 20_000
const MOST_CHARACTERS = 255
const SHORT = 14 // where two ends and an ellipsis would say less than the beginning
const ROOM_TO_DIFFER = 6 // in fewer characters nothing tells more than the beginning

interface Cut {
  readonly name: string
  readonly key: number
  readonly size: number
}

/** Names that were drawn and would read the same when cut show what they differ in; the others stay as they are. */
export class Labels {
  private readonly known = new Map<number, string>()
  private readonly cutTo = new Map<string, Cut[]>()

  fitting(nameId: number, name: string, characters: number): string {
    const size = Math.min(characters, MOST_CHARACTERS, name.length)
    const key = nameId * 256 + size
    const before = this.known.get(key)
    if (before !== undefined) return before
    if (this.known.size > KEPT) {
      this.known.clear()
      this.cutTo.clear()
    }
    this.known.set(key, size >= name.length ? name : cut(name, size))
    if (size < name.length && size >= ROOM_TO_DIFFER) this.tellApart({ name, key, size })
    return this.known.get(key) ?? name
  }

  private tellApart(one: Cut): void {
    const text = this.known.get(one.key) ?? ''
    const alike = this.cutTo.get(text)
    if (alike === undefined) {
      this.cutTo.set(text, [one])
      return
    }
    alike.push(one)
    const names = new Set(alike.map((each) => each.name))
    if (names.size === 1) return
    for (const each of alike) this.known.set(each.key, cutApart(names, each.size).get(each.name) ?? text)
  }
}

function cut(name: string, size: number): string {
  if (size >= SHORT) return cutMiddle(name, size)
  const head = cutMiddle(name, 3 * SHORT)
  return head.length <= size ? head : `${head.slice(0, size - 1)}…`
}
