/** One figure of a line of figures: what it is, how much, and in small what it is made of. */
import './figure.css'

import type { ComponentChildren } from 'preact'

import type { Changes } from '../../state/hash'
import { PlaceLink } from '../links/place_link'
import { Definition } from './popup'

interface FigureProps {
  readonly title: string
  readonly definition: string
  /** Undefined where there is nothing to say: then `note` says why, in words. */
  readonly value: string | undefined
  readonly exact?: string
  readonly note: ComponentChildren
  /** Where the figure comes from: the value is a link there. */
  readonly to?: Changes | undefined
  readonly children?: ComponentChildren
}

export function Figure({ title, definition, value, exact, note, to, children }: FigureProps) {
  return (
    <section class="figure" aria-label={title}>
      <h2>
        {title} <Definition of={title} text={definition} />
      </h2>
      <p class="figure-value">
        {value === undefined || to === undefined ? (
          <span class={value === undefined ? 'is-absent' : 'value'} title={exact}>
            {value ?? 'not recorded'}
          </span>
        ) : (
          <PlaceLink to={to} class="value place-link" title={exact}>
            {value}
          </PlaceLink>
        )}
        {children}
      </p>
      <p class="soft">{note}</p>
    </section>
  )
}
