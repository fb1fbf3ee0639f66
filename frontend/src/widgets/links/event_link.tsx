/** A link to one event in the timeline, with its neighbours in sight. */
import type { ComponentChildren } from 'preact'

import { windowAround } from '../../layout/event_window'
import type { EventRef } from '../../wire/wire'
import { PlaceLink } from './place_link'

const LEAST_WINDOW_NS = 20_000

interface EventLinkProps {
  readonly event: EventRef
  readonly title?: string
  readonly class?: string
  readonly children: ComponentChildren
}

export function EventLink({ event, title, class: className, children }: EventLinkProps) {
  const [t0, t1] = windowAround(event.start_ns, event.duration_ns, LEAST_WINDOW_NS)
  const to = {
    view: 'timeline',
    'timeline.t0_ns': String(t0),
    'timeline.t1_ns': String(t1),
    'timeline.row': String(event.row),
  }
  return (
    <PlaceLink
      to={to}
      {...(className === undefined ? {} : { class: className })}
      title={title ?? 'Show in the timeline'}
    >
      {children}
    </PlaceLink>
  )
}
