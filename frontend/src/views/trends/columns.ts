import { columnsOf, type Column } from '../../widgets/table/column'
import type { TrendPoint } from '../../wire/wire'
import { TREND_POINT } from './row_figures'

const SHOWN = columnsOf<TrendPoint, typeof TREND_POINT>(TREND_POINT, {
  run: { kind: 'name', width: 200 },
  label: { width: 150 },
  span: { width: 176 },
  recorded_ns: {},
  step_ns: {},
  before_share: { width: 150, kind: 'change_share' },
  changed: { width: 220 },
  quality: { width: 96 },
  note: { width: 240 },
  n_steps: {},
  last_step: { hidden: true },
  busy_share: {},
})

const NAMES: readonly string[] = ['name', 'text', 'time']

/** What a profile answers stays empty until it has. */
export const COLUMNS: readonly Column<TrendPoint>[] = SHOWN.map((column) =>
  NAMES.includes(column.kind) ? column : { isKnown: ({ quality }) => quality !== 'pending', ...column },
)
