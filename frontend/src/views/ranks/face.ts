import { inNoReport } from '../face'
import type { Face } from '../face'

export const ranks: Face = {
  id: 'ranks',
  icon: 'M2 3.5h7M2 6.5h12M2 9.5h5M2 12.5h9M11 2v3',
  canSearch: true,
  filters: [],
  positions: [
    'ranks.of',
    'ranks.each',
    'ranks.step',
    'ranks.pipe',
    'ranks.t0_ns',
    'ranks.t1_ns',
    'ranks.worker',
    'ranks.row',
    'ranks.mark',
    'ranks.rank',
    'ranks.at',
  ],
  hiding: ['ranks.show'],
  load: IS_REPORT ? inNoReport : async () => (await import('./index')).RanksView,
}
