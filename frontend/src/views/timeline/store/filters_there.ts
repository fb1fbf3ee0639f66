/** The page's filters in another profile: which of them it has, by the same numbers and names. Pure. */
import { FILTERS, filterText, numbersIn } from '../../../state/filters'
import type { FilterId, Filters } from '../../../state/filters'
import type { TimelineTracks } from '../../../wire/wire'

export interface There {
  readonly filters: Filters
  /** Those that name nothing of it: they would leave nothing of it, so they are left out. */
  readonly gone: readonly FilterId[]
}

export function filtersThere(given: Filters, { steps, tracks }: Pick<TimelineTracks, 'steps' | 'tracks'>): There {
  const listed: Partial<Record<FilterId, readonly (string | number | null)[]>> = {
    steps: steps.map(({ number }) => number),
    devices: tracks.map(({ device }) => device),
    streams: tracks.map(({ stream }) => stream),
    threads: tracks.map(({ thread }) => thread),
  }
  const gone = FILTERS.filter((id) => {
    const [text, there] = [given[id], listed[id]]
    if (text === undefined || there === undefined) return false // names may be of anything
    const named = id === 'threads' ? text.split(',').map((name) => name.trim()) : numbersIn(text)
    return !named.some((each) => there.includes(each))
  })
  const filters = Object.fromEntries(Object.entries(given).filter(([id]) => !gone.includes(id as FilterId)))
  return { filters, gone }
}

/** What the filters do to the lower of two timelines, where that is not seen: `lower` is the step that lies there. */
export function thereWords(given: Filters, { filters, gone }: There, lower: string): readonly string[] {
  const text = (id: FilterId): string => filterText(id, given[id] ?? '')
  const isElsewhere =
    filters.steps !== undefined && /^\d+$/.test(lower) && !numbersIn(filters.steps).includes(Number(lower))
  return [
    ...gone.map((id) => `no ${text(id)} here: shown without it`),
    ...(isElsewhere ? [`step ${lower} is grey: not in ${text('steps')}`] : []),
  ]
}
