/** What a view of many is wrapped in. What loads or failed is said by its rows: here only that there is no answer at all. */
import './frame.css'

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { JointState } from '../data/joint'

interface JointFrameProps<T> {
  readonly state: JointState<T>
  /** What many are asked about, in a word or two: thousands take seconds. */
  readonly about?: string
  readonly children: (reply: T) => ComponentChildren
}

export function JointFrame<T>({ state: { value, error }, about, children }: JointFrameProps<T>) {
  if (error !== undefined)
    return (
      <div class="notice is-bad" role="alert">
        <h2>This cannot be shown</h2>
        <p>{error}</p>
      </div>
    )
  if (value === undefined) return <Asking about={about} />
  return <div class="view-body">{children(value)}</div>
}

function Asking({ about }: { readonly about: string | undefined }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const counting = setInterval(() => setSeconds((before) => before + 1), 1000)
    return () => clearInterval(counting)
  }, [])
  return (
    <p class="notice is-late">
      {seconds < 2 || about === undefined ? 'Asking the server…' : `Working out ${about}, ${seconds} s so far…`}
    </p>
  )
}
