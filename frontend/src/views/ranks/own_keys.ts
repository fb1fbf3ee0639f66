import type { Key } from '../face'

export const RANKS_KEYS: readonly Key[] = [
  [['W', 'S', 'Ctrl+wheel'], 'Ranks side by side: zoom in and out'],
  [['A', 'D', 'Shift+wheel', 'Drag'], 'Move left and right'],
  [['F'], 'Zoom to the collective that is kept, all of its members'],
  [['0', 'Double click'], 'The whole picture'],
  [['.', ',', '→', '←'], 'Keep the next or previous collective of the rank; at first the first one in sight'],
  [['↑', '↓', 'Esc'], 'Keep that of another rank, or none'],
  [['[', ']'], 'The step before, the step after'],
  [['←', '→', 'Enter'], 'Collectives of a row: from dot to dot, open'],
]
