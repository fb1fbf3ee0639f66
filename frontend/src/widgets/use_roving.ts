/** Many buttons, one stop of the Tab key: arrows go from one to the next, Home and End to the ends. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const AWAY = '[popover], input, [aria-hidden="true"]'

/** Of a box. Buttons that come later belong to it too; those of what pops up do not, and nothing that takes arrows itself. */
export function useRoving<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let last: HTMLElement | undefined
    const settle = (): void => {
      const all = buttonsIn(element)
      if (last === undefined || !all.includes(last)) [last] = all
      for (const button of all) button.tabIndex = button === last ? 0 : -1
    }
    const took = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement) || !buttonsIn(element).includes(target)) return
      last = target
      settle()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const all = buttonsIn(element)
      const place = all.indexOf(event.target as HTMLElement)
      const next = all[nextOf(event.key, place, all.length) ?? -1]
      if (place < 0 || next === undefined) return
      event.preventDefault()
      event.stopPropagation() // the view has these keys too
      next.focus()
    }
    settle()
    const seen = new MutationObserver(settle)
    seen.observe(element, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
    element.addEventListener('focusin', took)
    element.addEventListener('keydown', onKey)
    return () => {
      seen.disconnect()
      element.removeEventListener('focusin', took)
      element.removeEventListener('keydown', onKey)
    }
  }, [])
  return box
}

function buttonsIn(box: HTMLElement): HTMLElement[] {
  return Array.from(box.querySelectorAll<HTMLElement>('button:not(:disabled)')).filter(
    (button) => button.closest(AWAY) === null,
  )
}

/** Undefined for other keys; at the ends it stays. */
function nextOf(key: string, place: number, n: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return Math.min(place + 1, n - 1)
  if (key === 'ArrowLeft' || key === 'ArrowUp') return Math.max(place - 1, 0)
  if (key === 'Home') return 0
  return key === 'End' ? n - 1 : undefined
}
