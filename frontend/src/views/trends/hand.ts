/** The point that is looked at: the same in all charts. The pointer and the arrow keys move it. */
import { signal } from '@preact/signals'

import { compareItems } from '../compare_items'
import type { Recordings } from '../compare_items'
import { opening } from '../links'
import type { Changes } from '../../state/hash'
import type { TrendLine, TrendPoint } from '../../wire/wire'
import type { Place } from './plot'

const MOST = 10 // profiles of a level: each is opened by a child

export const hand = signal<Place | undefined>(undefined)

/** What is shown while nobody points: the newest of the first line. */
export function looked(lines: readonly TrendLine[]): Place | undefined {
  const now = hand.value
  if (now !== undefined && pointAt(lines, now) !== undefined) return now
  const last = (lines[0]?.points.length ?? 0) - 1
  return last < 0 ? undefined : { line: 0, at: last }
}

export function pointAt(lines: readonly TrendLine[], { line, at }: Place): TrendPoint | undefined {
  return lines[line]?.points[at]
}

/** Along its line, or to another one; it stops at the ends. */
export function moved(lines: readonly TrendLine[], from: Place, code: string): Place | undefined {
  const along = (change: number): Place => ({
    line: from.line,
    at: clamp(from.at + change, lines[from.line]?.points.length ?? 1),
  })
  const across = (change: number): Place => {
    const line = clamp(from.line + change, lines.length)
    return { line, at: clamp(from.at, lines[line]?.points.length ?? 1) }
  }
  switch (code) {
    case 'ArrowLeft':
      return along(-1)
    case 'ArrowRight':
      return along(1)
    case 'Home':
      return along(-from.at)
    case 'End':
      return along(lines[from.line]?.points.length ?? 0)
    case 'ArrowUp':
      return across(-1)
    case 'ArrowDown':
      return across(1)
    default:
      return undefined
  }
}

/** To the profile of a point. */
export function openingOf(lines: readonly TrendLine[], place: Place): Changes | undefined {
  const point = pointAt(lines, place)
  return point === undefined ? undefined : opening(point)
}

/** Its profile beside that of the point before it in its line; undefined for the first. */
export function comparing(lines: readonly TrendLine[], { line, at }: Place): Changes | undefined {
  const [before, point] = [pointAt(lines, { line, at: at - 1 }), pointAt(lines, { line, at })]
  if (before === undefined || point === undefined) return undefined
  return {
    view: 'compare',
    'compare.items': compareItems([before, point]),
    'compare.toggled': undefined,
    'compare.zoom': undefined,
  }
}

/** The profiles of the level before and after the newest change up to here, as recordings of two programs: at most so many each. */
export function comparingLevels(lines: readonly TrendLine[], { line, at }: Place): Changes | undefined {
  const { points, changes } = lines[line] ?? { points: [], changes: [] }
  const change = changes.findLast((one) => one.kind === 'change' && one.at <= at)
  if (change === undefined) return undefined
  const bounds = changes
    .filter(({ kind, figure }) => kind !== 'change' || figure === change.figure)
    .map((one) => one.at)
  const first = Math.max(...bounds.filter((one) => one < change.at), 0)
  const end = Math.min(...bounds.filter((one) => one > change.at), points.length)
  const isFit = ({ quality }: TrendPoint): boolean => quality === 'complete' || quality === 'few'
  const [before, after] = [
    points.slice(first, change.at).filter(isFit).slice(-MOST),
    points.slice(change.at, end).filter(isFit).slice(0, MOST),
  ]
  const [a, b] = [recordingsOf(before), recordingsOf(after)]
  if (a === undefined || b === undefined) return undefined
  return {
    view: 'compare',
    'compare.items': compareItems([a, b]),
    'compare.toggled': undefined,
    'compare.zoom': undefined,
  }
}

function recordingsOf([first, ...also]: readonly TrendPoint[]): Recordings | undefined {
  return first === undefined ? undefined : { run: first.run, worker: first.worker, span: first.span, also }
}

function clamp(value: number, count: number): number {
  return Math.min(Math.max(value, 0), Math.max(count - 1, 0))
}
