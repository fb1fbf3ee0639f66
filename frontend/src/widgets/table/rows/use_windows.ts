/** The windows of one list, asked for as they come into sight. The list before stays until the next one's first rows are there. */
import { useEffect, useRef, useState } from 'preact/hooks'

import { PAGES_KEPT, PAGE_ROWS, pagesOf } from './pages'
import type { Load } from './pages'
import type { Rows } from './rows'

const SCROLLING_MS = 40 // nothing is asked for what only flies by

interface Loaded<R> {
  readonly source: string
  readonly count: number
  /** By number, used last last. */
  readonly pages: Map<number, readonly R[]>
}

export interface Windows<R> {
  readonly rows: Rows<R>
  /** The number of rows is known. */
  readonly isKnown: boolean
  /** Shown is the list before. */
  readonly isOld: boolean
  readonly error: string | undefined
  /** Among the rows that are here; what was found last is remembered when it scrolls away. */
  readonly find: (is: (row: R) => boolean) => R | undefined
}

export function useWindows<R>(source: string, load: Load<R>): Windows<R> {
  const [loaded, setLoaded] = useState<Loaded<R>>()
  const [failed, setFailed] = useState<{ readonly source: string; readonly reason: string }>()
  const [, draw] = useState(0)
  const now = useRef(loaded)
  now.current = loaded
  const loadNow = useRef(load)
  loadNow.current = load

  const ask = (page: number, signal: AbortSignal): void => {
    loadNow
      .current(page * PAGE_ROWS, PAGE_ROWS, signal)
      .then(({ rows, count }) => {
        if (signal.aborted) return
        const before = now.current
        if (before?.source !== source) {
          now.current = { source, count, pages: new Map([[page, rows]]) }
          setLoaded(now.current)
          setFailed(undefined)
          return
        }
        before.pages.set(page, rows)
        for (const oldest of before.pages.keys()) {
          if (before.pages.size <= PAGES_KEPT) break
          before.pages.delete(oldest)
        }
        draw((times) => times + 1)
      })
      .catch((error: unknown) => {
        if (!signal.aborted) setFailed({ source, reason: error instanceof Error ? error.message : String(error) })
      })
  }
  useEffect(() => {
    if (now.current?.source === source) return undefined
    const stop = new AbortController()
    const timer = setTimeout(() => ask(0, stop.signal), now.current === undefined ? 0 : SCROLLING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [source])

  const found = useRef<R>(undefined)
  const find = (is: (row: R) => boolean): R | undefined => {
    for (const rows of loaded?.pages.values() ?? []) {
      const row = rows.find(is)
      if (row !== undefined) return (found.current = row)
    }
    return found.current !== undefined && is(found.current) ? found.current : undefined
  }
  const want = (first: number, end: number): (() => void) => {
    if (loaded?.source !== source) return () => undefined
    const stop = new AbortController()
    const timer = setTimeout(() => {
      for (const page of pagesOf(first, end)) {
        const rows = loaded.pages.get(page)
        if (rows === undefined) ask(page, stop.signal)
        else {
          // Used last: dropped last.
          loaded.pages.delete(page)
          loaded.pages.set(page, rows)
        }
      }
    }, SCROLLING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }
  return {
    rows: {
      count: loaded?.count ?? 0,
      rowAt: (position) => loaded?.pages.get(Math.floor(position / PAGE_ROWS))?.[position % PAGE_ROWS],
      want,
      key: loaded?.source,
      isFromTop: true,
    },
    isKnown: loaded !== undefined,
    isOld: loaded !== undefined && loaded.source !== source,
    error: failed?.source === source ? failed.reason : undefined,
    find,
  }
}
