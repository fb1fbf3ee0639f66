/** Cells that are more than a number. */
import { categoryOf } from '../../base/categories'
import { formatShare } from '../../base/units'
import type { KernelRow } from '../../wire/wire'

/** Of one kernel a word, of several the share of their time. */
export function matrixWord(row: KernelRow): string | null {
  if (row.matrix_core !== 'several') return row.matrix_core
  const unknown =
    row.matrix_unknown_ns > 0 ? `, ${formatShare(row.matrix_unknown_ns / Math.max(row.total_ns, 1))} unknown` : ''
  return `${formatShare(row.matrix_ns / Math.max(row.total_ns, 1))} of time${unknown}`
}

export function categoryCell(row: KernelRow) {
  const category = categoryOf(row.category)
  if (category === undefined) return <span class="is-absent">several</span>
  return (
    <>
      <span class="swatch" style={{ background: category.color }} /> {category.title}
    </>
  )
}
