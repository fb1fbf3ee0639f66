import type { Face } from '../face'

export const whatif: Face = {
  id: 'whatif',
  icon: 'M2.5 4.5h11M2.5 8h6M2.5 11.5h3M11.5 8v5M9.5 11l2 2 2-2',
  canSearch: false,
  filters: ['steps'],
  load: async () => (await import('./index')).WhatIfView,
}
