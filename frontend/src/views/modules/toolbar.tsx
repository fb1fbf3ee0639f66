import type { ComponentChildren } from 'preact'

import { go } from '../../state/place'
import { Definition } from '../../widgets/popup'
import { Select } from '../../widgets/select'
import { SearchBox } from '../../widgets/table/data_table'
import type { Metric } from './metrics'

interface ToolbarProps {
  readonly metrics: readonly Metric[]
  readonly metric: Metric | undefined
  readonly isZoomed: boolean
  readonly query: string
  readonly searchError: string | undefined
  /** How many rows there are, or match. */
  readonly count: string
  readonly children: ComponentChildren
}

export function Toolbar({ metrics, metric, isZoomed, query, searchError, count, children }: ToolbarProps) {
  return (
    <div class="toolbar">
      <Select
        label="Width"
        value={metric?.id ?? ''}
        options={metrics}
        onChoose={(id) => go({ 'modules.metric': id === metrics[0]?.id ? undefined : id })}
      />
      <Definition
        of="the flame graph"
        text="Each block is a module; below it are the modules it calls, in the order of their first calls. The width is the time chosen, with all modules inside. The stronger the colour, the more of it is the module’s own. Click a block to zoom to it and to select its row; click one above to zoom out."
      />
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
