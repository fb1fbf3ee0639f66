import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RefObject } from 'preact'

/** Width of a character of the 12 px monospace faces, in CSS pixels; cells clip what is a little wider. */
export const MONO_PX = 7.25

const LOW_WINDOW_PX = 800
const LOW_PART = 0.52

/** The height of a picture above a table: in a low window less, or no row of the table is in view. */
export function heightOf(px: number): number {
  return window.innerHeight > 0 && window.innerHeight < LOW_WINDOW_PX ? Math.round(px * LOW_PART) : px
}

/** The width of an element in CSS pixels, as it changes. A hidden tab has none: then the last one stays. */
export function useWidth<T extends HTMLElement>(otherwise: number): readonly [RefObject<T | null>, number] {
  const element = useRef<T>(null)
  const [width, setWidth] = useState(otherwise)
  useLayoutEffect(() => {
    const target = element.current
    if (target === null) return undefined
    const look = (): void => {
      if (target.clientWidth > 0) setWidth(target.clientWidth)
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(target)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
