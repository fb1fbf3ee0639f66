/** What the map of ranks can show, and the one that needs no request: own work over peers, in the table already. */
import { formatCount, formatNs, signedNs } from '../../base/units'
import type { MatrixParams, RanksMatrix, RanksTable } from '../../wire/wire'

export type MeasureId = NonNullable<MatrixParams['measure']>
export type AxesId = NonNullable<MatrixParams['axes']>

interface Choice<T> {
  readonly id: T
  readonly label: string
}

interface MeasureChoice extends Choice<MeasureId> {
  readonly isOfKinds?: boolean
}

export const MEASURES: readonly MeasureChoice[] = [
  { id: 'excess', label: 'own work over peers' },
  { id: 'own', label: 'own time' },
  { id: 'step', label: 'step' },
  { id: 'wait', label: 'exposed wait', isOfKinds: true },
  { id: 'caused', label: 'caused wait, least' },
  { id: 'transfer', label: 'exposed transfer', isOfKinds: true },
  { id: 'untold', label: 'not told apart', isOfKinds: true },
  { id: 'computation', label: 'computation' },
  { id: 'copy', label: 'copies' },
  { id: 'idle', label: 'idle' },
  { id: 'loader', label: 'data loader' },
  { id: 'bubble', label: 'pipeline bubble' },
  { id: 'received', label: 'rows received by all-to-alls' },
]

export const AXES: readonly Choice<AxesId>[] = [
  { id: 'step', label: 'rank by step' },
  { id: 'host', label: 'host by rank of the host' },
  { id: 'place', label: 'replica by stage, tensor and context rank' },
  { id: 'kind', label: 'rank by kind of collective' },
]

const MOST_RANKS_ACROSS = 1200

/** Thousands of ranks are read by their hosts. */
export function axesFor({ ranks, hosts }: RanksTable): AxesId {
  return ranks.length > MOST_RANKS_ACROSS && hosts.length > 1 ? 'host' : 'step'
}

/** Its values are differences already. */
export function isDeviation({ measure }: RanksMatrix): boolean {
  return measure === 'excess'
}

export function ofSteps({ run, ranks, steps }: RanksTable): RanksMatrix {
  const hasWaits = steps.some((step) => step.excess_ns.length > 0)
  return {
    ...{ run, measure: 'excess', axes: 'step', unit: 'ns', row_title: 'rank', column_title: 'step' },
    reason: hasWaits
      ? null
      : 'Own work: not recorded. No collective could be matched, and so nobody knows what is wait.',
    rows: ranks.map(({ rank }) => `rank ${rank}`),
    columns: steps.map(({ number }) => String(number)),
    values: ranks.map((_, at) => steps.map((step) => step.excess_ns[at] ?? null)),
    ranks: ranks.map(({ rank }) => steps.map(() => rank)),
    middle: steps.map(() => null),
  }
}

/** As in a cell. */
export function shownValue(matrix: RanksMatrix, value: number): string {
  return isDeviation(matrix) ? signedNs(value) : shownIn(matrix.unit, value)
}

export function shownIn(unit: RanksMatrix['unit'], value: number): string {
  return unit === 'ns' ? formatNs(value) : formatCount(value) + (unit === 'percent' ? ' %' : '')
}
