/** How far down each table was when its place was left: the back button leads there again, a link to its top. */
import { addressOf, cameBack } from '../../../state/place'

const MOST_KEPT = 50

const kept = new Map<string, number>()

export function keepScrolled(label: string, top: number): void {
  const key = keyOf(label)
  kept.delete(key)
  kept.set(key, top)
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
}

/** Undefined where nobody came back, or had not scrolled. */
export function wasScrolled(label: string): number | undefined {
  return cameBack() ? kept.get(keyOf(label)) : undefined
}

function keyOf(label: string): string {
  return `${label}\n${addressOf()}`
}
