import type { Face } from '../face'

export const memory: Face = {
  id: 'memory',
  icon: 'M2 13.5h12M2 11h2V8h3V3.5h3V9h4v2',
  canSearch: true,
  filters: ['steps', 'threads', 'module', 'inside'],
  positions: ['memory.device', 'memory.t0_ns', 'memory.t1_ns', 'memory.at_ns', 'memory_blocks.row'],
  load: async () => (await import('./index')).MemoryView,
}
