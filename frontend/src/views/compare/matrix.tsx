/** More than two side by side: parts of the step, then what varies most; a head opens that pair below. */
import { exactNs, formatNs } from '../../base/units'
import { at, go } from '../../state/place'
import { Definition } from '../../widgets/panel/popup'
import type { Item, Matrix as AllItems, MatrixRow, Pair } from '../../wire/wire'
import { ANEW } from './choose'
import * as define from './definitions'
import { Delta } from './delta'

const SHOWN_FIRST = 10
const RATIO_DIGITS = 3

interface MatrixProps {
  readonly a: Item
  readonly pairs: readonly Pair[]
  readonly matrix: AllItems
  /** Which pair is shown below. */
  readonly place: number
}

export function Matrix({ a, pairs, matrix, place }: MatrixProps) {
  const parts = pairs[0]?.parts.filter((_, part) =>
    pairs.some(({ parts: of }) => (of[part]?.a_ns ?? 0) + (of[part]?.b_ns ?? 0) > 0),
  )
  const isAll = at('compare.matrix') === 'all'
  const rows = isAll ? matrix.rows : matrix.rows.slice(0, SHOWN_FIRST)
  return (
    <div class="compare-scroll">
      <table class="compare-matrix" aria-label={`Each against ${a.label}`}>
        <thead>
          <tr>
            <th scope="col">per step, mean</th>
            <th scope="col">A {a.label}</th>
            {pairs.map(({ b }, column) => (
              <th scope="col" key={column}>
                <button
                  type="button"
                  class="link"
                  aria-pressed={column === place}
                  onClick={() => go({ 'compare.pair': column === 0 ? undefined : String(column), ...ANEW })}
                >
                  {b.label}
                </button>
              </th>
            ))}
            <th scope="col">
              spread <Definition of="spread" text={define.spread_ns} />
            </th>
          </tr>
        </thead>
        <tbody>
          {(parts ?? []).map(({ part, a_ns: base }) => {
            const of = pairs.flatMap((pair) => pair.parts.filter((one) => one.part === part))
            const values = [base, ...of.map(({ b_ns: ns }) => ns)]
            return (
              <tr key={part}>
                <th scope="row">{part.replace(/_/g, ' ')}</th>
                <td>{formatNs(base)}</td>
                {of.map((one, column) => (
                  <td key={column}>
                    {formatNs(one.b_ns)} <Delta ns={one.delta_ns} verdict={one.verdict} p={one.p} />
                  </td>
                ))}
                <td>{formatNs(Math.max(...values) - Math.min(...values))}</td>
              </tr>
            )
          })}
          <tr>
            <th scope="row">step</th>
            <td>{formatNs(a.mean_ns)}</td>
            {pairs.map(({ step }, column) => (
              <td key={column}>
                {formatNs(step.b_mean_ns)} <Delta ns={step.delta_ns} verdict={step.verdict} p={step.p} />
              </td>
            ))}
            <td />
          </tr>
        </tbody>
        <tbody>
          <tr>
            <th scope="rowgroup" colSpan={pairs.length + 3} class="soft">
              What varies most <Definition of="what varies most" text={define.matrix} />
            </th>
          </tr>
          {rows.map((row) => (
            <Row key={`${row.kind} ${row.name}`} row={row} />
          ))}
        </tbody>
        {matrix.geomeans.length > 0 && (
          <tfoot>
            <tr>
              <th scope="row">
                geometric mean of {matrix.n_geomean} <Definition of="geometric mean" text={define.geomeans} />
              </th>
              {matrix.geomeans.map((ratio, item) => (
                <td key={item}>× {ratio.toPrecision(RATIO_DIGITS)}</td>
              ))}
              <td />
            </tr>
          </tfoot>
        )}
      </table>
      {matrix.rows.length > SHOWN_FIRST && (
        <button
          type="button"
          class="button is-small"
          aria-expanded={isAll}
          onClick={() => go({ 'compare.matrix': isAll ? undefined : 'all' })}
        >
          {isAll ? `First ${SHOWN_FIRST}` : `All ${matrix.rows.length} rows`}
        </button>
      )}
    </div>
  )
}

function Row({ row: { name, values_ns: values, verdicts, spread_ns: spread } }: { readonly row: MatrixRow }) {
  const [base = 0, ...others] = values
  return (
    <tr>
      <th scope="row" class="mono" title={name}>
        {name}
      </th>
      <td title={exactNs(base)}>{formatNs(base)}</td>
      {others.map((ns, item) => (
        <td key={item} title={exactNs(ns)}>
          {formatNs(ns)} <Delta ns={ns - base} verdict={verdicts[item] ?? 'unknown'} p={null} />
        </td>
      ))}
      <td title={exactNs(spread)}>{formatNs(spread)}</td>
    </tr>
  )
}
