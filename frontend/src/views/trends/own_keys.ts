import type { Key } from '../face'

export const TRENDS_KEYS: readonly Key[] = [
  [['←', '→'], 'The point before and after, on a chart'],
  [['↑', '↓'], 'Another line'],
  [['Enter'], 'Open the point’s profile; with Shift compare it with the one before'],
]
