/** A link to another place of the page: a click goes there, the middle button and Ctrl open a tab. */
import type { ComponentChildren } from 'preact'

import { FILTERS } from '../../state/filters'
import type { Changes } from '../../state/hash'
import { addressOf, go } from '../../state/place'

interface PlaceLinkProps {
  readonly to: Changes
  readonly class?: string
  readonly title?: string | undefined
  /** -1 where another element does the same by keyboard, such as the row of a table. */
  readonly tabIndex?: -1
  readonly children: ComponentChildren
}

export function PlaceLink({ to, class: className = 'place-link', title, tabIndex, children }: PlaceLinkProps) {
  if (IS_REPORT && FILTERS.some((id) => to[id] !== undefined))
    return <span title={title?.replace(/(?:Filter:|\. Click) .*/, '')}>{children}</span> // it answers what nothing is left out of
  return (
    <a
      href={addressOf(to)}
      target="_top"
      class={className}
      title={title}
      tabIndex={tabIndex}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}
