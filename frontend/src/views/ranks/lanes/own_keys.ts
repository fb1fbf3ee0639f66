import type { Key } from '../../face'

export const RANKS_KEYS: readonly Key[] = [
  [['W', 'S', 'Ctrl+wheel'], 'Ranks side by side: zoom in and out'],
  [['A', 'D', 'Shift+wheel', 'Drag'], 'Move left and right'],
  [['F'], 'Zoom to the collective that is kept, all of its members, else to all marks'],
  [['M'], 'Mark the collective that is kept, over all ranks, or take its mark away'],
  [['0', 'Double click'], 'The whole picture'],
  [['.', ',', '→', '←'], 'Keep the next or previous collective of the rank; at first the first one in sight'],
  [['↑', '↓', 'Esc'], 'Keep that of another rank, or none'],
  [['Enter', 'Esc'], 'Into the members of the one that is kept, and back'],
  [['[', ']'], 'The step before, the step after'],
  [['←', '→', 'Enter'], 'Collectives of a row: from dot to dot, open'],
]
