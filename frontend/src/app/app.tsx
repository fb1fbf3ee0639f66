/** The frame: top bar, navigation, and in the middle one view or what there is to say instead. */
import { useEffect } from 'preact/hooks'

import { openRequests } from '../data/busy'
import { runs } from '../data/runs'
import { addressOf, adjust, at, place } from '../state/place'
import { CopyButton } from '../widgets/clipboard'
import { choose, profileOf } from './choose'
import type { Choice } from './choose'
import { FilterBar } from './filters'
import { Help } from './help'
import { isHelpOpen } from './help_state'
import { focusSearch } from './keys'
import { Nav } from './nav'
import { Empty, Gone, Problems, Unknown } from './notices'
import { Pickers } from './pickers'
import { ViewSlot } from './view_slot'
import { VIEWS } from './views'

export function App() {
  const { reply, gone, error } = runs.value
  const entry = VIEWS.find((view) => view.id === at('view')) ?? VIEWS[0]
  const choice: Choice | undefined = reply === undefined ? undefined : choose(reply, place.value)
  const profile = choice === undefined ? undefined : profileOf(choice)

  // What was chosen for the user stands in the link too: it must show the same tomorrow.
  useEffect(() => {
    if (profile !== undefined) adjust({ ...profile })
  }, [profile?.run, profile?.worker, profile?.span])

  return (
    <div class="frame">
      <header class="top">
        {reply !== undefined && choice !== undefined && reply.runs.length > 0 && (
          <Pickers runs={reply.runs} choice={choice} />
        )}
        {profile !== undefined && <FilterBar profile={profile} taken={entry?.filters ?? []} />}
        <span class="grow" />
        <button type="button" class="button" title="Search in this view (/)" onClick={focusSearch}>
          Search <kbd>/</kbd>
        </button>
        <CopyButton label="Copy link" title="The address of exactly this view" text={() => addressOf()} />
        <button
          type="button"
          class="button"
          title="Keys (?)"
          aria-label="Keys and help"
          onClick={() => {
            isHelpOpen.value = true
          }}
        >
          ?
        </button>
      </header>
      {openRequests.value > 0 && <div class="busy-bar" role="presentation" />}
      <Nav current={entry?.id ?? ''} profile={profile} />
      <main tabIndex={-1}>
        <h1 class="sr-only">{entry?.title}</h1>
        {gone && <Gone />}
        {profile !== undefined && (reply?.problems.length ?? 0) > 0 && <Problems problems={reply?.problems ?? []} />}
        {error !== undefined && <p class="notice is-bad">{error}</p>}
        {reply !== undefined && choice?.unknown !== undefined && <Unknown what={choice.unknown} reply={reply} />}
        {reply !== undefined && choice?.unknown === undefined && profile === undefined && <Empty reply={reply} />}
        {profile !== undefined && entry !== undefined && <ViewSlot entry={entry} profile={profile} />}
      </main>
      {isHelpOpen.value && (
        <Help
          onClose={() => {
            isHelpOpen.value = false
          }}
        />
      )}
    </div>
  )
}
