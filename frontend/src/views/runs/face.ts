import { inNoReport } from '../face'
import type { Face } from '../face'

export const runs: Face = {
  id: 'runs',
  icon: 'M2 2.5h12v11H2zM2 6h12M2 9.75h12M6 6v7.5',
  canSearch: true,
  filters: [],
  isOfMany: true,
  load: IS_REPORT ? inNoReport : async () => (await import('./index')).RunsView,
}
