/** The views, in the order of the navigation. Adding one: a folder under views/ and a line here. */
import type { ComponentType } from 'preact'

import { FILTERS } from '../state/filters'
import type { FilterId } from '../state/filters'
import type { ViewProps } from '../views/props'

export interface ViewEntry {
  readonly id: string
  readonly title: string
  readonly question: string
  /** An outline of 16 x 16, drawn with a stroke. */
  readonly icon: string
  /** It has a search box, once it is there. */
  readonly canSearch: boolean
  /** Which filters it takes. */
  readonly filters: readonly FilterId[]
  readonly load: () => Promise<ComponentType<ViewProps>>
}

export const VIEWS: readonly ViewEntry[] = [
  {
    id: 'overview',
    canSearch: false,
    filters: FILTERS,
    title: 'Overview',
    question: 'Where did the step go, what first?',
    icon: 'M2 2h5v6H2zM9 2h5v3H9zM9 7h5v7H9zM2 10h5v4H2z',
    load: async () => (await import('../views/overview')).OverviewView,
  },
  {
    id: 'timeline',
    canSearch: true,
    filters: ['steps', 'devices', 'streams', 'threads'],
    title: 'Timeline',
    question: 'What happened when?',
    icon: 'M2 3.5h7M5 8h9M2 12.5h5M9.5 12.5h3',
    load: async () => (await import('../views/timeline')).TimelineView,
  },
  {
    id: 'operators',
    canSearch: true,
    filters: FILTERS,
    title: 'Operators',
    question: 'Which operators cost?',
    icon: 'M3 3.5h10M3 8h7M3 12.5h4',
    load: async () => (await import('../views/operators')).OperatorsView,
  },
  {
    id: 'kernels',
    canSearch: true,
    filters: FILTERS,
    title: 'Kernels',
    question: 'Which kernels, how well do they use the device?',
    icon: 'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
    load: async () => (await import('../views/kernels')).KernelsView,
  },
  {
    id: 'modules',
    canSearch: true,
    filters: FILTERS,
    title: 'Modules',
    question: 'Which nn.Module costs?',
    icon: 'M6 2h4v3.5H6zM2 10.5h4V14H2zM10 10.5h4V14h-4zM8 5.5V8M4 10.5V8h8v2.5',
    load: async () => (await import('../views/modules')).ModulesView,
  },
  {
    id: 'memory',
    canSearch: true,
    filters: ['steps', 'threads', 'module', 'inside'],
    title: 'Memory',
    question: 'What holds memory at the peak?',
    icon: 'M2 13.5h12M2 11h2V8h3V3.5h3V9h4v2',
    load: async () => (await import('../views/memory')).MemoryView,
  },
  {
    id: 'advice',
    canSearch: false,
    filters: [],
    title: 'Advice',
    question: 'What should I change?',
    icon: 'M5.5 11.5h5M6.5 14h3M5.5 11.5c0-1.6-2-2.4-2-5a4.5 4.5 0 0 1 9 0c0 2.6-2 3.4-2 5',
    load: async () => (await import('../views/advice')).AdviceView,
  },
]
