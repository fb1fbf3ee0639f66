/** Everything about one row, beside the table. */
import './side_panel.css'

import type { ComponentChildren } from 'preact'

import { CopyButton } from '../../links/clipboard'
import { absentWord, exactValue, isText, short } from '../column'
import type { Column, Value } from '../column'

export interface Fact<R> {
  readonly title: string
  readonly column: Column<R>
  readonly value: Value
}

interface SidePanelProps<R> {
  readonly title: string
  readonly onClose: () => void
  readonly more: ComponentChildren
  /** Below the facts: what is behind the row. */
  readonly sections?: ComponentChildren
  readonly children: readonly Fact<R>[]
}

export function SidePanel<R>({ title, onClose, more, sections, children }: SidePanelProps<R>) {
  return (
    <aside class="side-panel" tabIndex={-1} aria-label="Details">
      <header>
        <h2 class="mono">{title}</h2>
        <button type="button" class="button is-plain" aria-label="Close details" title="Close (Esc)" onClick={onClose}>
          ✕
        </button>
      </header>
      <div class="side-panel-actions">
        <CopyButton label="Copy name" text={() => title} />
        {more}
      </div>
      <dl>
        {children.map(({ title: term, column, value }) => (
          <div key={term} class={isText(column) ? 'is-text' : ''}>
            <dt>{term}</dt>
            <dd class={value === null ? 'is-absent' : ''}>
              {value === null ? absentWord(column) : short(column, value)}
              {typeof value === 'number' && exactValue(column, value) !== short(column, value) && (
                <span class="exact">{exactValue(column, value)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {sections}
    </aside>
  )
}
