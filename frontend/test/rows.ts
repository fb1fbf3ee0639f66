/** Rows for tests. */
import type { Figure } from '../src/widgets/table/column'

type Known<R> = { readonly [K in keyof R]?: Partial<R[K]> }

/** Figures that a test does not name are not recorded, so that a new column changes no test. */
export function rowOf<R>(figures: Readonly<Record<string, Figure>>, known: Known<R>): R {
  const row: Record<string, unknown> = { ...known }
  for (const [name, { path = [name] }] of Object.entries(figures)) {
    const [field = name, inner] = path
    const part = row[field] ?? null
    row[field] = inner === undefined || part === null ? part : { [inner]: null, ...part }
  }
  return row as R
}
