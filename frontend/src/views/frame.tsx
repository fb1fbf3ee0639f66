/** What every view is wrapped in: loading with its progress, failed with its reason, missing with its sentence, or the result. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import { formatBytes } from '../base/units'
import type { Reply } from '../data/reply'
import { noteMissing } from '../data/missing'
import { askAgain, runs, spanOf } from '../data/runs'
import type { ViewReply } from '../data/wire'
import type { Profile } from './props'

interface ViewFrameProps<T> {
  readonly profile: Profile
  readonly reply: Reply<ViewReply<T>>
  readonly children: (result: T) => ComponentChildren
}

export function ViewFrame<T>({ profile, reply, children }: ViewFrameProps<T>) {
  const { value, pending, waiting, error } = reply
  useEffect(() => {
    if (value !== undefined && !pending) noteMissing(profile, value.view, value.missing)
  }, [value, pending])
  useEffect(() => {
    // Asking started or ended the loading: the pickers should say so now, not at the next turn.
    const isMoving = !pending || waiting !== undefined
    if (isMoving && spanOf(runs.value.reply, profile)?.state !== 'ready') askAgain()
  }, [pending, waiting === undefined])
  if (error !== undefined) return <Failed profile={profile} reason={error} />
  if (value === undefined || waiting !== undefined) return <Loading profile={profile} reply={reply} />
  if (value.missing !== null) return <p class="notice">{value.missing}</p>
  if (value.result === null) return <p class="notice">This profile has no answer to this question.</p>
  return <div class={pending ? 'view-body is-pending' : 'view-body'}>{children(value.result)}</div>
}

export function Failed({ profile, reason }: { readonly profile: Profile; readonly reason: string }) {
  const span = spanOf(runs.value.reply, profile)
  return (
    <div class="notice is-bad" role="alert">
      <h2>This profile cannot be shown</h2>
      <p>{reason}</p>
      {span !== undefined && !span.files.some((file) => reason.includes(file)) && (
        <Files names={span.files} bytes={span.size_bytes} />
      )}
      <p>Other runs, workers and spans can still be chosen above.</p>
      <button type="button" class="button" onClick={askAgain}>
        Look for new files
      </button>
    </div>
  )
}

function Loading({ profile, reply }: { readonly profile: Profile; readonly reply: Reply<unknown> }) {
  const { waiting } = reply
  const span = spanOf(runs.value.reply, profile)
  const percent = Math.round((waiting?.progress ?? 0) * 100)
  if (waiting === undefined) return <p class="notice is-late">Asking the server…</p>
  return (
    <div class="notice" role="status">
      <h2>{waiting.state === 'queued' ? 'Waiting for its turn' : `Loading: ${waiting.stage}`}</h2>
      <p class="progress">
        <progress max={100} value={percent} aria-label="Loading" /> <span class="value">{percent} %</span>
      </p>
      {span !== undefined && <Files names={span.files} bytes={span.size_bytes} />}
      <p class="soft">The page shows the profile as soon as it is read. Others can be chosen meanwhile.</p>
    </div>
  )
}

function Files({ names, bytes }: { readonly names: readonly string[]; readonly bytes: number }) {
  return (
    <p class="mono">
      {names.join(', ')} <span class="soft">{formatBytes(bytes)}</span>
    </p>
  )
}
