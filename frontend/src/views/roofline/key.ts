import type { RooflineRow } from '../../wire/wire'

/** What a row is called in the link. */
export function keyOf(row: RooflineRow): string {
  return [row.name, row.shapes, row.types, row.is_call ? null : 'kernel'].filter((part) => part !== null).join(' ')
}

/** The operator with its shapes, as `aten::mm 8944×1024 · 1024×2816`: many rows have one operator. */
export function nameOf({ name, shapes }: RooflineRow): string {
  if (shapes === null) return name
  const inner = shapes.match(/\[[\d, ]+\]/g) ?? []
  const sizes = inner.slice(0, MOST).map((shape) => shape.replace(/[[\] ]/g, '').replace(/,/g, '×'))
  return [name, sizes.join(' · '), inner.length > MOST ? '…' : ''].filter((part) => part !== '').join(' ')
}

const MOST = 4
