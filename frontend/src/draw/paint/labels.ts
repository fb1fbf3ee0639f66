/** Names cut to what fits, remembered: the same name is cut to the same length in many frames. */
import { FRAME, SHORT, cutLabel } from '../../base/cut'
import { cutApart } from '../../base/names'

const KEPT = 20_000
const MOST_CHARACTERS = 255

interface Cut {
  readonly name: string
  readonly key: number
  readonly size: number
}

/** Names that were drawn in one track and would read the same when cut show what they differ in; the others stay as they are. */
export class Labels {
  private readonly known = new Map<number, string>()
  private readonly cutTo = new Map<string, Cut[]>()

  fitting(track: number, nameId: number, name: string, characters: number): string {
    const size = Math.min(characters, MOST_CHARACTERS, name.length)
    const key = (track * 2 ** 31 + nameId) * 256 + size
    const before = this.known.get(key)
    if (before !== undefined) return before
    if (this.known.size > KEPT) {
      this.known.clear()
      this.cutTo.clear()
    }
    this.known.set(key, cutLabel(name, size))
    if (!FRAME.test(name) && size < name.length && size >= SHORT) this.tellApart(track, { name, key, size })
    return this.known.get(key) ?? name
  }

  private tellApart(track: number, one: Cut): void {
    const text = this.known.get(one.key) ?? ''
    const place = `${track} ${text}`
    const alike = this.cutTo.get(place)
    if (alike === undefined) {
      this.cutTo.set(place, [one])
      return
    }
    alike.push(one)
    const names = new Set(alike.map((each) => each.name))
    if (names.size === 1) return
    for (const each of alike) this.known.set(each.key, cutApart(names, each.size, true).get(each.name) ?? text)
  }
}
