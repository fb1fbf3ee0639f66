/** Filters that hold across views: keys of the place without a view's name, and parameters of every view that counts events. */
import { computed } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

import type { Changes, Place } from './hash'
import { place } from './place'

export const FILTERS = ['steps', 'devices', 'streams', 'threads', 'module', 'inside', 'dimension'] as const
export type FilterId = (typeof FILTERS)[number]

/** Changes that remove them all. */
export const NO_FILTERS: Changes = Object.fromEntries(FILTERS.map((id) => [id, undefined]))

export type Filters = Readonly<Partial<Record<FilterId, string | undefined>>>

/** What is filtered, in the order of `FILTERS`. */
export function filtersOf(from: Place): Filters {
  return Object.fromEntries(FILTERS.flatMap((id) => (from[id] === undefined ? [] : [[id, from[id]]])))
}

/** The filters as parameters of a question to the server. */
export const filters: ReadonlySignal<Filters> = computed(() => filtersOf(place.value))

/** Peaks that were given in the roofline, for all questions that hold something against them. */
export const peaks: ReadonlySignal<{ readonly peak?: string | undefined }> = computed(() =>
  place.value['roofline.peak'] === undefined ? {} : { peak: place.value['roofline.peak'] },
)

/** The filter for steps, and these peaks: what advice and what if take. */
export const adviceAsked: ReadonlySignal<{ readonly steps?: string; readonly peak?: string | undefined }> = computed(
  () => ({
    ...(filters.value.steps === undefined ? {} : { steps: filters.value.steps }),
    ...peaks.value,
  }),
)

/** What all that counts is together. */
export function wholeName(): string {
  return Object.keys(filters.value).length === 0 ? 'Whole profile' : 'Selection'
}

const WORDS: Readonly<Record<FilterId, readonly [one: string, many: string]>> = {
  steps: ['step', 'steps'],
  devices: ['device', 'devices'],
  streams: ['stream', 'streams'],
  threads: ['thread', 'threads'],
  module: ['module', 'module'],
  inside: ['inside', 'inside'],
  dimension: ['dimension', 'dimension'],
}

/** A filter in words, as a chip shows it: `steps 3–5, 8`, `device 0`, `inside aten::conv2d`. */
export function filterText(id: FilterId, value: string): string {
  const [one, many] = WORDS[id]
  if (id === 'module' || id === 'dimension') return `${one} ${value}`
  if (id === 'inside') return `${one} ${plainName(value) ?? `/${value}/`}`
  const isOne = /^[^,-]+$/.test(value)
  return `${isOne ? one : many} ${value.replace(/-/g, '–').replace(/,\s*/g, ', ')}`
}

const META = /[.*+?^${}()|[\]\\]/g

/** The filter that keeps exactly one name. */
export function insideName(name: string): string {
  return `^${name.replace(META, '\\$&')}$`
}

/** The name that `insideName` made a filter of. */
function plainName(pattern: string): string | undefined {
  const inner = /^\^(.*)\$$/.exec(pattern)?.[1]
  const name = inner?.replace(/\\([.*+?^${}()|[\]\\])/g, '$1')
  return name !== undefined && insideName(name) === pattern ? name : undefined
}

/** A list such as `3-5,8` as numbers; what is no number is left out. */
export function numbersIn(text: string | undefined): number[] {
  return (text ?? '').split(',').flatMap((part) => {
    const match = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part)
    if (match === null) return []
    const low = Number(match[1])
    const high = Math.min(Number(match[2] ?? low), low + MOST)
    return Array.from({ length: Math.max(high - low + 1, 0) }, (_, index) => low + index)
  })
}

const MOST = 100_000

/** Numbers as the shortest list: 3,4,5,8 is `3-5,8`; undefined for none, so that the filter goes. */
export function listOf(numbers: readonly number[]): string | undefined {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  const parts: string[] = []
  for (let first = 0; first < sorted.length;) {
    let last = first
    while (sorted[last + 1] === (sorted[last] as number) + 1) last++
    const [low, high] = [sorted[first] as number, sorted[last] as number]
    parts.push(low === high ? String(low) : `${low}-${high}`)
    first = last + 1
  }
  return parts.length === 0 ? undefined : parts.join(',')
}

/** The list with a number more, or less where it was in it. */
export function toggled(text: string | undefined, number: number): string | undefined {
  const numbers = numbersIn(text)
  return listOf(numbers.includes(number) ? numbers.filter((each) => each !== number) : [...numbers, number])
}
