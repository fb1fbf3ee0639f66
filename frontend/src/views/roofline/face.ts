import { FILTERS } from '../../state/filters'
import type { Face } from '../face'

export const roofline: Face = {
  id: 'roofline',
  icon: 'M2 13.5 7.5 5H14M2 13.5h12M5 12.5h.5M8 9.5h.5M11 7.5h.5',
  canSearch: true,
  filters: FILTERS,
  hiding: ['roofline.q', 'roofline.row'],
  load: async () => (await import('./index')).RooflineView,
}
