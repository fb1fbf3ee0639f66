/** What is known of a profile while it is read or worked out, and the way out. Loaded when somebody waits. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { cutMiddle } from '../base/cut'
import { exactCount, formatNs, formatShare, plural } from '../base/units'
import { sentence } from '../data/reply'
import { pause, poll } from '../data/request'
import { runs, spanOf } from '../data/runs'
import { cancelOpening } from '../data/send'
import { at } from '../state/place'
import type { Profile } from '../wire/profile'
import type { LaneSoFar, NameSoFar, SoFar, WaitReply, WorkReply, Working } from '../wire/wire'
import { Files } from './files'
import './meanwhile.css'

interface MeanwhileProps {
  readonly profile: Profile
  readonly waiting: WaitReply | undefined
}

/** Seconds of reading from which on a profile is worth a look before it is whole: what takes less comes at once. */
const WORTH_A_LOOK_S = 1.5

/** Without a word about its loading: then it is asked what is worked out. Words about loading come each second. */
const SILENT_MS = 1200
const EVERY_MS = 500

/** Of a name: the lines fit into a narrow window. */
const LETTERS = 60

/** Names, where the view is about something else. */
const FEW = 8

export function Meanwhile({ profile, waiting }: MeanwhileProps) {
  const working = useWorking(profile, waiting)
  if (working.length > 0) return <WorkedOut profile={profile} working={working} />
  if (waiting === undefined) return <p class="notice is-late">Asking the server…</p>
  const { so_far: soFar, seconds_left: secondsLeft } = waiting
  const percent = Math.round(waiting.progress * 100)
  const span = spanOf(runs.value.reply, profile)
  const pace: string[] = []
  if (soFar !== null) {
    const { n_events: n, seconds } = soFar
    pace.push(`${exactCount(n)} events read`)
    if (waiting.stage === 'reading') pace.push(`${exactCount(Number((n / seconds).toPrecision(2)))} a second`)
  }
  if (secondsLeft !== null) pace.push(timeLeft(secondsLeft))
  return (
    <div class="notice" role="status">
      <h2>{waiting.state === 'queued' ? 'Waiting for its turn' : `Loading: ${waiting.stage}`}</h2>
      <p class="progress">
        <progress max={100} value={percent} aria-label="Loading" /> <span class="value">{percent} %</span>
      </p>
      {span !== undefined && <Files names={span.files} bytes={span.size_bytes} />}
      <p class="soft">The page shows it as soon as it is there. Other profiles can be chosen meanwhile.</p>
      <Cancel profile={profile}>{pace.join(' · ')}</Cancel>
      {soFar !== null && soFar.seconds >= WORTH_A_LOOK_S && <FirstLook soFar={soFar} />}
    </div>
  )
}

/** What is worked out about a profile, asked once nothing was heard of its loading for a moment. */
function useWorking(profile: Profile, waiting: WaitReply | undefined): readonly Working[] {
  const [working, setWorking] = useState<readonly Working[]>([])
  useEffect(() => {
    const stop = new AbortController()
    const follow = async (): Promise<void> => {
      for (let ms = SILENT_MS; ; ms = EVERY_MS) {
        await pause(ms, stop.signal)
        const reply = await poll('work', { ...profile }, (response) => response.json() as Promise<WorkReply>, stop)
        setWorking(reply.working)
      }
    }
    setWorking([])
    follow().catch(() => undefined) // it is over, or the server is gone, which the page says by itself
    return () => stop.abort()
  }, [waiting])
  return working
}

function WorkedOut({ profile, working }: { readonly profile: Profile; readonly working: readonly Working[] }) {
  return (
    <div class="notice" role="status">
      <h2>The profile is open, its answer is being worked out</h2>
      {working.map(({ question, part, n_parts: nth, seconds }) => (
        <p key={question}>
          {titleOf(question)}: {part !== '' && `${part} (part ${nth}), `}
          <span class="value">{Math.floor(seconds)} s</span> so far
        </p>
      ))}
      <p class="soft">The page shows it as soon as it is there. Other profiles can be chosen meanwhile.</p>
      <Cancel profile={profile} />
    </div>
  )
}

/** `What if` for `view/whatif`; a further question of a view has no title. */
function titleOf(question: string): string {
  const id = question.replace('view/', '')
  return runs.value.reply?.views.find((view) => view.id === id)?.title ?? id
}

