/** The link's part of the timeline: keys of the place as values, and back. Pure. */
import type { Changes, Place } from '../../state/hash'

export interface TimelinePlace {
  readonly window: readonly [number, number] | undefined
  readonly row: number | undefined
  readonly q: string
  readonly isRegex: boolean
  readonly folded: ReadonlySet<string> | undefined
  readonly mark: readonly [number, number] | undefined
}

export function readPlace(place: Place): TimelinePlace {
  const row = number(place['timeline.row'])
  const folded = place['timeline.folded']
  return {
    window: range(place['timeline.t0_ns'], place['timeline.t1_ns']),
    row: row !== undefined && row >= 0 ? row : undefined,
    q: place['timeline.q'] ?? '',
    isRegex: place['timeline.regex'] === '1',
    folded: folded === undefined ? undefined : new Set(folded.split(',').filter((key) => /^[gt]\d+$/.test(key))),
    mark: range(...((place['timeline.mark'] ?? '').split(',', 2) as [string?, string?])),
  }
}

export function windowChanges(t0: number, t1: number): Changes {
  return {
    'timeline.t0_ns': String(Math.round(t0)),
    'timeline.t1_ns': String(Math.max(Math.round(t1), Math.round(t0) + 1)),
  }
}

export function foldedChanges(folded: ReadonlySet<string>): Changes {
  return { 'timeline.folded': folded.size === 0 ? 'none' : [...folded].sort().join(',') }
}

export function markChanges(mark: readonly [number, number] | undefined): Changes {
  return { 'timeline.mark': mark?.map(Math.round).join(',') }
}

function range(a: string | undefined, b: string | undefined): readonly [number, number] | undefined {
  const t0 = number(a)
  const t1 = number(b)
  return t0 === undefined || t1 === undefined || t1 <= t0 ? undefined : [t0, t1]
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
