/** One area in two timelines, row by row. Pure: the sums are the server's; here stands which rows of the two are one. */
import type { AreaName, TimelineArea, TimelineTracks } from '../../../wire/wire'

/** One timeline's part of the area. */
export interface Side {
  readonly tracks: TimelineTracks
  readonly area: TimelineArea
}

export interface JoinedRow extends Pick<AreaName, 'name' | 'kind'> {
  /** Of each side: null where it does not record such events, 0 where it only has none. */
  readonly figures: readonly (Pick<AreaName, 'count' | 'time_ns' | 'mean_ns' | 'self_ns' | 'share'> | null)[]
  /** The second one's self time less the first one's; null where one is not known. */
  readonly difference_ns: number | null
  readonly longest: readonly (AreaName['longest'] | undefined)[]
}

export interface Joined {
  readonly rows: readonly JoinedRow[]
  /** Of each side what rows of the other one need and it has not recorded, in words. */
  readonly lacks: readonly ReadonlySet<string>[]
}

const NONE = { count: 0, time_ns: 0, mean_ns: 0, self_ns: 0, share: 0 }

/** `stepsLater`: 2 where step 7 of the second lies by step 5 of the first, so that both are one row. */
export function joined(sides: readonly Side[], onDevice: boolean, stepsLater: number): Joined {
  const parts = sides.map(({ tracks, area }, nth) => {
    const rows = area.rows.filter((row) => row.on_device === onDevice)
    return {
      rows: new Map(rows.map((row) => [keyOf(row, nth * stepsLater), row])),
      kinds: new Set<string | null>(tracks.kinds.map(({ kind }) => kind)),
      lack: lackOf(tracks, area, rows, onDevice),
      isWhole: area.rows.length === area.n_names,
      lacks: new Set<string>(),
    }
  })
  const rows = [...new Set(parts.flatMap((part) => [...part.rows.keys()]))].map((key) => {
    const found = parts.map((part) => part.rows.get(key))
    const { name = null, kind = null } = found[0] ?? found[1] ?? {}
    const word = kind ?? name // the categories of threads are kinds
    const isKind = parts.some(({ kinds }) => kinds.has(word))
    const figures = parts.map(({ kinds, lack, isWhole, lacks }, nth) => {
      const lacking = lack ?? (isKind && !kinds.has(word) ? word : isWhole ? null : 'shorter rows')
      if (lacking !== null && found[nth] === undefined) lacks.add(lacking)
      return found[nth] ?? (lacking === null ? NONE : null)
    })
    const [own, other] = figures.map((each) => each?.self_ns ?? null)
    const isKnown = own != null && other != null && parts.every(({ lack }) => lack === undefined)
    return {
      name: [...new Set(found.flatMap((row) => row?.name ?? []))].join(' · ') || null,
      kind,
      figures,
      difference_ns: isKnown ? other - own : null,
      longest: found.map((row) => row?.longest),
    }
  })
  return { rows, lacks: parts.map(({ lacks }) => lacks) }
}

function keyOf({ kind, name }: AreaName, stepsLater: number): string {
  const step = name?.match(/^ProfilerStep#(\d+)$/)?.[1]
  return JSON.stringify([kind, step === undefined ? name : Number(step) - stepsLater])
}

/** What the whole side lacks: nothing of it can be compared. */
function lackOf(
  { tracks, steps }: TimelineTracks,
  { group_by: by }: TimelineArea,
  rows: readonly AreaName[],
  onDevice: boolean,
): string | undefined {
  if (!tracks.some(({ device }) => (device !== null) === onDevice)) return onDevice ? 'devices' : 'threads'
  if (by === 'step' && steps.length === 0) return 'steps'
  // Whether a profile knows of modules at all is not told: here it names none.
  return (by === 'module' || by === 'class') && rows.length > 0 && rows.every(({ name }) => name === null)
    ? 'modules in this stretch'
    : undefined
}
