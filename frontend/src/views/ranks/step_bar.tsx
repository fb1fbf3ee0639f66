/** The mean step as one bar, cut into what it goes by on; the parts add up to it. */
import { exactNs, formatNs, formatShare } from '../../base/units'
import { Definition } from '../../widgets/panel/popup'
import type { StepParts } from '../../wire/wire'
import * as define from './definitions'

interface Part {
  readonly title: string
  readonly ns: number
  /** Undefined: drawn as nothing. */
  readonly color?: string
  readonly definition: string
}

export function StepBar({ parts }: { readonly parts: StepParts }) {
  const all = partsOf(parts)
  const whole = Math.max(parts.step_ns, 1)
  return (
    <div class="ranks-step">
      <div class="ranks-track" aria-hidden="true">
        {all.map(({ title, ns, color }) => (
          <span
            key={title}
            class={color === undefined ? 'is-idle' : ''}
            style={{ flexGrow: Math.max(ns, 0) / whole, background: color }}
            title={`${title}: ${exactNs(ns)}`}
          />
        ))}
      </div>
      <p class="ranks-legend">
        <span title={exactNs(parts.step_ns)}>
          mean step <b>{formatNs(parts.step_ns)}</b> <Definition of="the mean step" text={define.parts} />
        </span>
        {all.map(({ title, ns, color, definition }) => (
          <span key={title} title={exactNs(ns)}>
            <span class={color === undefined ? 'swatch is-idle' : 'swatch'} style={{ background: color }} />
            {title} <b>{formatNs(ns)}</b> <span class="soft">{formatShare(ns / whole)}</span>{' '}
            <Definition of={title} text={definition} />
          </span>
        ))}
      </p>
    </div>
  )
}

/** Wait and transfer where they could be told apart. */
function partsOf(parts: StepParts): readonly Part[] {
  const { wait_ns: wait, transfer_ns: transfer } = parts
  const communication: readonly Part[] =
    wait === null || transfer === null
      ? [
          {
            title: 'exposed communication (wait: not recorded)',
            ns: parts.communication_ns,
            color: 'var(--c-communication)',
            definition: define.parts_communication_ns,
          },
        ]
      : [
          { title: 'exposed wait', ns: wait, color: 'var(--c-python)', definition: define.wait_ns },
          { title: 'exposed transfer', ns: transfer, color: 'var(--c-communication)', definition: define.transfer_ns },
        ]
  const copy: Part = { title: 'copies', ns: parts.copy_ns, color: 'var(--c-copy)', definition: define.copy_ns }
  return [
    {
      title: 'computing',
      ns: parts.computation_ns,
      color: 'var(--c-kernel)',
      definition: define.parts_computation_ns,
    },
    ...communication,
    ...(parts.copy_ns > 0 ? [copy] : []),
    { title: 'idle', ns: parts.idle_ns, definition: define.idle_ns },
  ]
}
