/** The list of views. Links, so that a middle click opens another tab. */
import './nav.css'

import { plural } from '../base/units'
import { missingIn } from '../data/missing'
import { useReply } from '../data/reply'
import { runs, whyNoProfile } from '../data/runs'
import { adviceAsked } from '../state/filters'
import { addressOf, go } from '../state/place'
import type { Profile } from '../wire/profile'
import { views } from './views'
import type { ViewEntry } from './views'

interface NavProps {
  readonly current: string
  readonly profile: Profile | undefined
}

export function Nav({ current, profile }: NavProps) {
  const nothing = profile && whyNoProfile(runs.value.reply, profile)
  const missing = (view: ViewEntry): string | undefined =>
    view.isOfMany === true || view.id === 'ranks'
      ? missingIn(profile, view.id)
      : (nothing ?? missingIn(profile, view.id))
  return (
    <nav aria-label="Views">
      {views().map((view, index) => (
        <a
          key={view.id}
          href={addressOf({ view: view.id })}
          target="_top"
          aria-current={view.id === current ? 'page' : undefined}
          class={missing(view) === undefined ? '' : 'is-missing'}
          title={`${view.title}: ${missing(view) ?? view.question} (${index + 1})`}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
            event.preventDefault()
            go({ view: view.id })
          }}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={view.icon} />
          </svg>
          <span>{view.title}</span>
          {view.id === 'advice' && profile !== undefined && <AdviceCount profile={profile} />}
        </a>
      ))}
    </nav>
  )
}

/** How many findings there are: beside the view's title, known before it is opened. */
function AdviceCount({ profile }: { readonly profile: Profile }) {
  const reply = useReply('view/advice', profile, adviceAsked.value)
  const count = reply.value.value?.result?.findings.length ?? 0
  return count === 0 ? null : (
    <span class="nav-count" title={plural(count, 'finding')}>
      {count}
    </span>
  )
}
