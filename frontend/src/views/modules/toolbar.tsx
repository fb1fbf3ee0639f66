import { go } from '../../state/place'
import { Definition } from '../../widgets/panel/popup'
import { Select } from '../../widgets/choose/select'
import type { Modules } from '../../wire/wire'
import * as define from './definitions'
import type { Metric } from './metrics'

interface ToolbarProps {
  readonly metrics: readonly Metric[]
  readonly metric: Metric | undefined
  readonly groupBy: Modules['group_by']
  readonly isFlame: boolean
  readonly isZoomed: boolean
}

export const GROUPS = [
  { id: 'class', label: 'Class' },
  { id: 'instance', label: 'Module' },
  { id: 'class_path', label: 'Class and parent' },
] as const

const CHARTS = [
  { id: 'icicle', label: 'Icicle' },
  { id: 'flame', label: 'Flame graph' },
]

export function Toolbar({ metrics, metric, groupBy, isFlame, isZoomed }: ToolbarProps) {
  return (
    <>
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
    </>
  )
}

export function OpenAndClose() {
  return (
    <>
      <button type="button" class="button" onClick={() => go({ 'modules.levels': '99', 'modules.toggled': undefined })}>
        Open all
      </button>
      <button type="button" class="button" onClick={() => go({ 'modules.levels': '0', 'modules.toggled': undefined })}>
        Close all
      </button>
    </>
  )
}

/** Paths of the other grouping name other rows: what is selected and opened goes. */
function group(id: string): void {
  go({
    'modules.group': id,
    'modules.row': undefined,
    'modules.zoom': undefined,
    'modules.toggled': undefined,
  })
}
