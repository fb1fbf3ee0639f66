/** What is not recorded is said in words, whatever else is known. */
import { render } from 'preact'
import { afterEach, expect, test } from 'vitest'

import type { MemoryDevice, MemoryUse } from '../../wire/wire'
import { Figures } from './figures'

const DEVICE: MemoryDevice = {
  id: 'cuda:0',
  title: 'CUDA 0',
  n_events: 2,
  peak_allocated_bytes: 2 ** 30,
  peak_ns: 5_000_000,
  peak_reserved_bytes: 2 ** 31,
  peak_reserved_ns: 4_000_000,
  peak_fragmentation_bytes: 2 ** 30,
  peak_fragmentation_ns: 4_000_000,
  capacity_bytes: 2 ** 33,
  no_reserved: null,
  no_capacity: null,
  no_addresses: null,
}

const USE: MemoryUse = {
  device: 'cuda:0',
  devices: [DEVICE],
  start_ns: 0,
  end_ns: 10_000_000,
  window_start_ns: 0,
  window_end_ns: 10_000_000,
  totals: 'recorded',
  curve: { time_ns: [], allocated_bytes: [], reserved_bytes: null },
  held: {
    time_ns: 5,
    is_peak: true,
    row: 1,
    allocated_bytes: 2 ** 30,
    reserved_bytes: 2 ** 31,
    fragmentation_bytes: 2 ** 30,
    known: { count: 3, bytes: 2 ** 29 },
    from_before: { count: 0, bytes: 0 },
    earlier: { count: 1, bytes: 2 ** 28 },
    rest_bytes: 2 ** 28,
  },
  allocations: { count: 4, bytes: 2 ** 29 },
  releases: { count: 1, bytes: 2 ** 28 },
  releases_of_earlier: { count: 1, bytes: 2 ** 28 },
  never_released: { count: 4, bytes: 2 ** 29 },
  group_by: 'operator',
  groupings: [],
  groups: [],
  others: null,
  n_groups: 0,
  segments: null,
  out_of_memory: 0,
  notes: [],
}

function figures(use: MemoryUse, device: MemoryDevice): Record<string, string> {
  render(<Figures use={use} device={device} />, document.body)
  const sections = Array.from(document.querySelectorAll('.figure'))
  const found: Record<string, string> = {}
  for (const section of sections) {
    const parts = Array.from(section.querySelectorAll('p'), (part) => part.textContent)
    found[section.getAttribute('aria-label') ?? ''] = parts.join(' | ')
  }
  return found
}

afterEach(() => render(null, document.body))

test('a device with everything recorded has every figure', () => {
  expect(figures(USE, DEVICE)).toEqual({
    'Peak allocated': '1.00 GiB | at 5.00 ms',
    'Peak reserved': '2.00 GiB | at 4.00 ms',
    'Of capacity': '12.5 % | of 8.00 GiB, 25.0 % reserved',
    Fragmentation: '1.00 GiB | 50.0 % of reserved then, at most 1.00 GiB at 4.00 ms',
    'Alive at the peak': '512 MiB | 3 blocks, 512 MiB from before',
    Allocations: '4 | 1 release, 1 of earlier blocks',
    'Never freed': '512 MiB | 4 blocks, held when the recording ended',
  })
})

test('what an old file does not have is “not recorded”, never 0', () => {
  const held = {
    ...USE.held,
    reserved_bytes: null,
    fragmentation_bytes: null,
    known: null,
    earlier: null,
    from_before: null,
    rest_bytes: null,
  }
  const use: MemoryUse = { ...USE, held, totals: 'summed', releases_of_earlier: null, never_released: null }
  const found = figures(use, {
    ...DEVICE,
    peak_reserved_bytes: null,
    peak_reserved_ns: null,
    peak_fragmentation_bytes: null,
    peak_fragmentation_ns: null,
    capacity_bytes: null,
    no_reserved: 'The file has no totals.',
    no_capacity: 'Its size is not in the file.',
    no_addresses: 'The file has no addresses.',
  })
  expect(Object.entries(found).filter(([, text]) => text.startsWith('not recorded'))).toHaveLength(5)
  expect(found).toMatchObject({
    'Peak reserved': 'not recorded | The file has no totals.',
    'Of capacity': 'not recorded | Its size is not in the file.',
    Fragmentation: 'not recorded | The file has no totals.',
    'Alive at the peak': 'not recorded | The file has no addresses.',
    'Never freed': 'not recorded | The file has no addresses.',
  })
  expect(found['Peak allocated']).toContain('at least')
})
