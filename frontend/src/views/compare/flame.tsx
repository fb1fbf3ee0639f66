/** The differences as a flame graph: what is longer, shorter, and on one side alone. The tree below it says the same. */
import { useMemo } from 'preact/hooks'

import { formatNs, signedNs } from '../../base/units'
import { at, go } from '../../state/place'
import { Icicle } from '../../widgets/charts/icicle_chart'
import type { Block } from '../../widgets/charts/icicle'
import type { ChangeRow, Pair } from '../../wire/wire'
import { flameNodes, onlyIn } from './flame_nodes'
import { markOf, meaningOf } from './words'

const WORDS = { a: ', only in A', b: ', only in B' }

export function Flame({ pair: { rows, step } }: { readonly pair: Pair }) {
  const nodes = useMemo(() => flameNodes(rows), [rows])
  const rowOf = (id: number | undefined): ChangeRow | undefined => (id === undefined ? undefined : rows[id + 1])
  const zoom = Number(at('compare.zoom') ?? 0) - 1
  return (
    <figure class="compare-flame">
      <Icicle
        nodes={nodes}
        name={(id) => rowOf(id)?.name ?? 'narrower ones'}
        short={({ id }) => figureOf(rowOf(id))}
        describe={(block) => describe(rowOf(block.id), block, step.delta_ns)}
        fill={(id) => fillOf(rowOf(id))}
        classOf={(id) => `is-only-${onlyIn(rowOf(id) ?? { a_ns: 1, b_ns: 1 }) ?? 'none'}`}
        label="Differences by row, each as wide as the longer side. The tree below has the same rows."
        zoom={zoom < rows.length - 1 ? zoom : -1}
        selected={-2}
        onChoose={(id) => go({ 'compare.zoom': id < 0 ? undefined : String(id + 1) })}
      />
      <figcaption class="soft">
        Width: the longer of A and B. Red is a finding that is longer in B, green one that is shorter, grey is noise.
        Dashed: only in A; outlined: only in B. A click looks closer.
      </figcaption>
    </figure>
  )
}

function figureOf(row: ChangeRow | undefined): string {
  return row === undefined ? '' : `${signedNs(row.delta_ns)} ${markOf(row.verdict, row.delta_ns)}`
}

function fillOf(row: ChangeRow | undefined): string {
  if (row?.verdict !== 'finding') return 'var(--text-soft)'
  return row.delta_ns > 0 ? 'var(--bad)' : 'var(--good)'
}

function describe(row: ChangeRow | undefined, { value }: Block, delta: number): string {
  if (row === undefined) return `${formatNs(value)}, together narrower than can be seen`
  if (row.parent < 0) return `step ${signedNs(delta)}`
  const only = onlyIn(row)
  const sides = `${formatNs(row.a_ns)} → ${formatNs(row.b_ns)}${only === undefined ? '' : WORDS[only]}`
  return `${row.name}\n${sides}\n${signedNs(row.delta_ns)}, ${meaningOf(row.verdict)}`
}