function Cancel({ profile, children }: { readonly profile: Profile; readonly children?: ComponentChildren }) {
  const [said, setSaid] = useState<string>()
  const cancel = (): void => {
    setSaid('Ending it…')
    cancelOpening(profile).catch((error: unknown) => setSaid(sentence(error)))
  }
  return (
    <p class="actions">
      <button type="button" class="button" onClick={cancel} disabled={said !== undefined}>
        Cancel
      </button>
      <span class="value">{said ?? children}</span>
    </p>
  )
}

function timeLeft(seconds: number): string {
  return `about ${seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`} left`
}

function FirstLook({ soFar }: { readonly soFar: SoFar }) {
  const { part, rank, n_steps: nSteps, mean_step_ns: meanStep, device_names: names, n_tracks: nTracks } = soFar
  const view = at('view')
  const n = view === 'operators' || view === 'kernels' ? Infinity : FEW
  const facts = [...(rank === null ? [] : [`rank ${rank}`]), ...new Set(names), plural(nTracks, 'track')]
  if (meanStep !== null) facts.push(`a step takes the host ${formatNs(meanStep)} on average`)
  for (const { name, busy_ns: busy, span_ns: span } of soFar.devices)
    if (span > 0) facts.push(`device ${name} busy ${formatShare(busy / span)} of ${formatNs(span)}`)
  return (
    <div class="so-far">
      <h3>So far{nSteps > 0 && `: ${plural(nSteps, 'step')}`}</h3>
      <p class="soft">
        {part < 1
          ? 'Partial: a large file is read from both its ends, sums still grow.'
          : 'The whole file is read, and is being put in order.'}
      </p>
      <p>{facts.join(' · ').replace(/(\d) (?=[^·])/g, '$1\u00a0')}</p>
      {n === FEW && <Picture soFar={soFar} />}
      {view !== 'kernels' && <Names title="Operators" rows={soFar.operators.slice(0, n)} />}
      {view !== 'operators' && <Names title="Kernels" rows={soFar.kernels.slice(0, n)} />}
    </div>
  )
}

/** What is read of devices and threads, over the time it covers: as strong as it is busy. */
function Picture({ soFar: { lanes, span_ns: span } }: { readonly soFar: SoFar }) {
  if (lanes.length === 0) return null
  return (
    <>
      <h4>
        What ran in {formatNs(span)}: the stronger, the more of the time
        {lanes.some(({ shares }) => shares.includes(null)) && '; hatched where nothing is read yet'}
      </h4>
      <div class="so-far-lanes">
        {lanes.map((lane) => (
          <Lane key={`${lane.is_device}${lane.name}`} lane={lane} />
        ))}
      </div>
    </>
  )
}

function Lane({ lane: { name, is_device: isDevice, shares } }: { readonly lane: LaneSoFar }) {
  const said = `${isDevice ? 'device' : 'thread'} ${name}`
  const known = shares.filter((share) => share !== null)
  const mean = known.reduce((sum, share) => sum + share, 0) / known.length
  return (
    <>
      <span class="soft">{said}</span>
      <svg
        viewBox={`0 0 ${shares.length} 1`}
        preserveAspectRatio="none"
        class={isDevice ? 'is-device' : undefined}
        role="img"
        aria-label={`${said}: something ran in ${formatShare(mean)} of what is read`}
      >
        {shares.map(
          (share, at) =>
            share !== null && (
              <>
                <rect x={at} width={1.02} height={1} class="is-read" />
                <rect x={at} width={1.02} height={1} fill-opacity={share} />
              </>
            ),
        )}
      </svg>
    </>
  )
}

function Names({ title, rows }: { readonly title: string; readonly rows: readonly NameSoFar[] }) {
  if (rows.length === 0) return <p class="soft">{title}: none read yet</p>
  const lines = rows.map(
    ({ name, count, total_ns: total }) =>
      `${formatNs(total).padStart(9)} ${exactCount(count).padStart(9)} × ${formatNs(total / count).padStart(9)}  ${cutMiddle(name, LETTERS)}`,
  )
  return (
    <>
      <h4>{title} of the most time: sum, count × mean</h4>
      <pre class="mono">{lines.join('\n')}</pre>
    </>
  )
}
