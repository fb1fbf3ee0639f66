/** The icicle, or upside down the flame graph: one picture of where the time goes in the model. Its table twin is below it. */
import { useLayoutEffect, useMemo } from 'preact/hooks'

import { Names } from '../../../base/names'
import { formatShare } from '../../../base/units'
import { wholeName } from '../../../state/filters'
import { useWidth } from '../../../widgets/use_width'
import type { ModuleRow } from '../../../wire/wire'
import { icicle } from './icicle'
import type { Block } from './icicle'
import { exactOf, shortOf } from '../metrics'
import type { Metric } from '../metrics'
import type { Tree } from '../tree/tree'

const LEVEL_PX = 21
const LEAST_PX = 2
const CHARACTER_PX = 8
const PADDING_PX = 5
const LEAST_LABEL_PX = 24
const PALEST = 0.14 // opacity of a block without time of its own
const DEEPEST = 0.5

interface IcicleProps {
  readonly tree: Tree
  readonly metric: Metric
  readonly zoom: number
  /** Outermost modules at the bottom, as in a flame graph. */
  readonly isFlame: boolean
  readonly selected: number
  /** What a search keeps; the others are dimmed. */
  readonly kept: ReadonlySet<number> | undefined
  /** -1: the whole profile. */
  readonly onChoose: (id: number) => void
}

export function Icicle({ tree, metric, zoom, isFlame, selected, kept, onChoose }: IcicleProps) {
  const [box, width] = useWidth<HTMLDivElement>(1100)
  const blocks = useMemo(
    () => icicle({ tree, total: metric.total, own: metric.own, zoom, least: LEAST_PX / width }),
    [tree, metric, zoom, width],
  )
  const names = useMemo(() => new Names(tree.rows.map((row) => row.name)), [tree])
  const deepest = blocks.reduce((level, block) => Math.max(level, block.level), 0)
  const height = LEVEL_PX * (1 + deepest)
  // What does not fit is scrolled to: the outermost modules are in sight first.
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = isFlame ? height : 0
  }, [isFlame, height])
  return (
    <div class="icicle" ref={box} tabIndex={0} role="group" aria-label="Flame graph">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${metric.label} by module, the outermost ${isFlame ? 'at the bottom' : 'on top'}. The table below has the same rows.`}
        onClick={(event) => {
          const id = (event.target as Element).closest('[data-id]')?.getAttribute('data-id')
          if (id !== null && id !== undefined) onChoose(Number(id))
        }}
      >
        {blocks.map((block) => (
          <BlockShape
            key={`${block.level} ${block.id ?? block.left}`}
            block={block}
            y={LEVEL_PX * (isFlame ? deepest - block.level : block.level)}
            width={width}
            tree={tree}
            metric={metric}
            whole={blocks[0]?.value ?? 0}
            names={names}
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
  readonly y: number
  readonly width: number
  readonly tree: Tree
  readonly metric: Metric
  readonly whole: number
  readonly names: Names
  readonly isSelected: boolean
  readonly isDimmed: boolean
}

function BlockShape({ block, y, width, tree, metric, whole, names, isSelected, isDimmed }: BlockShapeProps) {
  const row = tree.rows[block.id ?? -1]
  const name = row?.name ?? (block.id === undefined ? 'small modules' : wholeName())
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
  const label = across < LEAST_LABEL_PX ? '' : fitting(names, name, shortOf(metric, block.value), across)
  return (
    <g class={classes.filter(Boolean).join(' ')} data-id={block.id} transform={`translate(${x} ${y})`}>
      <title>{describe(name, row, block, metric, whole)}</title>
      <rect width={across} height={LEVEL_PX - 1} fill-opacity={PALEST + (DEEPEST - PALEST) * block.ownShare} />
      {label !== '' && (
        <text x={PADDING_PX} y={LEVEL_PX / 2 + 3.5}>
          {label}
        </text>
      )}
    </g>
  )
}

function describe(name: string, row: ModuleRow | undefined, block: Block, metric: Metric, whole: number): string {
  const share = whole === 0 ? '' : ` · ${formatShare(block.value / whole)} of all`
  const own = row === undefined ? '' : `\nself ${shortOf(metric, block.value * block.ownShare)}`
  const value = `${shortOf(metric, block.value)} (${exactOf(metric, block.value)})`
  const inModel = row === undefined || row.qualified === '' ? '' : `\n${row.qualified}`
  return `${row?.path ?? name}${inModel}\n${metric.label} ${value}${share}${own}`
}

/** The name, with the time where there is room, and cut in the middle where there is not: numbers tell blocks apart. */
function fitting(names: Names, name: string, time: string, px: number): string {
  const characters = Math.floor((px - 2 * PADDING_PX) / CHARACTER_PX)
  if (name.length + time.length + 2 <= characters) return `${name}  ${time}`
  return characters < 3 ? '' : names.cut(name, characters)
}
