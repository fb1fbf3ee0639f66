/** What a view of many is wrapped in. What loads or failed is said by its rows: here only that there is no answer at all. */
import './frame.css'

import type { ComponentChildren } from 'preact'

import type { JointState } from '../data/joint'

interface JointFrameProps<T> {
  readonly state: JointState<T>
  readonly children: (reply: T) => ComponentChildren
}

export function JointFrame<T>({ state: { value, error }, children }: JointFrameProps<T>) {
  if (error !== undefined)
    return (
      <div class="notice is-bad" role="alert">
        <h2>This cannot be shown</h2>
        <p>{error}</p>
      </div>
    )
  if (value === undefined) return <p class="notice is-late">Asking the server…</p>
  return <div class="view-body">{children(value)}</div>
}
