import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RefObject } from 'preact'

/** The ref of a panel that is scrolled into view when it opens and when it is about something else: in a narrow window panels lie
    below each other. */
export function useSeen(about?: unknown, panel = useRef<HTMLElement>(null)): RefObject<HTMLElement | null> {
  useLayoutEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [about])
  return panel
}
