import type { Key } from '../face'

export const RANKS_KEYS: readonly Key[] = [
  [['W', 'S', 'Ctrl+wheel'], 'Ranks side by side: zoom in and out'],
  [['A', 'D', 'Shift+wheel', 'Drag'], 'Move left and right'],
  [['0', 'Double click'], 'The whole picture'],
  [['←', '→', '↑', '↓', 'Esc'], 'Keep the next collective of the rank, of another rank, or none'],
  [['←', '→', 'Enter'], 'Collectives of a row: from dot to dot, open'],
]
