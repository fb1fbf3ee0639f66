/** What the page knows of a view before its code is loaded. Title and question are the server's. */
import type { ComponentType } from 'preact'

import type { FilterId } from '../state/filters'
import type { ViewProps } from './props'

export type Face = FaceOfOne | FaceOfMany

/** A view of one profile. */
interface FaceOfOne extends AnyFace {
  readonly isOfMany?: false
  readonly load: () => Promise<ComponentType<ViewProps>>
}

/** A view of the log directory: it is shown without a profile. */
interface FaceOfMany extends AnyFace {
  readonly isOfMany: true
  readonly load: () => Promise<ComponentType>
}

interface AnyFace {
  readonly id: string
  /** An outline of 16 x 16, drawn with a stroke. */
  readonly icon: string
  /** It has a search box, once it is there. */
  readonly canSearch: boolean
  /** Which filters it takes. */
  readonly filters: readonly FilterId[]
  /** Keys of the link that name a place in one span, such as a window or an event: another span undoes them. */
  readonly positions?: readonly string[]
  /** Keys of the link that show a stretch of time: other steps undo them. */
  readonly stretch?: readonly string[]
  /** Keys of the link that could hide a row of its table: a link to a row undoes them. */
  readonly hiding?: readonly string[]
}

/** What a key, or one of several, does. */
export type Key = readonly [keys: readonly string[], meaning: string]

/** `load` of a view of many profiles, or that asks a server: a report, which never shows it, is built without it. */
export function inNoReport(): Promise<never> {
  return Promise.reject(Error('no report has it'))
}
