/** The parts of what is allocated at the instant, as tiles: the groups, and what no group can be given. They add up to it. Pure. */
import { plural } from '../../../base/units'
import type { MemoryGroup, MemoryUse } from '../../../wire/wire'
import { NOT_ATTRIBUTED } from '../tables/columns'

export interface Tile {
  readonly key: string
  readonly name: string
  readonly bytes: number
  /** `known` has its own fill; the others are drawn as what they are: not attributed, or from before the recording. */
  readonly kind: 'known' | 'unknown' | 'before' | 'others'
  /** A CSS colour, where the group's category has one in all views. */
  readonly color: string | undefined
  /** Of the table, undefined where it has none. */
  readonly row: string | undefined
}

const MOST = 80 // tiles; smaller ones could not be told apart
const LEAST_SHARE = 0.0015

/** Colours by category, by its title in trace/memory/categories.py. Other groups have one fill: area says how much, not colour. */
export const CATEGORY_COLORS: Readonly<Record<string, string>> = {
  Parameters: 'var(--c-kernel)',
  Gradients: 'var(--c-communication)',
  'Optimizer state': 'var(--c-copy)',
  Activations: 'var(--c-data-loader)',
  Inputs: 'var(--c-other-host)',
  Temporaries: 'var(--c-set)',
  Autograd: 'var(--c-annotation)',
  Unknown: 'var(--c-python)',
}

export function rowKey(row: MemoryGroup): string {
  return [row.name ?? NOT_ATTRIBUTED, row.via, row.frames.slice(1).join(' < ')]
    .filter((part) => part !== null && part !== '')
    .join(' ')
}

export function tilesOf({ held, groups, others, group_by: by }: MemoryUse): readonly Tile[] {
  const least = held.allocated_bytes * LEAST_SHARE
  const alive = groups.filter((group) => (group.alive_bytes ?? 0) > 0)
  const shown = alive.filter((group, index) => index < MOST && (group.alive_bytes ?? 0) >= least)
  const small = alive.slice(shown.length)
  const smallBytes = small.reduce((sum, group) => sum + (group.alive_bytes ?? 0), 0) + (others?.alive_bytes ?? 0)
  const tiles: Tile[] = shown.map((group) => ({
    key: rowKey(group),
    name: group.via === null ? (group.name ?? NOT_ATTRIBUTED) : `${group.name ?? NOT_ATTRIBUTED} (${group.via})`,
    bytes: group.alive_bytes ?? 0,
    kind: group.name === null ? 'unknown' : 'known',
    color: by === 'category' ? CATEGORY_COLORS[group.name ?? ''] : undefined,
    row: rowKey(group),
  }))
  tiles.push(rest('others', plural(small.length + (others?.alive ?? 0), 'smaller one'), smallBytes, 'others'))
  tiles.push(rest('earlier', 'from before the recording, released in it', held.earlier?.bytes ?? 0, 'before'))
  tiles.push(rest('rest', 'from before the recording, never released', held.rest_bytes ?? 0, 'before'))
  return tiles.filter((tile) => tile.bytes > 0).sort((a, b) => b.bytes - a.bytes)
}

function rest(key: string, name: string, bytes: number, kind: Tile['kind']): Tile {
  return { key: ` ${key}`, name, bytes, kind, color: undefined, row: undefined }
}
