import { inNoReport } from '../face'
import type { Face } from '../face'

export const sql: Face = {
  id: 'sql',
  icon: 'M2 3h12v10H2zM2 6.5h12M6 3v10',
  canSearch: false,
  filters: [],
  load: IS_REPORT ? inNoReport : async () => (await import('./index')).SqlView,
}
