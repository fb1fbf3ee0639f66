/** How many questions are open. The frame shows a thin bar when one takes longer than 300 ms. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

const open = signal(0)

export const openRequests: ReadonlySignal<number> = open

/** Counts one more; the returned function takes it back, once. */
export function busy(): () => void {
  open.value++
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    open.value--
  }
}
