/** What the map of ranks can show, and the one that needs no request: own work over peers, in the table already. */
import { formatBytes, formatCount, formatNs, formatRate, signedNs, signedShare } from '../../../base/units'
import type { MatrixParams, RankRow, RanksMatrix, RanksTable } from '../../../wire/wire'
import { COLLECTIVE_ROW, RANK_ROW } from '../row_figures'

export type MeasureId = NonNullable<MatrixParams['measure']>
export type AxesId = NonNullable<MatrixParams['axes']>

/** Of a row that stands for several ranks. */
export interface Fold {
  readonly name: string
  readonly ranks: readonly number[]
  readonly isOpen: boolean
  readonly means: readonly (number | null)[]
}

/** What a value is held against, and what 100 % is of it. */
export interface Against {
  readonly middle: number | null
  readonly hundred: number | null
}

/** What is shown of it: in percent of `hundred`, or as it is. */
export interface ShownMatrix extends RanksMatrix {
  readonly isPercent?: boolean
  /** The last column is the mean of the others. */
  readonly hasMean?: boolean
  /** What the mean of each row is held against: its own steps', so that it is as far from it as they are in the mean. */
  readonly meanAgainst?: readonly Against[]
  /** Of each row, where it stands for several ranks. */
  readonly folds?: readonly (Fold | undefined)[]
}

/** A cell. */
export interface Spot {
  readonly row: number
  readonly column: number
}

interface Choice<T> {
  readonly id: T
  readonly label: string
}

const IDS: readonly MeasureId[] = [
  ...(['excess', 'own', 'step', 'wait', 'caused', 'transfer', 'untold'] as const),
  ...(['computation', 'copy', 'idle', 'loader', 'bubble', 'received', 'memory', 'rate'] as const),
]
/** What collectives of one kind or dimension have of their own. */
export const OF_COLLECTIVES: readonly MeasureId[] = ['wait', 'transfer', 'untold', 'rate']

/** They are called what the columns of ranks are called, and of collectives. */
export const MEASURES: readonly Choice<MeasureId>[] = IDS.map((id) => {
  const { title } = id === 'rate' ? COLLECTIVE_ROW.bus_bytes_per_s : RANK_ROW[figureOf(id)]
  return { id, label: title.toLowerCase() }
})

/** Of a rank. */
export function figureOf(id: MeasureId): keyof typeof RANK_ROW & keyof RankRow {
  const others: Readonly<Partial<Record<MeasureId, string>>> = {
    caused: 'caused_least_ns',
    received: 'received',
    memory: 'peak_bytes',
  }
  return (others[id] ?? `${id}_ns`) as keyof typeof RANK_ROW & keyof RankRow
}

/** Whether there is anything to show of it in this job: without waits nobody knows what is own work. */
export function isTold({ ranks, steps, collectives }: RanksTable, id: MeasureId): boolean {
  if (id === 'rate') return collectives.some(({ bus_bytes_per_s: rate }) => rate !== null)
  const hasWaits = steps.some((step) => step.excess_ns.length > 0)
  return (hasWaits || !/excess|untold/.test(id)) && ranks.some((rank) => rank[figureOf(id)] !== null)
}

export const AXES: readonly Choice<AxesId>[] = [
  { id: 'step', label: 'rank by step' },
  { id: 'host', label: 'host by local rank' },
  { id: 'place', label: 'replica by stage, tensor and context rank' },
  { id: 'kind', label: 'rank by kind of collective' },
  { id: 'dimension', label: 'rank by dimension' },
]

const MOST_RANKS_ACROSS = 400 // of 3 px each, in a window of 1440

/** More ranks than fit beside each other are read by their hosts. */
export function axesFor({ ranks, hosts }: RanksTable): AxesId {
  return ranks.length > MOST_RANKS_ACROSS && hosts.length > 1 ? 'host' : 'step'
}

/** Whether a column is of collectives of one kind or dimension. */
export function areCollectives(axes: AxesId): boolean {
  return axes === 'kind' || axes === 'dimension'
}

/** Whether what is left of the dimensions can narrow it. */
export function areOfDimensions(measure: MeasureId): boolean {
  return measure === 'link' || OF_COLLECTIVES.includes(measure)
}

/** Of rates, less is worse. */
export function isLessWorse({ unit }: RanksMatrix): boolean {
  return unit === 'percent' || unit === 'bytes_per_s'
}

/** Its values are differences already. */
export function isDeviation({ measure }: RanksMatrix): boolean {
  return measure === 'excess'
}

