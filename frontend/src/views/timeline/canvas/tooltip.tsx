/** What is under the pointer: the name, how long, and how many events a merged block stands for. */
import '../../../widgets/panel/tooltip.css'

import { useEffect, useState } from 'preact/hooks'

import { TRACK_CHARACTERS, cutMiddle } from '../../../base/cut'
import { formatCount, formatNs } from '../../../base/units'
import { ask } from '../../../data/ask'
import type { TimelineStore } from '../store/store'

const NAME_AFTER_MS = 60

export function Tooltip({ store }: { readonly store: TimelineStore }) {
  const hover = store.hand.hover.value
  const id = hover === undefined ? undefined : hover.hit.blocks.nameId[hover.hit.block]
  const row = hover === undefined ? undefined : hover.hit.blocks.row[hover.hit.block]
  const name = useName(store, id, row)
  if (hover === undefined) return null
  const { blocks, block, track } = hover.hit
  const count = blocks.count[block] ?? 1
  const longest = blocks.longestNs[block] ?? 0
  const span = ((blocks.end[block] ?? 0) - (blocks.start[block] ?? 0)) * blocks.unitNs
  const flipX = hover.x > store.window.view.width / 2
  const flipY = hover.y > store.picture.height / 2
  return (
    <div
      class="tooltip"
      role="presentation"
      style={{
        [flipX ? 'right' : 'left']: `${flipX ? store.window.view.width - hover.x + 12 : hover.x + 12}px`,
        [flipY ? 'bottom' : 'top']: `${flipY ? store.picture.height - hover.y + 12 : hover.y + 16}px`,
      }}
    >
      {count > 1 && (
        <p>
          <b>{formatCount(count)} events</b> within {formatNs(span)}, too short to tell apart here. The longest:
        </p>
      )}
      <p class="mono tl-tooltip-name">{name ?? '…'}</p>
      <p>
        <b>{track.marks && longest === 0 ? 'mark' : formatNs(longest)}</b>{' '}
        <span class="soft">{cutMiddle(store.picture.track(track.id)?.name ?? '', TRACK_CHARACTERS)}</span>
      </p>
    </div>
  )
}

/** Names of wide blocks came with them; the others are asked for when the pointer rests. */
function useName(store: TimelineStore, id: number | undefined, row: number | undefined): string | undefined {
  const [, setCame] = useState(0)
  useEffect(() => {
    if (id === undefined || row === undefined || store.loader.names.has(id)) return undefined
    const stop = new AbortController()
    const timer = setTimeout(() => {
      ask('view/timeline/event', store.profile, { row }, { signal: stop.signal })
        .then((event) => {
          store.loader.names.set(id, event.name)
          setCame((n) => n + 1)
        })
        .catch(() => undefined) // a name less; the frame says when the server is gone
    }, NAME_AFTER_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [id, row])
  return id === undefined ? undefined : store.loader.names.get(id)
}
