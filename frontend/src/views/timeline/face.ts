import { FILTERS } from '../../state/filters'
import type { Face } from '../face'

const WINDOW = ['timeline.t0_ns', 'timeline.t1_ns']

export const timeline: Face = {
  id: 'timeline',
  icon: 'M2 3.5h7M5 8h9M2 12.5h5M9.5 12.5h3',
  canSearch: true,
  filters: FILTERS,
  positions: [
    ...WINDOW,
    'timeline.row',
    'timeline.mark',
    'timeline.folded',
    'timeline.off',
    'timeline.python',
    'timeline.stacks',
    'timeline.pinned',
    'timeline.hidden',
  ],
  stretch: WINDOW,
  keys: [
    [['W', 'S', 'Ctrl+wheel'], 'Zoom in and out'],
    [['A', 'D', 'Shift+wheel', 'Drag'], 'Move left and right'],
    [['Wheel'], 'Scroll the tracks'],
    [['F', 'Double click'], 'Zoom to the selection'],
    [['0'], 'Show everything'],
    [['B', 'Shift+drag'], 'Draw the stretch to zoom to, as a drag over the time axis does'],
    [['Drag over the strip'], 'Move or draw the window'],
    [['E', 'Alt+drag'], 'Draw an area to sum up by name'],
    [['M'], 'Mark the selection, or take its mark away'],
    [['.', ','], 'Next and previous event'],
    [['[', ']'], 'Follow an arrow back and forth, with both ends in sight'],
    [['Enter', 'Shift+Enter'], 'Next and previous search result'],
  ],
  load: async () => (await import('./index')).TimelineView,
}
