/** Filters as the timeline takes them: which tracks are shown, and which stretch of time at first. Pure. */
import { numbersIn } from '../../../state/filters'
import type { Filters } from '../../../state/filters'
import type { StepMark, TimelineTracks, TrackRow } from '../../../wire/wire'

/** A device or stream filter hides other streams, a thread filter other threads; neither hides the other kind. */
export function onlyTracks(all: TimelineTracks, { devices, streams, threads }: Filters): TimelineTracks {
  if (devices === undefined && streams === undefined && threads === undefined) return all
  const isShown = ({ device, stream, thread }: TrackRow): boolean =>
    device === null
      ? threads === undefined || thread === null || threads.split(',').includes(thread)
      : has(devices, device) && has(streams, stream)
  return { ...all, tracks: all.tracks.filter(isShown) }
}

function has(list: string | undefined, number: number | null): boolean {
  return list === undefined || (number !== null && numbersIn(list).includes(number))
}

/** From the first of the chosen steps to the last; undefined where none is there. */
export function stepsWindow(
  steps: readonly StepMark[],
  list: string | undefined,
): readonly [number, number] | undefined {
  const numbers = new Set(numbersIn(list))
  const chosen = steps.filter((step) => numbers.has(step.number))
  if (chosen.length === 0) return undefined
  return [Math.min(...chosen.map((step) => step.start_ns)), Math.max(...chosen.map((step) => step.end_ns))]
}
