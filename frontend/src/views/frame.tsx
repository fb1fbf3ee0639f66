/** What every view is wrapped in: loading with its progress, failed with its reason, missing with its sentence, or the result. */
import './frame.css'

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { noteMissing } from '../data/missing'
import type { Reply } from '../data/reply'
import { askAgain, isCancelled, runs, spanOf, tryAgain, whyNoProfile } from '../data/runs'
import { NO_FILTERS, filters } from '../state/filters'
import { go } from '../state/place'
import { PlaceLink } from '../widgets/links/place_link'
import type { Profile } from '../wire/profile'
import type { ViewReply } from '../wire/wire'
import { Files } from './files'
import type { Meanwhile } from './meanwhile'

interface ViewFrameProps<T> {
  readonly profile: Profile
  readonly reply: Reply<ViewReply<T>>
  readonly children: (result: T) => ComponentChildren
}

export function ViewFrame<T>({ profile, reply, children }: ViewFrameProps<T>) {
  const { value, pending, waiting, error, isRefused } = reply
  useEffect(() => {
    if (value !== undefined && !pending) noteMissing(profile, value.view, value.missing)
  }, [value, pending])
  useEffect(() => {
    // Asking started or ended the loading: the pickers should say so now, not at the next turn.
    const isMoving = !pending || waiting !== undefined
    if (isMoving && spanOf(runs.value.reply, profile)?.state !== 'ready') askAgain()
  }, [pending, waiting === undefined])
  if (error !== undefined && isRefused === true) return <Refused reason={error} />
  if (error !== undefined) return <Failed profile={profile} reason={error} />
  // What is shown of a file that has changed stays until the new one is read.
  if (value === undefined || (waiting !== undefined && value.result === null))
    return <Loading profile={profile} reply={reply} />
  if (value.missing !== null) return <p class="notice">{value.missing}</p>
  if (value.result === null) return <p class="notice">This profile has no answer to this question.</p>
  return (
    <div class={pending ? 'view-body is-pending' : 'view-body'}>
      {waiting !== undefined && (
        <p class="view-note" role="status">
          The file has changed, what is shown was read before. Loading: {waiting.stage}
          {waiting.progress > 0 && `, ${Math.round(waiting.progress * 100)} %`}
        </p>
      )}
      {value.notes.map((note) => (
        <p key={note} class="view-note" role="status">
          {note}
        </p>
      ))}
      {children(value.result)}
    </div>
  )
}

/** In the server's words: it alone knows what it can read. */
function Refused({ reason }: { readonly reason: string }) {
  return (
    <div class="notice is-bad" role="alert">
      <h2>What is asked cannot be shown</h2>
      <p>{reason}</p>
      {Object.keys(filters.value).length > 0 && (
        <button type="button" class="button" onClick={() => go(NO_FILTERS)}>
          Remove all filters
        </button>
      )}
    </div>
  )
}

/** Nothing went wrong: what is there is Ranks' to tell. */
function OnlyInRanks({ reason }: { readonly reason: string }) {
  return (
    <div class="notice" role="status">
      <h2>There is no profile here</h2>
      <p>
        {reason}.{' '}
        <PlaceLink class="link" to={{ view: 'ranks' }}>
          Open Ranks
        </PlaceLink>
      </p>
    </div>
  )
}

export function Failed({ profile, reason }: { readonly profile: Profile; readonly reason: string }) {
  const nothing = whyNoProfile(runs.value.reply, profile)
  if (nothing !== undefined) return <OnlyInRanks reason={nothing} />
  const span = spanOf(runs.value.reply, profile)
  return (
    <div class="notice is-bad" role="alert">
      <h2>
        {isCancelled(reason)
          ? 'Cancelled'
          : span?.state === 'ready'
            ? 'This question has no answer'
            : 'This profile cannot be shown'}
      </h2>
      <p>{reason}</p>
      {span !== undefined && !span.files.some((file) => reason.includes(file)) && (
        <Files names={span.files} bytes={span.size_bytes} />
      )}
      <p>Other runs, workers and spans can still be chosen above.</p>
      <p class="actions">
        <button type="button" class="button" onClick={() => void tryAgain(profile)}>
          Try again
        </button>
        <button type="button" class="button" onClick={askAgain}>
          Look for new files
        </button>
      </p>
    </div>
  )
}

function Loading({ profile, reply }: { readonly profile: Profile; readonly reply: Reply<unknown> }) {
  const [meanwhile, setMeanwhile] = useState<{ readonly Meanwhile: typeof Meanwhile }>()
  useEffect(() => {
    import('./meanwhile').then(setMeanwhile).catch(() => undefined) // the server is gone, which the page says by itself
  }, [])
  if (meanwhile === undefined) return <p class="notice is-late">Asking the server…</p>
  return <meanwhile.Meanwhile profile={profile} waiting={reply.waiting} />
}
