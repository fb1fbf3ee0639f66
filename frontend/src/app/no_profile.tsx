/** What the frame says when there is no profile to show: empty, scanning, or unknown. Its code comes when that is so. */
import { useEffect, useState } from 'preact/hooks'

import { askAgain } from '../data/runs'
import { at, go } from '../state/place'
import { CopyButton } from '../widgets/links/clipboard'
import { PlaceLink } from '../widgets/links/place_link'
import type { RunsReply } from '../wire/wire'

const ASK_MS = 1000
const MOST_ALIKE = 8
const SURE_MS = 4000 // a server that is asked every second looks again every other one

interface NoProfileProps {
  /** What the link names that is not there. */
  readonly unknown: string | undefined
  readonly reply: RunsReply
}

export function NoProfile({ unknown, reply }: NoProfileProps) {
  return unknown === undefined ? <Empty reply={reply} /> : <Unknown what={unknown} reply={reply} />
}

function Empty({ reply }: { readonly reply: RunsReply }) {
  return (
    <div class="notice">
      <h2>{reply.scanning ? 'Looking for profiles…' : 'No profiles yet'}</h2>
      <p>
        Searched {reply.logdirs.length === 0 ? 'no directory' : ''}
        {reply.logdirs.map((logdir) => (
          <code key={logdir}>{logdir}</code>
        ))}{' '}
        and all directories in it for{' '}
        {reply.searched.map((pattern, index) => (
          <span key={pattern}>
            {index > 0 && ', '}
            <code>{pattern}</code>
          </span>
        ))}
        , and into files called{' '}
        {reply.looked_into.map((pattern, index) => (
          <span key={pattern}>
            {index > 0 && ', '}
            <code>{pattern}</code>
          </span>
        ))}
        . New files appear here by themselves.
      </p>
      {!reply.scanning && reply.runs.length > 0 && (
        <p>What is there was written by other tools than torch: choose it above to see it.</p>
      )}
      {reply.problems.map((problem) => (
        <p key={problem} class="is-bad">
          {problem}
        </p>
      ))}
      <p>To record one, put these lines around the training loop:</p>
      <pre>{reply.how_to_record}</pre>
      <p class="actions">
        <CopyButton label="Copy the lines" text={() => reply.how_to_record} />
        <button type="button" class="button" onClick={askAgain}>
          Look again now
        </button>
      </p>
    </div>
  )
}

/** A link may be younger than the server's list: nothing is denied before that has been made again. */
function Unknown({ what, reply }: { readonly what: string; readonly reply: RunsReply }) {
  const [isSure, setSure] = useState(false)
  useEffect(() => {
    setSure(false)
    const asking = setInterval(askAgain, ASK_MS)
    const sure = setTimeout(() => {
      clearInterval(asking)
      setSure(true)
    }, SURE_MS)
    return () => {
      clearInterval(asking)
      clearTimeout(sure)
    }
  }, [what])
  const isLooking = reply.scanning || !isSure
  const asked = at('run')
  // Its folder was moved, or holds the runs and is none itself.
  const isAlike = (name: string) => asked !== undefined && (name.includes(asked) || asked.includes(name))
  const alike = reply.runs.map(({ name }) => name).filter(isAlike)
  return (
    <div class="notice" role="status">
      <h2>{isLooking ? `Looking for ${what}…` : `There is no ${what}`}</h2>
      <p>
        {isLooking
          ? 'The log directory is being searched.'
          : 'It was moved or deleted, or the link is for another log directory.'}
      </p>
      {isSure && alike.length > 0 && (
        <p>
          Runs with names like it:
          {alike.slice(0, MOST_ALIKE).map((run, index) => (
            <span key={run}>
              {index > 0 ? ', ' : ' '}
              <PlaceLink to={{ run, worker: undefined, span: undefined }} class="link">
                {run}
              </PlaceLink>
            </span>
          ))}
        </p>
      )}
      {isSure && (
        <button type="button" class="button" onClick={() => go({ run: undefined, worker: undefined, span: undefined })}>
          Show the newest profile
        </button>
      )}
    </div>
  )
}
