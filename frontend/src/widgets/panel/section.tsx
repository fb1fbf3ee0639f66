/** What is behind a row, in its side panel: sections, each a title with its definition. */
import './section.css'

import type { ComponentChildren } from 'preact'

import { Definition } from './popup'

export function Sections({
  isPending,
  children,
}: {
  readonly isPending: boolean
  readonly children: ComponentChildren
}) {
  return <div class={isPending ? 'sections is-pending' : 'sections'}>{children}</div>
}

interface SectionProps {
  readonly title: string
  readonly definition?: string
  readonly children: ComponentChildren
}

export function Section({ title, definition, children }: SectionProps) {
  return (
    <section>
      <h3>
        {title}
        {definition !== undefined && <Definition of={title} text={definition} />}
      </h3>
      {children}
    </section>
  )
}
