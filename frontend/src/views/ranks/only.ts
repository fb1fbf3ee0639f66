/** Which rows of Ranks are shown, a chip a word: `rank=0-7,16`, `stage=3`, `host=node1`, `dim=data`. Of one kind any, of several all. */
import { parseEdits } from '../../widgets/choose/edits'
import type { RanksMatrix, RanksTable } from '../../wire/wire'

export const FORMS = 'rank=0-7,16 stage=3 replica=0 host=NAME dim=data'

const MEANS: Record<string, string> = { node: 'host', dimension: 'dim' }

/** `ranks=0-7` and `node=a` are what `rank=0-7` and `host=a` are. */
function canonical(word: string): string {
  return word.replace(
    /^(rank|stage|replica|host|node|dim|dimension)s?=/,
    (_, kind: string) => `${MEANS[kind] ?? kind}=`,
  )
}

function isWord(word: string): boolean {
  return /^(?:(?:rank|stage|replica)=\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*|(?:host|dim)=.+)$/.test(word)
}

export function wordsOf(only: string | undefined): readonly string[] {
  return [...new Set(parseEdits(only, ' '))]
}

function isKept(words: readonly string[], kind: string, value: string | number | null): boolean {
  const parts = words
    .filter((word) => word.startsWith(`${kind}=`))
    .map((word) => word.slice(kind.length + 1))
    .flatMap((word) => [word, ...word.split(',')]) // a host's name may hold a comma
  return (
    parts.length === 0 ||
    parts.some((part) => {
      if (typeof value !== 'number') return part === value
      const [low = NaN, high = low] = part.split('-').map(Number)
      return low <= value && value <= high
    })
  )
}

/** Tables of ranks and stages know no dimension; the others stand here. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  summary: /./,
  links: /./,
  beside: /./,
  collectives: /^dim/,
  hang: /^$/,
}

/** The words that do not narrow what is shown. */
export function notKnown(words: readonly string[], shown: string): readonly string[] {
  return words.filter((word) => !(KNOWN[shown] ?? /^(?!dim)/).test(word))
}

/** The tables without the other rows; without any where a word is none. Means, sums and sentences stay those of all ranks. */
export function narrowed(table: RanksTable, only: readonly string[]): RanksTable {
  const words = only.map(canonical)
  const kept = table.ranks.map(
    ({ rank, stage, replica, host }) =>
      words.every(isWord) &&
      isKept(words, 'rank', rank) &&
      isKept(words, 'stage', stage) &&
      isKept(words, 'replica', replica) &&
      isKept(words, 'host', host),
  )
  const of = <T>(values: readonly T[]): readonly T[] => values.filter((_, place) => kept[place] === true)
  const ranks = of(table.ranks)
  const numbers = new Set(ranks.map(({ rank }) => rank))
  const hosts = new Set(ranks.map(({ host }) => host))
  const stages = new Set(ranks.map(({ stage }) => stage))
  const without = new Set(
    table.dimensions
      .filter(({ name, short }) => !isKept(words, 'dim', name) && !isKept(words, 'dim', short))
      .map(({ name }) => name),
  )
  const isHost = (host: string): boolean => hosts.has(host) || hosts.has(null)
  const isDimension = ({ dimension }: { readonly dimension: string }): boolean => !without.has(dimension)
  return {
    ...table,
    ranks,
    absent: absentOf(table, words),
    steps: table.steps.map((step) => ({
      ...step,
      own_ns: of(step.own_ns),
      wait_ns: of(step.wait_ns),
      excess_ns: of(step.excess_ns),
    })),
    dimensions: table.dimensions.filter(({ name }) => !without.has(name)),
    collectives: table.collectives.filter(isDimension),
    links: table.links.filter((row) => isDimension(row) && row.hosts.split(', ').some(isHost)),
    hosts: table.hosts.filter(({ host }) => isHost(host)),
    stages: table.stages.filter(({ stage }) => stages.has(stage) || stages.has(null)),
    path: table.path.filter(({ rank }) => rank === null || numbers.has(rank)),
  }
}

/** Nothing is known of them but their numbers. */
function absentOf({ absent }: RanksTable, words: readonly string[]): RanksTable['absent'] {
  if (!words.every((word) => isWord(word) && /^(?:rank|dim)=/.test(word))) return []
  return absent
    .map((row) => ({ row, ranks: row.ranks.filter((rank) => isKept(words, 'rank', rank)) }))
    .map(({ row, ranks }) => ({ ...row, ranks, n_more: ranks.length < row.ranks.length ? 0 : row.n_more }))
    .filter(({ ranks }) => ranks.length > 0)
}

/** Those that words left, one a line; undefined where that is all. */
export function dimensionsLeft({ dimensions }: RanksTable, whole: RanksTable): string | undefined {
  return dimensions.length < whole.dimensions.length ? dimensions.map(({ name }) => name).join('\n') : undefined
}

/** A map without the ranks that are not in the table. */
export function narrowedMap(matrix: RanksMatrix, { ranks }: RanksTable): RanksMatrix {
  const numbers = new Set(ranks.map(({ rank }) => rank))
  const isHere = matrix.ranks.map((row) => row.map((rank) => rank !== null && numbers.has(rank)))
  const of = <T>(rows: readonly T[]): readonly T[] => rows.filter((_, place) => isHere[place]?.includes(true) === true)
  const cells = <T>(rows: readonly (readonly T[])[]): readonly (readonly (T | null)[])[] =>
    of(rows.map((row, place) => row.map((cell, column) => (isHere[place]?.[column] === true ? cell : null))))
  return { ...matrix, rows: of(matrix.rows), ranks: cells(matrix.ranks), values: cells(matrix.values) }
}
