/** What a span is called: by its place, what its name says, and its time; else by its name. */
import type { SpanState } from '../wire/wire'

export function spanTitle({ name, label, time_ms: ms }: SpanState, index: number): string {
  const said = [label, timeOf(ms, true)].filter(isSaid)
  return [index + 1, ...(said.length > 0 ? said : [name])].join(' · ')
}

/** As the bar names it: `2 of 3 · 18:02:14`. */
export function spanLabel(spans: readonly SpanState[], span: SpanState): string {
  return [`${spans.indexOf(span) + 1} of ${spans.length}`, span.label, timeOf(span.time_ms)].filter(isSaid).join(' · ')
}

/** `18:02:14`, or `2026-11-20 18:02:14` with its day. */
export function timeOf(ms: number | null, hasDay = false): string | null {
  const time = new Date(ms ?? 0)
  return ms === null ? null : `${hasDay ? `${time.toLocaleDateString('sv')} ` : ''}${time.toLocaleTimeString('en-GB')}`
}

function isSaid(text: string | null): text is string {
  return text !== null
}
