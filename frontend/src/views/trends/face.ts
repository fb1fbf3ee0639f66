import { inNoReport } from '../face'
import type { Face } from '../face'

export const trends: Face = {
  id: 'trends',
  icon: 'M2 2.5v11h12M4.5 10l2.5-1 2 .5V5l2.5.5 2-1',
  canSearch: true,
  filters: [],
  isOfMany: true,
  load: IS_REPORT ? inNoReport : async () => (await import('./index')).TrendsView,
}
