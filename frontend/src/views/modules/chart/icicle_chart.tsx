/** Where the time goes in the model: the modules as an icicle, or as a flame graph. Its table twin is below it. */
import { useMemo } from 'preact/hooks'

import { formatShare } from '../../../base/units'
import { wholeName } from '../../../state/filters'
import { Icicle } from '../../../widgets/charts/icicle_chart'
import type { Block, Nodes } from '../../../widgets/charts/icicle'
import { exactOf, shortOf } from '../metrics'
import type { Metric } from '../metrics'
import { childrenOf, lineage } from '../tree/tree'
import type { Tree } from '../tree/tree'

const FILL = { device: 'var(--c-kernel)', host: 'var(--c-other-host)' } as const

interface ModuleIcicleProps {
  readonly tree: Tree
  readonly metric: Metric
  readonly zoom: number
  readonly isFlame: boolean
  readonly selected: number
  readonly kept: ReadonlySet<number> | undefined
  /** -1: the whole profile. */
  readonly onChoose: (id: number) => void
}

export function ModuleIcicle({ tree, metric, ...shared }: ModuleIcicleProps) {
  const nodes = useMemo(() => moduleNodes(tree, metric), [tree, metric])
  const nameOf = (id: number | undefined): string =>
    tree.rows[id ?? -1]?.name ?? (id === undefined ? 'small modules' : wholeName())
  return (
    <Icicle
      {...shared}
      nodes={nodes}
      name={nameOf}
      short={({ value }) => shortOf(metric, value)}
      describe={(block) => describe(tree, nameOf(block.id), block, metric, nodes.total(-1))}
      fill={() => FILL[metric.side]}
      isPlain={(id) => tree.rows[id]?.kind !== 'module'}
      label={`${metric.label} by module, the outermost ${shared.isFlame ? 'at the bottom' : 'on top'}. The table below has the same rows.`}
    />
  )
}

export function moduleNodes(tree: Tree, metric: Pick<Metric, 'total' | 'own'>): Nodes {
  const of = (value: Metric['total'], id: number): number => {
    const row = tree.rows[id]
    return row === undefined ? 0 : value(row)
  }
  const whole = childrenOf(tree, -1).reduce((sum, id) => sum + of(metric.total, id), 0)
  return {
    childrenOf: (id) => childrenOf(tree, id),
    around: (id) => [...lineage(tree, id).slice(1).reverse()],
    total: (id) => (id < 0 ? whole : of(metric.total, id)),
    own: (id) => of(metric.own, id),
  }
}

function describe(tree: Tree, name: string, block: Block, metric: Metric, whole: number): string {
  const row = tree.rows[block.id ?? -1]
  const share = whole === 0 ? '' : ` · ${formatShare(block.value / whole)} of all`
  const own = row === undefined ? '' : `\nself ${shortOf(metric, block.value * block.ownShare)}`
  const value = `${shortOf(metric, block.value)} (${exactOf(metric, block.value)})`
  const inModel = row === undefined || row.qualified === '' ? '' : `\n${row.qualified}`
  return `${row?.path ?? name}${inModel}\n${metric.label} ${value}${share}${own}`
}
