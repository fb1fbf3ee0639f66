import { FILTERS } from '../../state/filters'
import type { Face } from '../face'

export const modules: Face = {
  id: 'modules',
  icon: 'M6 2h4v3.5H6zM2 10.5h4V14H2zM10 10.5h4V14h-4zM8 5.5V8M4 10.5V8h8v2.5',
  canSearch: true,
  filters: FILTERS,
  hiding: ['modules.group', 'modules.q', 'modules.row'],
  load: async () => (await import('./index')).ModulesView,
}
