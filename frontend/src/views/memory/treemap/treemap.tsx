/** What is alive at the instant as areas. The table of the same groups is its twin: a tile opens its row. */
import { useMemo, useRef, useState } from 'preact/hooks'

import { Names } from '../../../base/names'
import { exactBytes, formatBytes, formatShare } from '../../../base/units'
import { go } from '../../../state/place'
import { heightOf, useWidth } from '../../../widgets/use_width'
import type { MemoryUse } from '../../../wire/wire'
import { tilesOf } from './tiles'
import type { Tile } from './tiles'
import { squarify } from './treemap_layout'
import type { Rect } from './treemap_layout'

const HEIGHT = 168
const FIRST_WIDTH = 1000
const LETTER_PX = 6.7
const LINE_PX = 16
const PADDING_PX = 6
const KEYS = 'Arrow keys move to the next smaller and larger one, Enter opens its row.'

export function Treemap({ use }: { readonly use: MemoryUse }) {
  const [box, width] = useWidth<HTMLDivElement>(FIRST_WIDTH)
  const [focused, setFocused] = useState(0)
  const height = heightOf(HEIGHT)
  const tiles = tilesOf(use)
  const names = useMemo(
    () =>
      new Names(
        tilesOf(use).map((tile) => tile.name),
        true,
      ),
    [use],
  )
  const rects = squarify(
    tiles.map((tile) => tile.bytes),
    width,
    height,
  )
  const buttons = useRef(new Map<number, HTMLButtonElement>())
  const current = Math.min(focused, tiles.length - 1)
  return (
    <div
      ref={box}
      class="treemap"
      role="group"
      aria-label={`Treemap of what is alive. ${KEYS}`}
      style={{ height: `${height}px` }}
      onKeyDown={(event) => {
        const step = STEPS[event.key]
        if (step === undefined) return
        const next = Math.max(0, Math.min(tiles.length - 1, step(current, tiles.length)))
        setFocused(next)
        buttons.current.get(next)?.focus()
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {tiles.map((tile, index) => (
        <TileButton
          key={tile.key}
          tile={tile}
          names={names}
          rect={rects[index]}
          share={use.held.allocated_bytes === 0 ? 0 : tile.bytes / use.held.allocated_bytes}
          isCurrent={index === current}
          onFocus={() => setFocused(index)}
          register={(element) => {
            if (element === null) buttons.current.delete(index)
            else buttons.current.set(index, element)
          }}
        />
      ))}
    </div>
  )
}

const STEPS: Readonly<Record<string, (now: number, count: number) => number>> = {
  ArrowRight: (now) => now + 1,
  ArrowDown: (now) => now + 1,
  ArrowLeft: (now) => now - 1,
  ArrowUp: (now) => now - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

interface TileProps {
  readonly tile: Tile
  readonly names: Names
  readonly rect: Rect | undefined
  readonly share: number
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly register: (element: HTMLButtonElement | null) => void
}

function TileButton({ tile, names, rect, share, isCurrent, onFocus, register }: TileProps) {
  if (rect === undefined) return null
  const room = Math.floor((rect.width - 2 * PADDING_PX) / LETTER_PX)
  const lines = Math.floor((rect.height - PADDING_PX) / LINE_PX)
  const words = `${formatBytes(tile.bytes)}, ${formatShare(share)}`
  return (
    <button
      ref={register}
      type="button"
      class={`tile is-${tile.kind}`}
      tabIndex={isCurrent ? 0 : -1}
      style={{
        left: `${rect.x}px`,
        top: `${rect.y}px`,
        width: `${rect.width}px`,
        height: `${rect.height}px`,
        ...(tile.color === undefined ? {} : { '--tile': tile.color }),
      }}
      title={`${tile.name}\n${exactBytes(tile.bytes)}, ${formatShare(share)} of allocated`}
      onFocus={onFocus}
      onClick={() => tile.row !== undefined && go({ 'memory.row': tile.row })}
    >
      {/* What is seen is cut to the tile's size; what is read is whole. */}
      <span class="sr-only">{`${tile.name}: ${words} of allocated`}</span>
      {room >= 4 && lines >= 1 && (
        <span class="tile-name" aria-hidden="true">
          {names.cut(tile.name, room)}
        </span>
      )}
      {lines >= 2 && room >= 6 && (
        <span aria-hidden="true">{room >= words.length ? words : formatBytes(tile.bytes)}</span>
      )}
    </button>
  )
}
