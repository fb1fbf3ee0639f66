/** The last answers, by their addresses: going back to a view shows what it showed while it asks again. */

const KEPT = 24 // views x profiles somebody goes back and forth between; each is some 100 kB at most
const kept = new Map<string, unknown>()

/** Forgets what was answered before: files have changed. */
export function forgetReplies(): void {
  kept.clear()
}

export function keptAnswer(address: string): unknown {
  return kept.get(address)
}

export function keep(address: string, value: unknown): void {
  kept.delete(address)
  kept.set(address, value)
  const oldest = kept.keys().next()
  if (kept.size > KEPT && oldest.done !== true) kept.delete(oldest.value)
}
