import { FILTERS } from '../../state/filters'
import type { Face } from '../face'

export const kernels: Face = {
  id: 'kernels',
  icon: 'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  canSearch: true,
  filters: FILTERS,
  hiding: ['kernels.group', 'kernels.kind', 'kernels.category', 'kernels.q', 'kernels.row'],
  load: async () => (await import('./index')).KernelsView,
}
