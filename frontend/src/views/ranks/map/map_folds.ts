/** Rows of ranks as rows of their hosts or stages, each the worst of its members, some of them open; and a mean beside the steps. */
import type { RankRow } from '../../../wire/wire'
import { againstOf, areCollectives, awayOf } from './matrix'
import type { AxesId, ShownMatrix } from './matrix'

export type FoldBy = 'host' | 'stage'

/** Whether a row is a rank: other rows are of several already. */
export function areRowsRanks(axes: AxesId): boolean {
  return axes === 'step' || areCollectives(axes)
}

/** What rows can be folded by: where there are several of it, and of one of these several ranks. */
export function foldsFor(ranks: readonly RankRow[], axes: AxesId): readonly FoldBy[] {
  if (!areRowsRanks(axes)) return []
  return (['host', 'stage'] as const).filter((by) => {
    const names = new Set(ranks.map((rank) => nameOf(rank, by)))
    return names.size > 1 && names.size < ranks.length && !names.has(undefined)
  })
}

function nameOf({ host, stage }: RankRow, by: FoldBy): string | undefined {
  return by === 'host' ? (host ?? undefined) : stage === null ? undefined : `stage ${stage}`
}

const BY_NAME = new Intl.Collator('en', { numeric: true })

/** As one looks for names, `r2-node0001` before `r10-node0001`; `isSorted`: in the order in which the first of each stands. */
export function folded(
  matrix: ShownMatrix,
  ranks: readonly RankRow[],
  by: FoldBy,
  open: readonly string[],
  isSorted = false,
): ShownMatrix {
  const names = new Map(ranks.map((rank) => [rank.rank, nameOf(rank, by)]))
  const groups = new Map<string, number[]>()
  matrix.ranks.forEach((row, at) => {
    const name = names.get(row.find((rank) => rank !== null) ?? NaN) ?? ''
    groups.set(name, [...(groups.get(name) ?? []), at])
  })
  const inOrder = isSorted ? [...groups] : [...groups].sort(([one], [other]) => BY_NAME.compare(one, other))
  const every = inOrder.flatMap(([name, members]) => {
    const isOpen = open.includes(name)
    const row = foldOf(matrix, name, members, isOpen)
    return [row, ...(isOpen ? members.map((at) => rowAt(matrix, at)) : [])]
  })
  return {
    ...matrix,
    row_title: by,
    rows: every.map(({ row }) => row),
    values: every.map(({ values }) => values),
    ranks: every.map((each) => each.ranks),
    folds: every.map(({ fold }) => fold),
    meanAgainst: every.map(({ meanAgainst }) => meanAgainst),
  }
}

function rowAt(matrix: ShownMatrix, at: number) {
  const { rows, values, ranks } = matrix
  const meanAgainst = againstOf(matrix, { row: at, column: matrix.columns.length - 1 })
  return { row: rows[at] ?? '', values: values[at] ?? [], ranks: ranks[at] ?? [], fold: undefined, meanAgainst }
}

function foldOf(matrix: ShownMatrix, name: string, members: readonly number[], isOpen: boolean) {
  const ofColumns = matrix.columns.map((_, column) => {
    const known = members.flatMap((at) => {
      const [value, rank] = [matrix.values[at]?.[column] ?? null, matrix.ranks[at]?.[column] ?? null]
      // In its unit: in percent some have none.
      const away = awayOf({ ...matrix, isPercent: false }, { row: at, column })
      return value === null || away === null ? [] : [{ value, rank, away, at }]
    })
    const worst = known.reduce<(typeof known)[number] | undefined>(
      (so, one) => (so === undefined || one.away > so.away ? one : so),
      undefined,
    )
    const first = matrix.ranks[members[0] ?? 0]?.[column] ?? null
    return {
      worst: worst ?? { value: null, rank: first, at: members[0] ?? 0 },
      mean: meanOf(known.map(({ value }) => value)),
    }
  })
  const ranks = members.flatMap((at) => matrix.ranks[at]?.find((rank) => rank !== null) ?? [])
  return {
    row: `${isOpen ? '▾' : '▸'} ${name} (${members.length})`,
    values: ofColumns.map(({ worst }) => worst.value),
    ranks: ofColumns.map(({ worst }) => worst.rank),
    fold: { name, ranks, isOpen, means: ofColumns.map(({ mean }) => mean) },
    meanAgainst: againstOf(matrix, { row: ofColumns.at(-1)?.worst.at ?? 0, column: matrix.columns.length - 1 }),
  }
}

/** Beside several steps what each rank has in their mean, of memory at most: against the medians of the steps that it is of. */
export function withMean(matrix: ShownMatrix): ShownMatrix {
  if (matrix.axes !== 'step' || matrix.columns.length < 2) return matrix
  const isMost = matrix.unit === 'bytes'
  const rows = matrix.values.map((values) => {
    const known = [...values.keys()].filter((at) => (values[at] ?? null) !== null)
    const most = Math.max(...known.map((at) => values[at] ?? 0))
    const counted = isMost ? known.filter((at) => values[at] === most).slice(0, 1) : known
    const of = (each: readonly (number | null)[]): number | null =>
      meanOf(counted.map((at) => each[at] ?? null).filter((value) => value !== null))
    return { value: of(values), against: { middle: of(matrix.middle), hundred: of(matrix.hundred) } }
  })
  return {
    ...matrix,
    columns: [...matrix.columns, isMost ? 'most' : 'mean'],
    values: matrix.values.map((row, at) => [...row, rows[at]?.value ?? null]),
    ranks: matrix.ranks.map((row) => [...row, row.find((rank) => rank !== null) ?? null]),
    middle: [...matrix.middle, null],
    hundred: [...matrix.hundred, null],
    hasMean: true,
    meanAgainst: rows.map(({ against }) => against),
  }
}

function meanOf(known: readonly number[]): number | null {
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}
