/** What a right click on the map copies: a cell, its row, or all of it, in base units. */
import { addressOf } from '../../../state/place'
import type { MenuItem } from '../../../widgets/panel/menu'
import { toCsv, toLine } from '../../../widgets/table/export'
import type { RanksTable } from '../../../wire/wire'
import { said } from './map_words'
import type { ShownMatrix, Spot } from './matrix'

/** As `ranks/matrix` has them in CSV. */
function columnsOf({ row_title: title, columns, rows, values, unit }: ShownMatrix) {
  const suffix = unit === 'count' ? '' : `_${unit}`
  return [
    { id: title === '' ? 'row' : title, value: (at: number) => rows[at]?.replace(/^[▸▾] /, '') ?? null },
    ...columns.map((name, column) => ({
      id: `${name}${suffix}`,
      value: (at: number) => values[at]?.[column] ?? null,
    })),
  ]
}

export function copies(table: RanksTable, matrix: ShownMatrix, spot: Spot): readonly MenuItem[] {
  const columns = columnsOf(matrix)
  const places = [...matrix.rows.keys()]
  const head = (): string => columns.map(({ id }) => id).join('\t')
  return [
    { label: 'Copy value', text: () => said(table, matrix, spot) },
    { label: 'Copy row', text: () => toLine(spot.row, columns) },
    { label: 'Copy map', text: () => [head(), ...places.map((at) => toLine(at, columns))].join('\n') },
    { label: 'Copy map as CSV', text: () => toCsv(places, columns) },
    { label: 'Copy link', text: () => addressOf() },
  ]
}
