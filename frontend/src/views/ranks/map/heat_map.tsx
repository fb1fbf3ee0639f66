/** A measure of all ranks, over steps, hosts, places of the layout or kinds of collectives; the longer side lies across. */

import './map.css'

import { useJointReply } from '../../../data/joint'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import { Definition } from '../../../widgets/panel/popup'
import type { RanksTable } from '../../../wire/wire'
import { ofShownJob } from '../../of_job'
import { AsTable } from '../as_table'
import * as define from '../definitions'
import {
  AXES,
  MEASURES,
  OF_COLLECTIVES,
  areCollectives,
  areOfDimensions,
  axesFor,
  isTold,
  largestFirst,
  ofSteps,
} from './matrix'
import type { AxesId, MeasureId, ShownMatrix } from './matrix'
import { folded, foldsFor, withMean } from './map_folds'
import type { FoldBy } from './map_folds'
import { Picture } from './map_picture'
import { MapTable } from './map_table'
import { dimensionsLeft, narrowedMap } from '../only'
import { Waiting } from '../waiting'

const ROWS = [
  { id: 'rank', label: 'ranks' },
  { id: 'host', label: 'hosts' },
  { id: 'stage', label: 'stages' },
] as const

const SCALES = [
  { id: 'plain', label: 'its unit' },
  { id: 'percent', label: 'percent of the median' },
] as const

interface HeatMapProps {
  /** Narrowed to what is chosen of the `whole`. */
  readonly table: RanksTable
  readonly whole: RanksTable
  readonly run: string
}

export function HeatMap({ table, whole, run }: HeatMapProps) {
  const isTable = at('ranks.as') === 'table'
  // What a slow link costs is in nobody's own work.
  const usually = table.slow_link === null ? 'excess' : 'transfer'
  const first = isTold(whole, usually) ? usually : 'computation'
  const chosen = MEASURES.find(({ id }) => id === at('ranks.measure'))?.id ?? first
  const usual = axesFor(table)
  const axes = AXES.find(({ id }) => id === at('ranks.axes'))?.id ?? usual
  const isOfCollectives = areCollectives(axes)
  const isWithout = isOfCollectives ? !OF_COLLECTIVES.includes(chosen) : chosen === 'rate'
  const measure = !isWithout ? chosen : isOfCollectives ? 'wait' : first
  const label = (id: MeasureId) => MEASURES.find((one) => one.id === id)?.label
  const hasMap = table.steps.length > 0
  return (
    <section aria-label="Ranks and steps">
      <header class="ranks-header">
        <h2>
          Ranks: {label(measure)}
          <Definition of="what is measured" text={`${define.excess_ns}\n${define.work_ns}\n${define.measure}`} />
        </h2>
        {hasMap && (
          <>
            <Select
              label="Measure"
              value={measure}
              options={MEASURES.filter(({ id }) =>
                isOfCollectives && id !== 'rate' ? OF_COLLECTIVES.includes(id) : id === measure || isTold(whole, id),
              )}
              onChoose={(id) =>
                go({
                  'ranks.measure': id === first ? undefined : id,
                  ...(id === 'rate' && !isOfCollectives && { 'ranks.axes': 'kind' }),
                })
              }
            />
            <Select
              label="Over"
              value={axes}
              options={AXES}
              onChoose={(id) => go({ 'ranks.axes': id === usual ? undefined : id })}
            />
            {foldsFor(table.ranks, axes).length > 0 && (
              <Select
                label="Rows"
                value={foldedBy(table, axes) ?? 'rank'}
                options={ROWS.filter(({ id }) => id === 'rank' || foldsFor(table.ranks, axes).includes(id))}
                onChoose={(id) => go({ 'ranks.rows': id === 'rank' ? undefined : id, 'ranks.open': undefined })}
              />
            )}
            <Select
              label="In"
              value={isPercent() ? 'percent' : 'plain'}
              options={SCALES}
              onChoose={(id) => go({ 'ranks.in': id === 'percent' ? id : undefined })}
            />
            <button
              type="button"
              class="button is-small"
              aria-pressed={isSorted()}
              title="In the order of the means of what is measured"
              onClick={() => go({ 'ranks.order': isSorted() ? undefined : 'value' })}
            >
              Largest first
            </button>
            <AsTable picture="Map" />
            {measure !== chosen && (
              <span class="soft">
                {isOfCollectives ? 'Collectives have' : 'A rank has'} no “{label(chosen)}” of{' '}
                {isOfCollectives ? 'their' : 'its'} own: this is {label(measure)}.
              </span>
            )}
            {!areOfDimensions(measure) && dimensionsLeft(table, whole) !== undefined && (
              <span class="soft">Of all dimensions.</span>
            )}
          </>
        )}
      </header>
      {!hasMap ? (
        <p class="is-absent">Steps: not recorded.</p>
      ) : measure === 'excess' && axes === 'step' && !isPercent() ? ( // what 100 % is, the server says
        <Shown table={table} matrix={ofSteps(table)} isTable={isTable} />
      ) : (
        <Asked table={table} whole={whole} run={run} measure={measure} axes={axes} isTable={isTable} />
      )}
    </section>
  )
}

function isPercent(): boolean {
  return at('ranks.in') === 'percent'
}

function isSorted(): boolean {
  return at('ranks.order') === 'value'
}

interface AskedProps extends HeatMapProps {
  readonly measure: MeasureId
  readonly axes: AxesId
  readonly isTable?: boolean
}

export function Asked({ table, whole, run, measure, axes, isTable }: AskedProps) {
  const { value, error } = useJointReply('view/ranks/matrix', {
    ...ofShownJob(run),
    measure,
    axes,
    dimensions: areOfDimensions(measure) ? dimensionsLeft(table, whole) : undefined,
  }).value
  if (value === undefined) return <Waiting error={error} />
  return <Shown table={table} matrix={narrowedMap(value.result, table)} isTable={isTable} />
}

interface ShownProps {
  readonly table: RanksTable
  readonly matrix: ShownMatrix
  readonly isTable: boolean | undefined
}

function Shown({ table, matrix, isTable }: ShownProps) {
  const said = matrix.reason ?? (matrix.values.flat().some(Boolean) ? null : 'none: 0 for every rank')
  if (said !== null) return <p class="is-absent">{said}</p>
  const isOfLinks = matrix.axes === 'link'
  const sorted = isSorted() && !isOfLinks ? largestFirst(matrix) : matrix
  const plain = { ...sorted, isPercent: isPercent() && !isOfLinks }
  const by = foldedBy(table, matrix.axes)
  const open = (at('ranks.open') ?? '').split('\n').filter((name) => name !== '')
  const shown = by === undefined ? withMean(plain) : folded(withMean(plain), table.ranks, by, open, isSorted())
  const onFold = (row: number): void => {
    const name = shown.folds?.[row]?.name
    const others = open.filter((each) => each !== name)
    const now = others.length < open.length || name === undefined ? others : [...open, name]
    go({ 'ranks.open': now.length > 0 ? now.join('\n') : undefined })
  }
  return isTable === true ? (
    <MapTable table={table} matrix={shown} onFold={onFold} />
  ) : (
    <Picture table={table} matrix={shown} plain={plain} onFold={onFold} />
  )
}

/** What rows are chosen to be, where they can be. */
function foldedBy(table: RanksTable, axes: AxesId): FoldBy | undefined {
  return foldsFor(table.ranks, axes).find((by) => by === at('ranks.rows'))
}
