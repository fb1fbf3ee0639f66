/** The icicle, or upside down the flame graph: one picture of where the time goes in a tree. Whoever shows it has its table twin. */
import './icicle.css'

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { FRAME, SHORT, cutLabel } from '../../base/cut'
import { Names } from '../../base/names'
import { useWidth } from '../use_width'
import { icicle } from './icicle'
import { neighbourBlock } from './icicle_keys'
import type { Block, Nodes } from './icicle'

const LEVEL_PX = 21
const LEAST_PX = 2
const CHARACTER_PX = 8
const PADDING_PX = 5
const LEAST_CHARACTERS = 4
const PALEST = 0.14 // opacity of a block without time of its own
const DEEPEST = 0.5

interface IcicleProps {
  readonly nodes: Nodes
  /** What to call a node; -1 is the whole, undefined what is too narrow to be drawn. */
  readonly name: (id: number | undefined) => string
  /** What stands behind the name where both have room, in few characters. */
  readonly short: (block: Block) => string
  /** All there is to say of a block, when it is pointed at. */
  readonly describe: (block: Block) => string
  /** A CSS colour. It is paler the less of the value is the node's own. */
  readonly fill: (id: number) => string
  /** A class of CSS for what colour alone must not say. */
  readonly classOf?: (id: number) => string
  /** Nodes that are none of what the picture is about. */
  readonly isPlain?: (id: number) => boolean
  readonly label: string
  readonly zoom: number
  /** The outermost at the bottom, as in a flame graph. */
  readonly isFlame?: boolean
  readonly selected: number
  /** What a search keeps; the others are dimmed. */
  readonly kept?: ReadonlySet<number> | undefined
  /** -1: the whole. */
  readonly onChoose: (id: number) => void
  /** A right click, or the key for it. */
  readonly onMenu?: (id: number, event: MouseEvent) => void
}

export function Icicle(props: IcicleProps) {
  const { nodes, zoom, isFlame = false, selected, kept, onChoose } = props
  const [box, width] = useWidth<HTMLDivElement>(1100)
  const blocks = useMemo(() => icicle({ nodes, zoom, least: LEAST_PX / width }), [nodes, zoom, width])
  const names = useMemo(
    () =>
      new Names(
        blocks.map(({ id }) => props.name(id)),
        true,
      ),
    [blocks],
  )
  const deepest = blocks.reduce((level, block) => Math.max(level, block.level), 0)
  const height = LEVEL_PX * (1 + deepest)
  // What does not fit is scrolled to: the outermost are in sight first.
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = isFlame ? height : 0
  }, [isFlame, height])
  // One block is reached by Tab, the others by arrows from it.
  const [reached, setReached] = useState<number>()
  const hasFocus = useRef(false)
  const isThere = (id: number | undefined): boolean => blocks.some((block) => block.id === id)
  const stop = [reached, selected, zoom].find((id) => id !== undefined && isThere(id)) ?? blocks[0]?.id
  const focus = (id: number | undefined): void => box.current?.querySelector<SVGElement>(`[data-id="${id}"]`)?.focus()
  // A block that was chosen may be drawn anew: a second Enter is still for it.
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) focus(stop)
  }, [blocks])
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = idUnder(event)
    const from = blocks.find((block) => block.id === id)
    if (from === undefined || id === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const next = neighbourBlock(blocks, from, event.key, isFlame)
    if (event.key === 'Enter' || event.key === ' ') onChoose(id)
    else if (next === undefined) return
    else focus(next.id)
    event.preventDefault()
  }
  return (
    <div class="icicle" ref={box} role="group" aria-label="Flame graph">
      <svg
        width={width}
        height={height}
        role="group"
        aria-label={`${props.label} Arrow keys go from block to block, Enter does what a click does.`}
        onClick={(event) => {
          const id = idUnder(event)
          if (id !== undefined) onChoose(id)
        }}
        onContextMenu={(event) => {
          const id = idUnder(event)
          if (id !== undefined) props.onMenu?.(id, event)
        }}
        onKeyDown={onKeyDown}
        onFocusIn={(event) => {
          hasFocus.current = true
          setReached(idUnder(event))
        }}
        onFocusOut={(event) => {
          // What is drawn anew loses the focus to nothing, not to something else.
          if (event.relatedTarget !== null) hasFocus.current = false
        }}
      >
        {blocks.map((block) => (
          <BlockShape
            key={`${block.level} ${block.id ?? block.left}`}
            {...props}
            block={block}
            y={LEVEL_PX * (isFlame ? deepest - block.level : block.level)}
            width={width}
            cut={names}
            isSelected={block.id === selected}
            isReached={block.id !== undefined && block.id === stop}
            isDimmed={kept !== undefined && !kept.has(block.id ?? -1)}
          />
        ))}
      </svg>
    </div>
  )
}

interface BlockShapeProps extends Pick<IcicleProps, 'name' | 'short' | 'describe' | 'fill' | 'classOf' | 'isPlain'> {
  readonly block: Block
  readonly y: number
  readonly width: number
  readonly cut: Names
  readonly isSelected: boolean
  /** By Tab. */
  readonly isReached: boolean
  readonly isDimmed: boolean
}

function BlockShape({ block, y, width, cut, isSelected, isReached, isDimmed, ...props }: BlockShapeProps) {
  const { id } = block
  const isPlain = id === undefined || id < 0 || props.isPlain?.(id) === true
  const x = block.left * width
  const across = Math.max(1, block.width * width - 1)
  const classes = [
    'block',
    block.isAround && 'is-around',
    isSelected && 'is-selected',
    isDimmed && 'is-dimmed',
    isPlain && 'is-plain',
    id !== undefined && id >= 0 && props.classOf?.(id),
  ]
  const label = fitting(cut, props.name(id), props.short(block), across)
  return (
    <g
      class={classes.filter(Boolean).join(' ')}
      data-id={id}
      role={id === undefined ? undefined : 'button'}
      tabindex={id === undefined ? undefined : isReached ? 0 : -1}
      transform={`translate(${x} ${y})`}
    >
      <title>{props.describe(block)}</title>
      <rect
        width={across}
        height={LEVEL_PX - 1}
        style={isPlain ? undefined : { fill: props.fill(id) }}
        fill-opacity={PALEST + (DEEPEST - PALEST) * block.ownShare}
      />
      {label !== '' && (
        <text x={PADDING_PX} y={LEVEL_PX / 2 + 3.5}>
          {label}
        </text>
      )}
    </g>
  )
}

function idUnder(event: Event): number | undefined {
  const id = (event.target as Element).closest('[data-id]')?.getAttribute('data-id')
  return id === null || id === undefined ? undefined : Number(id)
}

/** The name, with the value where there is room, and cut where there is not. */
function fitting(names: Names, name: string, value: string, px: number): string {
  const characters = Math.floor((px - 2 * PADDING_PX) / CHARACTER_PX)
  if (name.length + value.length + 2 <= characters) return `${name}  ${value}`.trimEnd()
  if (characters < LEAST_CHARACTERS) return ''
  return characters < SHORT || FRAME.test(name) ? cutLabel(name, characters) : names.cut(name, characters)
}
