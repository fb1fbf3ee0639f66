/** The recorded and the edited step as two bars of one scale, cut into what their time goes by on. */
import { striped } from '../../base/categories'
import { exactNs, formatNs, formatShare } from '../../base/units'
import { Definition } from '../../widgets/panel/popup'
import type { LastPath, WhatIf } from '../../wire/wire'
import * as define from './definitions'

const PARTS = [
  { key: 'host_share', title: 'host', color: 'var(--c-other-host)' },
  { key: 'device_share', title: 'device', color: 'var(--c-kernel)' },
  { key: 'communication_share', title: 'communication', color: 'var(--c-communication)' },
  { key: 'waiting_share', title: 'waiting', color: striped('var(--c-kernel)') },
] as const

export function StepBars({ result }: { readonly result: WhatIf }) {
  const { recorded_ns: recorded, recorded_path: before, edited_path: after, edited_ns: edited } = result
  if (recorded === null || before === null) return null
  const longest = Math.max(recorded, edited ?? 0, 1)
  const there = PARTS.filter(({ key }) => before[key] > 0 || (after?.[key] ?? 0) > 0)
  return (
    <div class="whatif-bars">
      <Bar title="recorded" ns={recorded} path={before} longest={longest} />
      {after !== null && edited !== null && <Bar title="edited" ns={edited} path={after} longest={longest} />}
      <p class="whatif-legend">
        bound by
        {there.map(({ key, title, color }) => (
          <span key={key}>
            <span class="swatch" style={{ background: color }} /> {title}{' '}
            <span class="soft">{formatShare(before[key])}</span>
            {after !== null && <> → {formatShare(after[key])}</>}
          </span>
        ))}
        <Definition of="what a step is bound by" text={define.edited_path} />
      </p>
    </div>
  )
}

interface BarProps {
  readonly title: string
  readonly ns: number
  readonly path: LastPath
  readonly longest: number
}

function Bar({ title, ns, path, longest }: BarProps) {
  return (
    <div class="whatif-bar">
      <span class="soft">{title}</span>
      <span class="whatif-track" aria-hidden="true">
        {PARTS.map(({ key, title: part, color }) => (
          <span
            key={key}
            title={`${part}: ${formatNs(path[key] * ns)}, ${formatShare(path[key])}`}
            style={{ width: `${(path[key] * ns * 100) / longest}%`, background: color }}
          />
        ))}
      </span>
      <span class="value" title={exactNs(ns)}>
        {formatNs(ns)}
      </span>
    </div>
  )
}
