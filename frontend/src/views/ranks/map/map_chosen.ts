/** Cells of the map that a pointer is on or was drawn over, and the ranks or hosts that they are of. */
import type { Changes } from '../../../state/hash'
import { at } from '../../../state/place'
import { literal } from '../../../widgets/table/rows/order'
import type { RanksMatrix } from '../../../wire/wire'
import { shown } from '../hang'
import type { ShownMatrix, Spot } from './matrix'
import { wordsOf } from '../only'

/** A cell, and where the pointer is on the page. */
export interface Pointed extends Spot, Pick<MouseEvent, 'clientX' | 'clientY'> {}

/** A chip that leaves what lies between the two, instead of such as there are. */
export function onlyOf(one: Spot, other: Spot, matrix: ShownMatrix): Changes {
  if (matrix.axes === 'link')
    return only(
      'host',
      hostsOf(one, other, matrix).map((host) => `host=${host}`),
    )
  const ranks = new Set<number>()
  matrix.ranks.forEach((row, at) => {
    if (!isBetween(at, one.row, other.row)) return
    const fold = matrix.folds?.[at]
    if (fold !== undefined) fold.ranks.forEach((rank) => ranks.add(rank))
    else row.forEach((rank, column) => rank !== null && isBetween(column, one.column, other.column) && ranks.add(rank))
  })
  return onlyRanks(ranks)
}

export function onlyRanks(ranks: ReadonlySet<number>): Changes {
  const said = shown([...ranks].sort((a, b) => a - b)).replaceAll(' ', '')
  return ranks.size > 0 ? only('rank', [`rank=${said}`]) : {}
}

function only(kind: 'host' | 'rank', words: readonly string[]): Changes {
  const others = wordsOf(at('ranks.only')).filter((word) => !word.startsWith(`${kind}=`))
  return { 'ranks.only': [...others, ...words].join(' ') }
}

/** Of links between the two, in the order in which they stand in a row of links. */
export function hostsOf(one: Spot, other: Spot, { rows }: RanksMatrix): readonly string[] {
  return rows.filter((_, at) => isBetween(at, one.row, other.row) || isBetween(at, one.column, other.column))
}

/** The rows of two hosts, or of what moves inside of one, in the table of links. */
export function placeOfLink(spot: Spot, matrix: RanksMatrix): Changes {
  const hosts = hostsOf(spot, spot, matrix).map(literal)
  return { 'ranks.link.q': hosts.length === 1 ? `^${hosts[0]}$` : hosts.map((host) => `\\b${host}\\b`).join('.*') }
}

export function rankAt({ ranks }: RanksMatrix, { row, column }: Spot): number | null {
  return ranks[row]?.[column] ?? null
}

function isBetween(at: number, one: number, other: number): boolean {
  return (at - one) * (at - other) <= 0
}
