/** The icicle: one picture of where the time goes in the model. Its table twin is the tree table below it. */
import { useMemo } from 'preact/hooks'

import { cutMiddle } from '../../base/cut'
import { exactNs, formatNs, formatShare } from '../../base/units'
import { useWidth } from '../../widgets/use_width'
import { icicle } from './icicle'
import type { Block } from './icicle'
import type { Metric } from './metrics'
import type { Tree } from './tree'

const LEVEL_PX = 21
const LEAST_PX = 2
const CHARACTER_PX = 7.2
const PADDING_PX = 5
const LEAST_LABEL_PX = 24
const PALEST = 0.14 // opacity of a block without time of its own
const DEEPEST = 0.5

interface IcicleProps {
  readonly tree: Tree
  readonly metric: Metric
  readonly zoom: number
  readonly selected: number
  /** What a search keeps; the others are dimmed. */
  readonly kept: ReadonlySet<number> | undefined
  /** -1: the whole profile. */
  readonly onChoose: (id: number) => void
}

export function Icicle({ tree, metric, zoom, selected, kept, onChoose }: IcicleProps) {
  const [box, width] = useWidth<HTMLDivElement>(1100)
  const blocks = useMemo(
    () => icicle({ tree, total: metric.total, own: metric.own, zoom, least: LEAST_PX / width }),
    [tree, metric, zoom, width],
  )
  const height = LEVEL_PX * (1 + blocks.reduce((deepest, block) => Math.max(deepest, block.level), 0))
  return (
    <div class="icicle" ref={box} tabIndex={0} role="group" aria-label="Flame graph">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${metric.label} by module, the outermost on top. The table below has the same rows.`}
        onClick={(event) => {
          const id = (event.target as Element).closest('[data-id]')?.getAttribute('data-id')
          if (id !== null && id !== undefined) onChoose(Number(id))
        }}
      >
        {blocks.map((block) => (
          <BlockShape
            key={`${block.level} ${block.id ?? block.left}`}
            block={block}
            width={width}
            tree={tree}
            metric={metric}
            whole={blocks[0]?.value ?? 0}
            isSelected={block.id === selected}
            isDimmed={kept !== undefined && !kept.has(block.id ?? -1)}
          />
        ))}
      </svg>
    </div>
  )
}

interface BlockShapeProps {
  readonly block: Block
  readonly width: number
  readonly tree: Tree
  readonly metric: Metric
  readonly whole: number
  readonly isSelected: boolean
  readonly isDimmed: boolean
}

function BlockShape({ block, width, tree, metric, whole, isSelected, isDimmed }: BlockShapeProps) {
  const row = tree.rows[block.id ?? -1]
  const name = row?.name ?? (block.id === undefined ? 'small modules' : 'Whole profile')
  const x = block.left * width
  const across = Math.max(1, block.width * width - 1)
  const isNoModule = row === undefined || row.kind !== 'module'
  const classes = [
    'block',
    metric.side,
    block.isAround && 'is-around',
    isSelected && 'is-selected',
    isDimmed && 'is-dimmed',
    isNoModule && 'is-plain',
  ]
  const label = across < LEAST_LABEL_PX ? '' : fitting(name, formatNs(block.value), across)
  return (
    <g
      class={classes.filter(Boolean).join(' ')}
      data-id={block.id}
      transform={`translate(${x} ${block.level * LEVEL_PX})`}
    >
      <title>{describe(name, row?.path, block, metric, whole)}</title>
      <rect width={across} height={LEVEL_PX - 1} fill-opacity={PALEST + (DEEPEST - PALEST) * block.ownShare} />
      {label !== '' && (
        <text x={PADDING_PX} y={LEVEL_PX / 2 + 3.5}>
          {label}
        </text>
      )}
    </g>
  )
}

function describe(name: string, path: string | undefined, block: Block, metric: Metric, whole: number): string {
  const share = whole === 0 ? '' : ` · ${formatShare(block.value / whole)} of all`
  const own = path === undefined ? '' : `\nself ${formatNs(block.value * block.ownShare)}`
  return `${path ?? name}\n${metric.label} ${formatNs(block.value)} (${exactNs(block.value)})${share}${own}`
}

/** The name, with the time where there is room, and cut in the middle where there is not: numbers tell blocks apart. */
function fitting(name: string, time: string, px: number): string {
  const characters = Math.floor((px - 2 * PADDING_PX) / CHARACTER_PX)
  if (name.length + time.length + 2 <= characters) return `${name}  ${time}`
  return characters < 3 ? '' : cutMiddle(name, characters)
}
