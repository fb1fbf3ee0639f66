/**
 * Names of one list, cut to what fits so that two that differ never read the same: where the usual cut makes them equal, what they
 * differ in is kept. `tb_plugin/base/cut.py` is the same rule for the shell; both are held to `tests/base/cut_cases.json`.
 *
 *     cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align1>     cutlass::Ker…_f16_256x128_nn…
 *     cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_128x128_nn_align1>     cutlass::Ker…_f16_128x128_nn…
 */
import { ELLIPSIS, cut, cutMiddle, plainest } from './cut'

const HEAD = 0.55 // of what is left beside the difference
const NESTED_HEAD = 0.25 // where the difference itself is too long
const LEAST = 6 // characters; in fewer a number tells names apart
const ROOMY = 16 // in fewer the difference is all there is room for
const LONGEST_TOKEN = 16 // a difference within a word shows the word: 128x64, not 28x6

export class Names {
  private readonly names: readonly string[]
  private readonly bySize = new Map<number, ReadonlyMap<string, string>>()

  /** `ofChart`: a mark of a few characters shows its name's beginning and end alone, where a number would be read as part of it. */
  constructor(
    names: Iterable<string>,
    private readonly ofChart = false,
  ) {
    this.names = [...new Set(names)]
  }

  /** `name` in at most `size` characters; one that is not of the list is cut by itself. */
  cut(name: string, size: number): string {
    if (name.length <= size) return name
    let shorts = this.bySize.get(size)
    if (shorts === undefined) this.bySize.set(size, (shorts = cutApart(this.names, size, this.ofChart)))
    return shorts.get(name) ?? cutMiddle(name, size)
  }
}

/** Each of these names in at most `size` characters. Different names get different texts, in any size that has room for a number;
 * of a chart where the names themselves have room to differ.
 */
export function cutApart(names: Iterable<string>, size: number, ofChart = false): ReadonlyMap<string, string> {
  const shorts = new Map<string, string>()
  for (const name of names) shorts.set(name, cutMiddle(name, size))
  const alike = (): readonly (readonly string[])[] => clashes([...shorts.keys()], (name) => shorts.get(name) ?? '')
  const groups = alike()
  tellApart(shorts, groups, size)
  // Of two groups, told apart each by itself, some may read alike now: then they are one.
  const groupOf = new Map(groups.flatMap((group) => group.map((name) => [name, group] as const)))
  const joined = alike().map((group) => [...new Set(group.flatMap((name) => groupOf.get(name) ?? [name]))])
  tellApart(shorts, joined, size)
  return ofChart ? shorts : numbered(shorts, size)
}

function tellApart(shorts: Map<string, string>, groups: readonly (readonly string[])[], size: number): void {
  for (const group of groups) {
    const plain = group.map((name) => plainest(name, size))
    const texts = new Set(plain).size === group.length ? plain : group
    apart(texts, size).forEach((text, index) => shorts.set(group[index] ?? '', text))
  }
}

/** Those of the same text, where there are several. */
function clashes<T>(items: readonly T[], textOf: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(textOf(item))
    if (group === undefined) groups.set(textOf(item), [item])
    else group.push(item)
  }
  return [...groups.values()].filter((group) => group.length > 1)
}

/** Different texts with what differs in sight: the beginning, the difference, the end. */
function apart(texts: readonly string[], size: number): readonly string[] {
  const [prefix, suffix] = common(texts)
  const words = toWords(texts[0] ?? '', prefix, suffix)
  return around(texts, size, ...words) ?? around(texts, size, prefix, suffix) ?? nested(texts, size, prefix, suffix)
}

/** Undefined where the longest difference leaves too little for the beginning. */
function around(texts: readonly string[], size: number, prefix: number, suffix: number): readonly string[] | undefined {
  const longest = Math.max(...texts.map((text) => text.length - prefix - suffix))
  const room = size - longest - 2
  if (room < (size < ROOMY ? 0 : Math.min(prefix, LEAST))) return undefined
  const tail = Math.min(suffix, Math.max(room - Math.ceil(room * HEAD), room - prefix))
  const head = Math.min(prefix, room - tail)
  return texts.map((text) => {
    const end = text.length - suffix
    const before = text.slice(0, head) + (head < prefix ? ELLIPSIS : '')
    return before + text.slice(prefix, end) + (tail < suffix ? ELLIPSIS : '') + text.slice(text.length - tail)
  })
}

/** The differences are cut as names of their own. */
function nested(texts: readonly string[], size: number, prefix: number, suffix: number): readonly string[] {
  const head = Math.min(prefix, Math.floor(size * NESTED_HEAD))
  const room = size - head - 1
  if (room < LEAST) return texts.map((text) => cut(text, size))
  const differences = texts.map((text) => text.slice(prefix, text.length - suffix))
  const shorts = differences.map((text) => cut(text, room))
  const rows = differences.map((_, index) => index)
  for (const group of clashes(rows, (row) => shorts[row] ?? ''))
    apart(
      group.map((row) => differences[row] ?? ''),
      room,
    ).forEach((text, index) => (shorts[group[index] ?? 0] = text))
  const before = (texts[0] ?? '').slice(0, head) + (head < prefix ? ELLIPSIS : '')
  return shorts.map((text) => before + text)
}

/** How many characters all begin with, and all end with. */
function common(texts: readonly string[]): readonly [number, number] {
  const first = texts[0] ?? ''
  const shortest = Math.min(...texts.map((text) => text.length))
  let prefix = 0
  while (prefix < shortest && texts.every((text) => text[prefix] === first[prefix])) prefix += 1
  let suffix = 0
  while (suffix < shortest - prefix && texts.every((text) => text.at(-1 - suffix) === first.at(-1 - suffix)))
    suffix += 1
  return [prefix, suffix]
}

/** The same, up to the ends of the words that the difference lies in. */
function toWords(first: string, prefix: number, suffix: number): readonly [number, number] {
  let [before, after] = [prefix, suffix]
  while (before > 0 && isWord(first[before - 1])) before -= 1
  while (after > 0 && isWord(first.at(-after))) after -= 1
  return [prefix - before > LONGEST_TOKEN ? prefix : before, suffix - after > LONGEST_TOKEN ? suffix : after]
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9]/.test(character)
}

/** What still reads the same gets a number, in the order of the list: `… (2)`, as no name ends. */
function numbered(shorts: ReadonlyMap<string, string>, size: number): ReadonlyMap<string, string> {
  const taken = new Set([...shorts].filter(([name, text]) => name === text).map(([name]) => name))
  const found = new Map<string, string>()
  for (const [name, text] of shorts) {
    let unique = text
    for (let number = 2; unique !== name && taken.has(unique); number += 1) {
      const mark = `${ELLIPSIS} (${number})`
      unique = (text.slice(0, Math.max(0, size - mark.length)) + mark).slice(-Math.max(size, 1))
      if (number > shorts.size + 1) break // no room for as many
    }
    taken.add(unique)
    found.set(name, unique)
  }
  return found
}
