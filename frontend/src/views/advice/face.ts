import type { Face } from '../face'

export const advice: Face = {
  id: 'advice',
  icon: 'M5.5 11.5h5M6.5 14h3M5.5 11.5c0-1.6-2-2.4-2-5a4.5 4.5 0 0 1 9 0c0 2.6-2 3.4-2 5',
  canSearch: false,
  filters: ['steps'],
  load: async () => (await import('./index')).AdviceView,
}
