import type { Key } from '../face'

export const COMPARE_KEYS: readonly Key[] = [
  [['X'], 'Swap A and B'],
  [['[', ']'], 'Previous and next finding'],
  [['W', 'S', 'A', 'D'], 'In Timelines: zoom and move both, and every other key of the timeline'],
]
