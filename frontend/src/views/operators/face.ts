import { FILTERS } from '../../state/filters'
import type { Face } from '../face'

export const operators: Face = {
  id: 'operators',
  icon: 'M3 3.5h10M3 8h7M3 12.5h4',
  canSearch: true,
  filters: FILTERS,
  hiding: ['operators.group', 'operators.q', 'operators.row'],
  load: async () => (await import('./index')).OperatorsView,
}
