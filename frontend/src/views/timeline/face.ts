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
    'timeline.track',
    'timeline.mark',
    'timeline.folded',
    'timeline.off',
    'timeline.python',
    'timeline.stacks',
    'timeline.pinned',
    'timeline.hidden',
    'timeline.order',
    'timeline.heights',
    'timeline.area',
    'timeline.call',
    'timeline.open',
    'timeline.edit',
    'beside.profile',
    'beside.upper',
    'beside.lower',
    'beside.row',
    'beside.area',
    'beside.call',
    'beside.open',
  ],
  stretch: WINDOW,
  load: async () => (await import('./index')).TimelineView,
}
