/** Over the edges of the canvas: what an arrow of the selection leads to that is out of sight. A click goes there. */
import './edge_names.css'

import type { TimelineStore } from '../store/store'

export function EdgeNames({ store }: { readonly store: TimelineStore }) {
  const { selection } = store
  return (
    <>
      {selection.away.value.map(({ event, words, short = words, x, y, before }) => (
        <button
          key={event.row}
          type="button"
          class="button is-small tl-away"
          title={`${words}\n${event.name}\nShow both`}
          // As far as it has to be from the edge that it lies at, whatever its size.
          style={{ left: `${x}px`, top: `${y}px`, transform: `translate(${-100 * before}%, -50%)` }}
          onClick={({ currentTarget }) => {
            if (event.row === selection.event.value?.row) store.visit(event)
            else store.visitLinked(event)
            currentTarget.parentElement?.querySelector('canvas')?.focus({ preventScroll: true }) // it will be gone
          }}
        >
          {short}
        </button>
      ))}
    </>
  )
}
