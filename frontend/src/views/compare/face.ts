import { inNoReport } from '../face'
import type { Face } from '../face'

export const compare: Face = {
  id: 'compare',
  icon: 'M6 2.5v11M6 2.5 3.5 5M6 2.5 8.5 5M10 13.5v-11M10 13.5 7.5 11M10 13.5l2.5-2.5',
  canSearch: false,
  filters: [],
  isOfMany: true,
  hiding: ['compare.toggled'],
  load: IS_REPORT ? inNoReport : async () => (await import('./index')).CompareView,
}
