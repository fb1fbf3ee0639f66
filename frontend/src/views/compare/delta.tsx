import { exactNs, signedNs } from '../../base/units'
import type { ChangeRow } from '../../wire/wire'
import { classOf, markOf, meaningOf } from './words'

interface DeltaProps {
  readonly ns: number
  readonly verdict: ChangeRow['verdict']
  readonly p?: number | null
}

/** A difference with its sign, and what it is worth. */
export function Delta({ ns, verdict, p }: DeltaProps) {
  const tested = p === null || p === undefined ? '' : `, p ${p.toPrecision(2)}`
  return (
    <span class={classOf(verdict, ns)} title={`${exactNs(ns)}: ${meaningOf(verdict)}${tested}`}>
      {signedNs(ns)} <span aria-hidden="true">{markOf(verdict, ns)}</span>
      <span class="sr-only">{meaningOf(verdict)}</span>
    </span>
  )
}
