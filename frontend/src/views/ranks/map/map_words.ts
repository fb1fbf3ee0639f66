/** What a cell of the map says, in a line. */
import { exactCount, exactNs, plural } from '../../../base/units'
import type { RanksTable } from '../../../wire/wire'
import { hostsOf, rankAt } from './map_chosen'
import {
  absentAt,
  absentIn,
  againstOf,
  areCollectives,
  isDeviation,
  isLessWorse,
  isUntold,
  shownCell,
  shownValue,
  stepAt,
} from './matrix'
import type { ShownMatrix, Spot } from './matrix'

export function said(table: RanksTable, matrix: ShownMatrix, spot: Spot): string {
  const rank = rankAt(matrix, spot)
  const value = matrix.values[spot.row]?.[spot.column] ?? null
  if (matrix.axes === 'link') {
    const hosts = hostsOf(spot, spot, matrix)
    return `${hosts.length > 1 ? '' : 'inside '}${hosts.join(' and ')}: ${value === null ? absentIn(matrix) : `${shownValue(matrix, value)} of the usual bus rate`}`
  }
  if (rank === null) return 'no rank here'
  const host = table.ranks.find((each) => each.rank === rank)?.host ?? null
  const column = matrix.columns[spot.column]
  const step = stepAt(matrix, spot.column)
  const of =
    matrix.axes === 'step'
      ? `, ${step === undefined ? `${column} of its steps` : `step ${step}`}`
      : areCollectives(matrix.axes)
        ? `, ${column}`
        : ''
  const fold = matrix.folds?.[spot.row]
  const where =
    fold === undefined
      ? `rank ${rank}${host === null ? '' : ` (${host})`}${of}`
      : `${fold.name} (${plural(fold.ranks.length, 'rank')})${of}`
  if (value === null) return `${where}: ${absentAt(matrix, spot, table)}`
  const { middle } = againstOf(matrix, spot)
  const held = isDeviation(matrix) || middle === null ? '' : `, median ${shownValue(matrix, middle)}`
  const percent = matrix.isPercent === true ? shownCell(matrix, spot) : null
  const mean = fold?.means[spot.column] ?? null
  if (mean === null && isUntold(matrix, value)) return `${where}: ${shownValue(matrix, value)}${held}`
  const exact = matrix.unit === 'ns' ? exactNs(value) : exactCount(value)
  if (mean !== null)
    return `${where}: ${isLessWorse(matrix) ? 'least' : 'most'} ${percent === null ? '' : `${percent}, `}${shownValue(matrix, value)} on rank ${rank}, mean ${shownValue(matrix, mean)}${held}`
  return `${where}: ${percent === null ? '' : `${percent}, `}${shownValue(matrix, value)}${held} (${exact})`
}
