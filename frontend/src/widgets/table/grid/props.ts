import type { Column } from '../column'
import type { Sort } from '../rows/order'
import type { Figures, Rows } from '../rows/rows'

/** Of a tree: what a row says of its level, and whether it is open. */
export interface RowAttributes {
  readonly 'aria-level': number
  readonly 'aria-expanded': boolean | undefined
}

export interface GridProps<R> {
  /** What it is called; widths of columns are kept under this name. */
  readonly label: string
  readonly rows: Rows<R>
  readonly figures?: Figures<R> | undefined
  readonly columns: readonly Column<R>[]
  readonly sort: Sort
  /** `add`: sort by this column after the others, not instead of them. */
  readonly onSort: (column: Column<R>, add: boolean) => void
  /** A position, or -1. */
  readonly active: number
  readonly isOpen: (row: R) => boolean
  readonly onActive: (position: number) => void
  readonly onOpen: (position: number, byKey: boolean) => void
  readonly onMenu: (position: number, column: Column<R>, x: number, y: number) => void
  readonly attributes?: ((row: R) => RowAttributes) | undefined
}
