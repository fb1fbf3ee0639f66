/** Widths that a user gave to columns. Kept in this browser and not in the link: they fit a screen, not a question. */
import { signal } from '@preact/signals'

import { widthOf } from '../column'
import type { Column } from '../column'

type Widths = Readonly<Record<string, number>>
type Tables = Readonly<Record<string, Widths>>

const KEY = 'torch_profile.column_widths' // the origin is TensorBoard's: others keep things here too
const LEAST_PX = 44
const MOST_PX = 2000
const NONE: Widths = {}

const given = signal<Tables>(parseWidths(stored()))

/** In pixels, by column id; columns without one have their usual width. Read in a component, it follows changes. */
export function widthsOf(table: string): Widths {
  return given.value[table] ?? NONE
}

/** Undefined: the usual width again. */
export function setWidth(table: string, column: string, px: number | undefined): void {
  const now = Object.entries(widthsOf(table)).filter(([id]) => id !== column)
  const wanted = px === undefined ? [] : [[column, Math.round(Math.max(LEAST_PX, Math.min(MOST_PX, px)))] as const]
  given.value = { ...given.value, [table]: Object.fromEntries([...now, ...wanted]) }
  try {
    localStorage.setItem(KEY, JSON.stringify(given.value))
  } catch {
    // Full or withheld: the widths last as long as the page.
  }
}

/** The first column takes what the others leave, unless it was given a width. */
export function columnWidths<R>(
  columns: readonly Column<R>[],
  available: number,
  given: Readonly<Record<string, number>>,
): readonly number[] {
  const widths = columns.map((column) => given[column.id] ?? widthOf(column))
  if (given[columns[0]?.id ?? ''] !== undefined) return widths
  const others = widths.slice(1).reduce((sum, width) => sum + width, 0)
  // A pinned column as wide as the window would hide all others.
  const least = Math.min(widths[0] ?? 0, Math.max(160, available * 0.45))
  return [Math.max(least, available - others), ...widths.slice(1)]
}

/** What other versions and other hands may have left there is no reason to fail. */
export function parseWidths(text: string | null): Tables {
  try {
    const tables = Object.entries((JSON.parse(text ?? '{}') ?? {}) as Record<string, unknown>)
    return Object.fromEntries(tables.map(([table, widths]) => [table, numbersOf(widths)]))
  } catch {
    return {}
  }
}

function numbersOf(widths: unknown): Widths {
  const entries = Object.entries((widths ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => Number.isFinite(entry[1]) && Number(entry[1]) >= LEAST_PX),
  )
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null // a browser may withhold it from an iframe
  }
}
