/** Bars cut into what a time goes by on; the parts add up to it. */
import type { ComponentChildren } from 'preact'

import { UNTOLD, WAIT, striped } from '../../base/categories'
import { exactNs, formatNs, formatShare } from '../../base/units'
import type { Changes } from '../../state/hash'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import type { StepParts } from '../../wire/wire'
import * as define from './definitions'
import type { MeasureId } from './map/matrix'
import { placeOfMap } from './rank_links'

/** As in the picture of micro-batches, where nothing is computed. */
const BUBBLE = striped('var(--c-communication)', 135)

interface Piece {
  readonly title: string
  readonly ns: number
  /** Undefined: drawn as nothing. */
  readonly color: string | undefined
  readonly opacity?: number
}

interface Part extends Piece {
  readonly definition?: string
  /** What it is of, rank by rank. */
  readonly to?: Changes | undefined
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
        {parts.map(({ title, ns, color, definition, to }) => (
          <span key={title} title={exactNs(ns)}>
            {definition !== undefined && (
              <span class={color === undefined ? 'swatch is-idle' : 'swatch'} style={{ background: color }} />
            )}
            {to === undefined ? title : <PlaceLink to={to}>{title}</PlaceLink>} <b>{formatNs(ns)}</b>{' '}
            <span class="soft">{formatShare(ns / whole)}</span>{' '}
            {definition !== undefined && <Definition of={title} text={definition} />}
          </span>
        ))}
        {after}
      </p>
    </>
  )
}

interface StepBarProps {
  readonly parts: StepParts
  /** Of the job; null where clocks do not tell it. */
  readonly whole: number | null
  readonly hasMap: boolean
  /** Else parts are of the whole recording. */
  readonly hasSteps: boolean
}

/** The mean step. Each part leads to the map of it: whose it is, in which step. */
export function StepBar({ parts, whole, hasMap, hasSteps }: StepBarProps) {
  return (
    <Bar
      parts={partsOf(parts).map(({ measure, ...part }) => ({ ...part, to: hasMap ? placeOfMap(measure) : undefined }))}
      before={
        <span title={exactNs(parts.step_ns)}>
          {hasSteps ? 'mean step of a rank' : 'recording of a rank, in the mean'} <b>{formatNs(parts.step_ns)}</b>
          {whole !== null && (
            <>
              , of the job <b title={exactNs(whole)}>{formatNs(whole)}</b>
            </>
          )}{' '}
          <Definition
            of={hasSteps ? 'the mean step' : 'the recording'}
            text={`${define.parts}\n${define.job_step_ns}`}
          />
        </span>
      }
    />
  )
}

/** Of wait, transfer and the rest of communication what there is. */
function partsOf(parts: StepParts): readonly (Part & { readonly measure: MeasureId })[] {
  const bubble = parts.bubble_wait_ns ?? 0
  const others = parts.wait_ns === null || (bubble > 0 && bubble === parts.wait_ns) ? null : parts.wait_ns - bubble
  const all: readonly (readonly [MeasureId, string, number | null, string | undefined, string])[] = [
    ['computation', 'computing', parts.computation_ns, 'var(--c-kernel)', define.parts_computation_ns],
    ['bubble', 'wait in the pipeline bubble', bubble || null, BUBBLE, define.parts_bubble_wait_ns],
    ['wait', bubble ? 'other exposed wait' : 'exposed wait', others, WAIT, define.parts_wait_ns],
    ['transfer', 'exposed transfer', parts.transfer_ns, 'var(--c-communication)', define.transfer_ns],
    ['untold', 'not told apart', parts.untold_ns || null, UNTOLD, define.untold_ns],
    ['copy', 'copies', parts.copy_ns || null, 'var(--c-copy)', define.copy_ns],
    ['idle', 'idle', parts.idle_ns, undefined, define.idle_ns],
  ]
  return all.flatMap(([measure, title, ns, color, definition]) =>
    ns === null ? [] : [{ measure, title, ns, color, definition }],
  )
}
