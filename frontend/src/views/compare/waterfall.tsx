/** From A's step to B's: a bar for each part that changes it, where the ones before have left it. */
import { exactNs, formatNs } from '../../base/units'
import type { Pair, PartChange } from '../../wire/wire'
import { Delta } from './delta'

export interface Fall {
  readonly part: PartChange
  readonly from: number
  readonly to: number
}

/** Parts that there are, the largest difference first: they lead from A's mean to B's. */
export function fallsOf({ parts, step }: Pick<Pair, 'parts' | 'step'>): readonly Fall[] {
  const there = parts.filter(({ a_ns, b_ns }) => a_ns !== 0 || b_ns !== 0)
  let now = step.a_mean_ns
  return [...there]
    .sort((one, other) => Math.abs(other.delta_ns) - Math.abs(one.delta_ns))
    .map((part) => {
      const from = now
      now += part.delta_ns
      return { part, from, to: now }
    })
}

export function Waterfall({ pair }: { readonly pair: Pair }) {
  const { step } = pair
  const falls = fallsOf(pair)
  const most = Math.max(step.a_mean_ns, step.b_mean_ns, ...falls.map(({ to }) => to), 1)
  const left = (ns: number): string => `${(100 * ns) / most}%`
  const total = (name: string, ns: number) => (
    <tr class="is-total">
      <th scope="row">{name}</th>
      <td class="compare-track">
        <span class="compare-bar is-total" style={{ left: '0', width: left(ns) }} />
      </td>
      <td title={exactNs(ns)}>{formatNs(ns)}</td>
      <td />
    </tr>
  )
  return (
    <table class="compare-waterfall" aria-label="From A's mean step to B's">
      <tbody>
        {total('A', step.a_mean_ns)}
        {falls.map(({ part, from, to }) => (
          <tr key={part.part}>
            <th scope="row">{part.part.replace(/_/g, ' ')}</th>
            <td class="compare-track">
              <span
                class={`compare-bar is-${part.verdict === 'finding' ? (to > from ? 'worse' : 'better') : 'noise'}`}
                style={{ left: left(Math.min(from, to)), width: left(Math.abs(to - from)) }}
              />
            </td>
            <td title={`${exactNs(part.a_ns)} → ${exactNs(part.b_ns)}`}>
              {formatNs(part.a_ns)} → {formatNs(part.b_ns)}
            </td>
            <td>
              <Delta ns={part.delta_ns} verdict={part.verdict} p={part.p} />
            </td>
          </tr>
        ))}
        {total('B', step.b_mean_ns)}
      </tbody>
    </table>
  )
}
