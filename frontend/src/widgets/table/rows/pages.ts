/** A list on the server is asked for in pages, of which a few are kept. */

/** Rows asked for at once. */
export const PAGE_ROWS = 200
/** Pages kept, those used last: the page's memory does not grow with the list. */
export const PAGES_KEPT = 16

export interface Page<R> {
  readonly rows: readonly R[]
  readonly count: number
}

export type Load<R> = (offset: number, limit: number, signal: AbortSignal) => Promise<Page<R>>

export function pagesOf(first: number, end: number): number[] {
  const from = Math.floor(first / PAGE_ROWS)
  return Array.from({ length: Math.max(0, Math.ceil(end / PAGE_ROWS) - from) }, (_, index) => from + index)
}
