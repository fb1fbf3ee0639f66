/** Differences in words and signs: never by colour alone. */
import type { ChangeRow } from '../../wire/wire'

type Verdict = ChangeRow['verdict']

/** Behind a difference: worse, better, inside the noise, not to be told, not to be compared. */
export function markOf(verdict: Verdict, delta: number): string {
  if (verdict === 'finding') return delta > 0 ? '▲' : '▼'
  return { noise: '~', unknown: '?', not_comparable: '≠' }[verdict]
}

export function meaningOf(verdict: Verdict): string {
  return {
    finding: 'a finding: it can be told from noise',
    noise: 'inside the noise, or too small',
    unknown: 'too few steps to tell',
    not_comparable: 'recorded too differently to compare',
  }[verdict]
}

export function classOf(verdict: Verdict, delta: number): string {
  if (verdict !== 'finding') return 'soft'
  return delta > 0 ? 'is-bad' : 'is-good'
}

/** `53`, or `2,679 → 1`. */
export function callsOf({ a_calls: a, b_calls: b }: ChangeRow): string {
  if (a === null || b === null) return ''
  return a === b ? shortened(a) : `${shortened(a)} → ${shortened(b)}`
}

function shortened(calls: number): string {
  return calls.toLocaleString('en-US', { maximumFractionDigits: 2 })
}
