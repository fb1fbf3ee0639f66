/** The frame: top bar, navigation, and in the middle one view or what there is to say instead. */
import './app.css'

import { useEffect, useRef, useState } from 'preact/hooks'

import { openRequests } from '../data/busy'
import { runs } from '../data/runs'
import { addressOf, adjust, go, place } from '../state/place'
import { CopyButton } from '../widgets/links/clipboard'
import type { Profile } from '../wire/profile'
import { choose, instead, isNamed, profileOf } from './bar/choose'
import type { Choice, Opened } from './bar/choose'
import { FilterBar } from './bar/filters'
import { FileMenu } from './bar/file_menu'
import { Help, openHelp, openPalette } from './help'
import { focusSearch } from './keys'
import { Nav } from './nav'
import type { NoProfile } from './no_profile'
import { Deleted, Gone, Late, PassedOver, Problems, SignedOut, UnknownView } from './notices'
import { Pickers } from './bar/pickers'
import { askedInVain, noteUnknownView, shownView } from './slot/shown_view'
import { ViewSlot } from './slot/view_slot'

export function App() {
  const { reply, gone, late, signedOut, error } = runs.value
  const entry = shownView()
  const choice: Choice | undefined = reply === undefined ? undefined : choose(reply, place.value)
  const main = useRef<HTMLElement>(null)
  const last = useRef<Profile | undefined>(undefined)
  const found = choice === undefined ? undefined : profileOf(choice)
  const isDeleted = found === undefined && last.current !== undefined && isNamed(last.current, place.value)
  const chosen = isDeleted ? last.current : found
  last.current = chosen
  const isOfMany = entry?.isOfMany === true
  // Where many are shown, nothing is asked about one of them.
  const profile = entry === undefined || isOfMany ? undefined : chosen
  const hasView = isOfMany ? (reply?.runs.length ?? 0) > 0 : profile !== undefined

  const opened = useRef<Opened | undefined>(undefined)
  const passedOver = useRef<{ readonly profile: Profile; readonly reason: string } | undefined>(undefined)
  const next = reply === undefined ? undefined : instead(reply, opened.current, profile)
  useEffect(() => {
    if (next === undefined || opened.current === undefined) return
    passedOver.current = next
    opened.current = { ...opened.current, profile: next.profile }
    adjust({ ...next.profile })
  }, [next?.profile.run, next?.profile.worker, next?.profile.span])

  // What was chosen for the user stands in the link too: it must show the same tomorrow.
  useEffect(() => {
    if (entry === undefined || !hasView) return
    if (profile !== undefined && !isNamed(profile, place.value)) opened.current = { profile, asked: place.value }
    noteUnknownView(entry.id)
    adjust({ view: entry.id, ...profile })
  }, [entry?.id, place.value['view'], hasView, profile?.run, profile?.worker, profile?.span])

  return (
    <div class="frame">
      <button
        type="button"
        class="button skip"
        onClick={() => (main.current?.querySelector<HTMLElement>('canvas[tabindex]') ?? main.current)?.focus()}
      >
        Skip to the view
      </button>
      <header class="top">
        {reply !== undefined && choice !== undefined && reply.runs.length > 0 && (
          <Pickers
            runs={reply.runs}
            choice={choice}
            onChoose={(changes) => go(isOfMany ? { view: undefined, ...changes } : changes)}
          />
        )}
        {hasView && <FilterBar profile={IS_REPORT ? undefined : profile} taken={entry?.filters ?? []} />}
        {IS_REPORT && (
          <span class="soft" title="One file, written by tb-plugin report. What has no room in it: tb-plugin serve">
            Report
          </span>
        )}
        <span class="grow" />
        <FileMenu title={entry?.title ?? ''} profile={profile} hasView={hasView} />
        <button
          type="button"
          class="button"
          title="Search in this view, or all names where it has no search (/)"
          onClick={focusSearch}
        >
          Search <kbd>/</kbd>
        </button>
        <CopyButton label="Copy link" title="The address of exactly this view" text={() => addressOf()} />
        <button type="button" class="button" title="Go to a view, a step or a name (Ctrl+K)" onClick={openPalette}>
          Go to
        </button>
        <button type="button" class="button" title="Keys (?)" aria-label="Keys and help" onClick={openHelp}>
          ?
        </button>
      </header>
      {openRequests.value > 0 && <div class="busy-bar" role="presentation" />}
      <Nav current={entry?.id ?? ''} profile={profile} />
      <main ref={main} tabIndex={-1}>
        <h1 class="sr-only">{entry?.title ?? 'PyTorch Profiler'}</h1>
        {signedOut ? <SignedOut /> : gone ? <Gone /> : late && <Late />}
        {isDeleted && !isOfMany && <Deleted />}
        {passedOver.current !== undefined && isNamed(passedOver.current.profile, place.value) && (
          <PassedOver reason={passedOver.current.reason} />
        )}
        {askedInVain(entry?.id) !== undefined && (
          <UnknownView asked={askedInVain(entry?.id) ?? ''} shown={entry?.title ?? ''} />
        )}
        {hasView && (reply?.problems.length ?? 0) > 0 && <Problems problems={reply?.problems ?? []} />}
        {error !== undefined && <p class="notice is-bad">{error}</p>}
        {reply !== undefined && !hasView && <Nothing unknown={choice?.unknown} reply={reply} />}
        {hasView && entry !== undefined && <ViewSlot entry={entry} profile={chosen} />}
      </main>
      <Help />
    </div>
  )
}

/** Few see it: its code comes then. */
function Nothing(props: Parameters<typeof NoProfile>[0]) {
  const [code, setCode] = useState<{ readonly NoProfile: typeof NoProfile }>()
  useEffect(() => void import('./no_profile').then(setCode).catch(() => undefined), []) // the server is gone, which the page says
  return code === undefined ? null : <code.NoProfile {...props} />
}
