import type { Key } from '../face'

export const COMPARE_KEYS: readonly Key[] = [
  [['X'], 'Swap A and B'],
  [['[', ']'], 'Previous and next finding'],
]
