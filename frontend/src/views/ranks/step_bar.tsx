/** Bars cut into what a time goes by on; the parts add up to it. */
import type { ComponentChildren } from 'preact'

import { exactNs, formatNs, formatShare } from '../../base/units'
import { Definition } from '../../widgets/panel/popup'
import type { StepParts } from '../../wire/wire'
import * as define from './definitions'

interface Piece {
  readonly title: string
  readonly ns: number
  /** Undefined: drawn as nothing. */
  readonly color: string | undefined
  readonly opacity?: number
}

interface Part extends Piece {
  readonly definition?: string
}

export function Track({ parts, whole }: { readonly parts: readonly Piece[]; readonly whole: number }) {
  return (
    <div class="ranks-track" aria-hidden="true">
      {parts.map(({ title, ns, color, opacity }) => (
        <span
          key={title}
          class={color === undefined ? 'is-idle' : ''}
          style={{ flexGrow: Math.max(ns, 0) / Math.max(whole, 1), background: color, opacity }}
          title={title}
        />
      ))}
    </div>
  )
}

interface BarProps {
  readonly parts: readonly Part[]
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
}

/** A definition makes a swatch. */
export function Bar({ parts, before, after }: BarProps) {
  const whole = parts.reduce((sum, { ns }) => sum + ns, 0) || 1
  return (
    <>
      <Track parts={parts.map((part) => ({ ...part, title: `${part.title}: ${exactNs(part.ns)}` }))} whole={whole} />
      <p class="ranks-legend">
        {before}
        {parts.map(({ title, ns, color, definition }) => (
          <span key={title} title={exactNs(ns)}>
            {definition !== undefined && (
              <span class={color === undefined ? 'swatch is-idle' : 'swatch'} style={{ background: color }} />
            )}
            {title} <b>{formatNs(ns)}</b> <span class="soft">{formatShare(ns / whole)}</span>{' '}
            {definition !== undefined && <Definition of={title} text={definition} />}
          </span>
        ))}
        {after}
      </p>
    </>
  )
}

/** The mean step. */
export function StepBar({ parts }: { readonly parts: StepParts }) {
  return (
    <Bar
      parts={partsOf(parts)}
      before={
        <span title={exactNs(parts.step_ns)}>
          mean step <b>{formatNs(parts.step_ns)}</b> <Definition of="the mean step" text={define.parts} />
        </span>
      }
    />
  )
}

/** Of wait, transfer and the rest of communication what there is. */
function partsOf(parts: StepParts): readonly Part[] {
  const all: readonly (readonly [string, number | null, string | undefined, string])[] = [
    ['computing', parts.computation_ns, 'var(--c-kernel)', define.parts_computation_ns],
    ['exposed wait', parts.wait_ns, 'var(--c-python)', define.wait_ns],
    ['exposed transfer', parts.transfer_ns, 'var(--c-communication)', define.transfer_ns],
    ['not told apart', parts.untold_ns || null, 'var(--c-runtime)', define.untold_ns],
    ['copies', parts.copy_ns || null, 'var(--c-copy)', define.copy_ns],
    ['idle', parts.idle_ns, undefined, define.idle_ns],
  ]
  return all.flatMap(([title, ns, color, definition]) => (ns === null ? [] : [{ title, ns, color, definition }]))
}
