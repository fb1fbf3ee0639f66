import type { ComponentChildren } from 'preact'

import type { Modules } from '../../data/wire'
import { go } from '../../state/place'
import { Definition } from '../../widgets/popup'
import { Select } from '../../widgets/select'
import { SearchBox } from '../../widgets/table/data_table'
import * as define from './definitions'
import type { Metric } from './metrics'

interface ToolbarProps {
  readonly metrics: readonly Metric[]
  readonly metric: Metric | undefined
  readonly groupBy: Modules['group_by']
  readonly isFlame: boolean
  readonly isZoomed: boolean
  readonly query: string
  readonly searchError: string | undefined
  /** How many rows there are, or match. */
  readonly count: string
  readonly children: ComponentChildren
}

const GROUPS = [
  { id: 'instance', label: 'Module' },
  { id: 'class', label: 'Class' },
]

const CHARTS = [
  { id: 'icicle', label: 'Icicle' },
  { id: 'flame', label: 'Flame graph' },
]

export function Toolbar(props: ToolbarProps) {
  const { metrics, metric, groupBy, isFlame, isZoomed, query, searchError, count, children } = props
  return (
    <div class="toolbar">
      <Select label="Group by" value={groupBy} options={GROUPS} onChoose={group} />
      <Select
        label="Chart"
        value={isFlame ? 'flame' : 'icicle'}
        options={CHARTS}
        onChoose={(id) => go({ 'modules.chart': id === 'flame' ? id : undefined })}
      />
      <Select
        label="Width"
        value={metric?.id ?? ''}
        options={metrics}
        onChoose={(id) => go({ 'modules.metric': id === metrics[0]?.id ? undefined : id })}
      />
      <Definition of="the chart" text={define.flame_graph} />
      {isZoomed && (
        <button type="button" class="button" onClick={() => go({ 'modules.zoom': undefined })}>
          Zoom out
        </button>
      )}
      <SearchBox id="modules" query={query} error={searchError} />
      <span class="soft" aria-live="polite">
        {count}
      </span>
      <span class="grow" />
      <button type="button" class="button" onClick={() => go({ 'modules.levels': '99', 'modules.toggled': undefined })}>
        Open all
      </button>
      <button type="button" class="button" onClick={() => go({ 'modules.levels': '0', 'modules.toggled': undefined })}>
        Close all
      </button>
      {children}
    </div>
  )
}

/** Paths of the other grouping name other rows: what is selected and opened goes. */
function group(id: string): void {
  go({
    'modules.group': id === 'class' ? id : undefined,
    'modules.row': undefined,
    'modules.zoom': undefined,
    'modules.toggled': undefined,
  })
}
