/** Which rows of the tree are in sight. Rows come with parents before children, the largest difference first. */
import type { ChangeRow } from '../../wire/wire'

/** Rows that are open at first: the step, and what has one row below it only, down to the first choice. */
export function openAtFirst(rows: readonly ChangeRow[]): ReadonlySet<number> {
  const below = childCounts(rows)
  const open = new Set<number>()
  for (const row of rows) {
    const isWay = row.parent < 0 || row.parent === 0 || below.get(row.parent) === 1
    if (isWay && (row.parent < 0 || open.has(row.parent)) && below.has(row.id)) open.add(row.id)
  }
  return open
}

/** How many rows are right below each that has any. */
export function childCounts(rows: readonly ChangeRow[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const row of rows) if (row.parent >= 0) counts.set(row.parent, (counts.get(row.parent) ?? 0) + 1)
  return counts
}

/** The rows whose parents are all open: as at first, but for those that were toggled. */
export function inSight(rows: readonly ChangeRow[], toggled: ReadonlySet<number>): readonly ChangeRow[] {
  const open = openAtFirst(rows)
  const seen = new Set<number>()
  return rows.filter((row) => {
    const isSeen = row.parent < 0 || (seen.has(row.parent) && open.has(row.parent) !== toggled.has(row.parent))
    if (isSeen) seen.add(row.id)
    return isSeen
  })
}

/** `3,17` as in the link. What is no number is left out. */
export function parseToggled(text: string | undefined): ReadonlySet<number> {
  return new Set((text ?? '').split(',').filter(Boolean).map(Number).filter(Number.isInteger))
}

export function formatToggled(ids: ReadonlySet<number>): string | undefined {
  return ids.size === 0 ? undefined : Array.from(ids).join(',')
}

/** With this row the other way round. */
export function toggledWith(toggled: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(toggled)
  if (!next.delete(id)) next.add(id)
  return next
}

/** Everything around the row is open. */
export function revealing(rows: readonly ChangeRow[], toggled: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const open = openAtFirst(rows)
  let now = toggled
  for (let at = rows[id]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1)
    if (open.has(at) === now.has(at)) now = toggledWith(now, at)
  return now
}

/** The next finding after this row, or the one before; undefined where there is none. */
export function nextFinding(rows: readonly ChangeRow[], from: number, step: 1 | -1): ChangeRow | undefined {
  const found = rows.filter((row) => row.verdict === 'finding')
  return step > 0 ? found.find((row) => row.id > from) : found.findLast((row) => row.id < from)
}
