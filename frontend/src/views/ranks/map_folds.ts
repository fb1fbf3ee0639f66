/** Rows of ranks as rows of their hosts or stages, each the worst of its members, some of them open; and a mean beside the steps. */
import type { RankRow, RanksMatrix } from '../../wire/wire'
import { areCollectives, isLessWorse } from './matrix'
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

/** In the order in which the first of each stands. */
export function folded(
  matrix: ShownMatrix,
  ranks: readonly RankRow[],
  by: FoldBy,
  open: readonly string[],
): ShownMatrix {
  const names = new Map(ranks.map((rank) => [rank.rank, nameOf(rank, by)]))
  const groups = new Map<string, number[]>()
  matrix.ranks.forEach((row, at) => {
    const name = names.get(row.find((rank) => rank !== null) ?? NaN) ?? ''
    groups.set(name, [...(groups.get(name) ?? []), at])
  })
  const every = [...groups].flatMap(([name, members]) => {
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
  }
}

function rowAt({ rows, values, ranks }: RanksMatrix, at: number) {
  return { row: rows[at] ?? '', values: values[at] ?? [], ranks: ranks[at] ?? [], fold: undefined }
}

function foldOf(matrix: RanksMatrix, name: string, members: readonly number[], isOpen: boolean) {
  const ofColumns = matrix.columns.map((_, column) => {
    const known = members.flatMap((at) => {
      const [value, rank] = [matrix.values[at]?.[column] ?? null, matrix.ranks[at]?.[column] ?? null]
      return value === null ? [] : [{ value, rank }]
    })
    const worst = known.reduce<(typeof known)[number] | undefined>(
      (so, one) => (so === undefined || one.value > so.value !== isLessWorse(matrix) ? one : so),
      undefined,
    )
    const first = matrix.ranks[members[0] ?? 0]?.[column] ?? null
    return { worst: worst ?? { value: null, rank: first }, mean: meanOf(known.map(({ value }) => value)) }
  })
  const ranks = members.flatMap((at) => matrix.ranks[at]?.find((rank) => rank !== null) ?? [])
  return {
    row: `${isOpen ? '▾' : '▸'} ${name} (${members.length})`,
    values: ofColumns.map(({ worst }) => worst.value),
    ranks: ofColumns.map(({ worst }) => worst.rank),
    fold: { name, ranks, isOpen, means: ofColumns.map(({ mean }) => mean) },
  }
}

/** Beside several steps what each rank has in their mean, of memory at most. */
export function withMean(matrix: ShownMatrix): ShownMatrix {
  if (matrix.axes !== 'step' || matrix.columns.length < 2) return matrix
  const isMost = matrix.unit === 'bytes'
  const of = (values: readonly (number | null)[]): number | null => {
    const known = values.filter((value) => value !== null)
    return isMost && known.length > 0 ? Math.max(...known) : meanOf(known)
  }
  const means = matrix.values.map(of)
  const hundred = of(matrix.hundred)
  return {
    ...matrix,
    columns: [...matrix.columns, isMost ? 'most' : 'mean'],
    values: matrix.values.map((row, at) => [...row, means[at] ?? null]),
    ranks: matrix.ranks.map((row) => [...row, row.find((rank) => rank !== null) ?? null]),
    middle: [...matrix.middle, matrix.measure === 'excess' ? null : medianOf(means)],
    hundred: [...matrix.hundred, hundred],
    hasMean: true,
  }
}

function meanOf(known: readonly number[]): number | null {
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}

function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b)
  const [low, high] = [known[(known.length - 1) >> 1], known[known.length >> 1]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