export function ofSteps({ run, ranks, steps }: RanksTable): RanksMatrix {
  const hasWaits = steps.some((step) => step.excess_ns.length > 0)
  return {
    ...{
      run,
      measure: 'excess',
      axes: 'step',
      unit: 'ns',
      least_told_ns: null,
      row_title: 'rank',
      column_title: 'step',
    },
    reason: hasWaits
      ? null
      : 'Own work: not recorded. No collective could be matched, and so nobody knows what is wait.',
    rows: ranks.map(({ rank }) => `rank ${rank}`),
    columns: steps.map(({ number }) => String(number)),
    values: ranks.map((_, at) => steps.map((step) => step.excess_ns[at] ?? null)),
    ranks: ranks.map(({ rank }) => steps.map(() => rank)),
    middle: steps.map(() => null),
    hundred: steps.map(() => null),
  }
}

/** The rows in the order of their means; those without a value last. */
export function largestFirst(matrix: RanksMatrix): RanksMatrix {
  const mean = matrix.values.map((row) => {
    const known = row.filter((value) => value !== null)
    return known.length === 0 ? -Infinity : known.reduce((sum, value) => sum + value, 0) / known.length
  })
  const order = [...mean.keys()].sort((a, b) => (mean[b] ?? 0) - (mean[a] ?? 0) || a - b)
  const inOrder = <T>(list: readonly T[]): T[] => order.map((at) => list[at] as T)
  return { ...matrix, rows: inOrder(matrix.rows), values: inOrder(matrix.values), ranks: inOrder(matrix.ranks) }
}

/** The number of the step that a column is, if it is one. */
export function stepAt({ axes, columns, hasMean }: ShownMatrix, column: number): number | undefined {
  return axes === 'step' && !(hasMean === true && column === columns.length - 1) ? Number(columns[column]) : undefined
}

/** As it stands where nothing else says what columns are. */
export function nameOfColumn(matrix: ShownMatrix, column: number): string {
  const name = matrix.columns[column] ?? ''
  return stepAt(matrix, column) !== undefined ? `step ${name}` : matrix.axes === 'host' ? `local rank ${name}` : name
}

/** The word for a rank without a value. */
export function absentIn({ axes }: RanksMatrix): string {
  return areCollectives(axes) ? 'none of these' : axes === 'link' ? 'nothing to compare' : 'not recorded'
}

/** The same where a rank that has the step has none: of its peers none has it whole. */
export function absentAt(
  matrix: ShownMatrix,
  spot: Spot,
  { ranks, steps }: Pick<RanksTable, 'ranks' | 'steps'>,
): string {
  if (!isDeviation(matrix)) return absentIn(matrix)
  const number = stepAt(matrix, spot.column)
  const place = ranks.findIndex(({ rank }) => rank === matrix.ranks[spot.row]?.[spot.column])
  const own = steps.find((step) => step.number === number)?.own_ns[place] ?? null
  return own !== null ? 'no peer in this step' : absentIn(matrix)
}

/** How far a value is from what it is held against, in percent where that is shown; more is worse. */
export function awayOf(matrix: ShownMatrix, spot: Spot): number | null {
  const far = farOf(matrix, spot)
  return far === null ? null : far * (isLessWorse(matrix) ? -1 : 1)
}

export function againstOf(matrix: ShownMatrix, { row, column }: Spot): Against {
  const own = matrix.hasMean === true && column === matrix.columns.length - 1 ? matrix.meanAgainst?.[row] : undefined
  return own ?? { middle: matrix.middle[column] ?? null, hundred: matrix.hundred[column] ?? null }
}

function farOf(matrix: ShownMatrix, spot: Spot): number | null {
  const value = matrix.values[spot.row]?.[spot.column] ?? null
  if (value === null) return null
  const { middle, hundred } = againstOf(matrix, spot)
  const far = isDeviation(matrix) ? value : value - (middle ?? 0)
  if (matrix.isPercent !== true) return far
  return hundred === null || hundred === 0 ? null : (100 * far) / hundred
}

/** As in a cell. */
export function shownCell(matrix: ShownMatrix, spot: Spot): string | null {
  const value = matrix.values[spot.row]?.[spot.column] ?? null
  if (value === null) return null
  if (matrix.isPercent !== true || isUntold(matrix, value)) return shownValue(matrix, value)
  const far = farOf(matrix, spot)
  return far === null ? null : signedShare(far / 100)
}

export function shownValue(matrix: RanksMatrix, value: number): string {
  if (matrix.least_told_ns !== null && isUntold(matrix, value)) return `under ${formatNs(matrix.least_told_ns)}`
  return isDeviation(matrix) ? signedNs(value) : shownIn(matrix.unit, value)
}

/** A wait that is less than clocks can tell. */
export function isUntold({ least_told_ns: least }: RanksMatrix, value: number | null): boolean {
  return least !== null && value !== null && value > 0 && value < least
}

export function shownIn(unit: RanksMatrix['unit'], value: number): string {
  const shown = { ns: formatNs, bytes: formatBytes, bytes_per_s: formatRate, count: formatCount, percent: formatCount }
  return shown[unit](value) + (unit === 'percent' ? ' %' : '')
}
