/** What a span is called: by its place, what its name says, and its time; else by its name. */
import type { SpanState } from '../wire/wire'

export function spanTitle({ name, label, time_ms: ms }: SpanState, index: number): string {
  const said = [label, timeOf(ms, true)].filter(isSaid)
  return [index + 1, ...(said.length > 0 ? said : [name])].join(' · ')
}

/** `18:02:14`, or `2026-11-20 18:02:14` with its day. */
export function timeOf(ms: number | null, hasDay = false): string | null {
  const time = new Date(ms ?? 0)
  return ms === null ? null : `${hasDay ? `${time.toLocaleDateString('sv')} ` : ''}${time.toLocaleTimeString('en-GB')}`
}

export function isSaid(text: string | null): text is string {
  return text !== null
}
