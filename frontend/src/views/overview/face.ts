import { FILTERS } from '../../state/filters'
import type { Face } from '../face'

export const overview: Face = {
  id: 'overview',
  icon: 'M2 2h5v6H2zM9 2h5v3H9zM9 7h5v7H9zM2 10h5v4H2z',
  canSearch: false,
  filters: FILTERS,
  load: async () => (await import('./index')).OverviewView,
}
