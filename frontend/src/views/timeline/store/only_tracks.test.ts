import { expect, test } from 'vitest'

import type { TimelineTracks, TrackRow } from '../../../wire/wire'
import { onlyTracks, stepsWindow } from './only_tracks'

function track(id: number, device: number | null, name: number | string): TrackRow {
  const [stream, thread] = typeof name === 'number' ? [name, null] : [null, name]
  return { id, group: 0, name: String(name), device, stream, thread, lanes: 1, parts: [], marks: false, n_events: 1 }
}

const ALL: TimelineTracks = {
  start_ns: 0,
  end_ns: 100,
  base_ns: 0,
  n_events: 5,
  groups: [],
  tracks: [track(0, 0, 7), track(1, 0, 20), track(2, 1, 7), track(3, null, '812'), track(4, null, '813')],
  steps: [
    { name: 'ProfilerStep#3', number: 3, start_ns: 0, end_ns: 40, complete: true },
    { name: 'ProfilerStep#4', number: 4, start_ns: 40, end_ns: 100, complete: true },
  ],
  kinds: [],
  paints: [],
  density: [],
}

test.each([
  [{}, [0, 1, 2, 3, 4]],
  [{ devices: '0' }, [0, 1, 3, 4]],
  [{ streams: '7' }, [0, 2, 3, 4]],
  [{ devices: '0', streams: '7' }, [0, 3, 4]],
  [{ threads: '813' }, [0, 1, 2, 4]],
])('tracks under %j', (filters, ids) => {
  expect(onlyTracks(ALL, filters).tracks.map((each) => each.id)).toEqual(ids)
})

test('chosen steps are a stretch of time', () => {
  expect(stepsWindow(ALL.steps, '4')).toEqual([40, 100])
  expect(stepsWindow(ALL.steps, '3-4')).toEqual([0, 100])
  expect(stepsWindow(ALL.steps, '9')).toBeUndefined()
  expect(stepsWindow(ALL.steps, undefined)).toBeUndefined()
})
