/** What is known of a profile while it is read, and the way out. Loaded when somebody waits. */
import { useState } from 'preact/hooks'

import { cutMiddle } from '../base/cut'
import { exactCount, formatNs, formatShare, plural } from '../base/units'
import { sentence } from '../data/reply'
import { cancelOpening } from '../data/send'
import type { Profile } from '../wire/profile'
import type { NameSoFar, SoFar, WaitReply } from '../wire/wire'

interface MeanwhileProps {
  readonly profile: Profile
  readonly waiting: WaitReply
}

/** Seconds of reading from which on a profile is worth a look before it is whole: what takes less comes at once. */
const WORTH_A_LOOK_S = 1.5

/** Of a name: the lines fit into a narrow window. */
const LETTERS = 70

export function Meanwhile({ profile, waiting: { so_far: soFar, seconds_left: secondsLeft } }: MeanwhileProps) {
  const [said, setSaid] = useState<string>()
  const cancel = (): void => {
    setSaid('Ending it…')
    cancelOpening(profile).catch((error: unknown) => setSaid(sentence(error)))
  }
  const pace: string[] = []
  if (soFar !== null) {
    const { n_events: n, seconds } = soFar
    pace.push(`${exactCount(n)} events read`, `${exactCount(Number((n / seconds).toPrecision(2)))} a second`)
  }
  if (secondsLeft !== null) pace.push(timeLeft(secondsLeft))
  return (
    <>
      <p class="actions">
        <button type="button" class="button" onClick={cancel} disabled={said !== undefined}>
          Cancel
        </button>
        <span class="value">{said ?? pace.join(' · ')}</span>
      </p>
      {soFar !== null && soFar.seconds >= WORTH_A_LOOK_S && <FirstLook soFar={soFar} />}
    </>
  )
}

function timeLeft(seconds: number): string {
  return seconds < 90 ? `about ${Math.ceil(seconds)} s left` : `about ${Math.ceil(seconds / 60)} min left`
}

function FirstLook({ soFar }: { readonly soFar: SoFar }) {
  const { part, rank, n_steps: nSteps, mean_step_ns: meanStep, device_names: names, n_tracks: nTracks } = soFar
  const facts = [...new Set(names), plural(nTracks, 'track')]
  if (rank !== null) facts.unshift(`rank ${rank}`)
  if (meanStep !== null) facts.push(`a step takes ${formatNs(meanStep)} on average`)
  for (const { name, busy_ns: busy, span_ns: span } of soFar.devices)
    if (span > 0) facts.push(`device ${name} busy ${formatShare(busy / span)} of ${formatNs(span)}`)
  return (
    <div class="so-far">
      <h3>
        So far: first {Math.floor(100 * part)} % of the file{nSteps > 0 && `, ${plural(nSteps, 'step')}`}
      </h3>
      <p class="soft">Partial: sums still grow, and most files list the work of devices last.</p>
      <p>{facts.join(' · ')}</p>
      <Names title="Operators" rows={soFar.operators} />
      <Names title="Kernels" rows={soFar.kernels} />
    </div>
  )
}

function Names({ title, rows }: { readonly title: string; readonly rows: readonly NameSoFar[] }) {
  if (rows.length === 0) return <p class="soft">{title}: none read yet</p>
  const lines = rows.map(
    ({ name, count, total_ns: total }) =>
      `${formatNs(total).padStart(9)} ${exactCount(count).padStart(9)} ×  ${cutMiddle(name, LETTERS)}`,
  )
  return (
    <>
      <h4>{title} of the most time so far</h4>
      <pre class="mono">{lines.join('\n')}</pre>
    </>
  )
}
