/** What the frame says when there is no profile to show: empty, scanning, unknown, or no server. */
import './notices.css'

import { plural } from '../base/units'
import { askAgain } from '../data/runs'
import { go } from '../state/place'
import { CopyButton } from '../widgets/links/clipboard'
import type { RunsReply } from '../wire/wire'

export function Empty({ reply }: { readonly reply: RunsReply }) {
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

export function Unknown({ what, reply }: { readonly what: string; readonly reply: RunsReply }) {
  return (
    <div class="notice">
      <h2>There is no {what}</h2>
      <p>
        {reply.scanning
          ? 'The log directory is still being searched; it may yet appear.'
          : 'It was moved or deleted, or the link is for another log directory.'}
      </p>
      <button type="button" class="button" onClick={() => go({ run: undefined, worker: undefined, span: undefined })}>
        Show the newest profile
      </button>
    </div>
  )
}

export function Deleted() {
  return (
    <div class="banner" role="status">
      The files of this profile are gone. What is shown stays until another one is chosen.
    </div>
  )
}

/** The profile that would be shown cannot be read. */
export function PassedOver({ reason }: { readonly reason: string }) {
  return (
    <div class="banner" role="status">
      {reason} Shown is the next profile that can.
    </div>
  )
}

/** A link of another version, or with a slip of the pen: never another view in silence. */
export function UnknownView({ asked, shown }: { readonly asked: string; readonly shown: string }) {
  return (
    <div class="banner" role="status">
      There is no view “{asked}”. This is {shown}.
    </div>
  )
}

/** The login of a proxy ran out: it answers with its own page. */
export function SignedOut() {
  return (
    <div class="banner" role="alert">
      What stands in front of the server asks to sign in again. What is shown stays; reload the page to sign in.
      <button type="button" class="button" onClick={() => window.parent.location.reload()}>
        Reload
      </button>
    </div>
  )
}

export function Gone() {
  return (
    <div class="banner" role="alert">
      The server does not answer. What is shown stays; the page asks again every few seconds.
      <button type="button" class="button" onClick={askAgain}>
        Try now
      </button>
    </div>
  )
}

/** What could not be read in the log directories, while the rest could. */
export function Problems({ problems }: { readonly problems: readonly string[] }) {
  return (
    <details class="banner">
      <summary>{plural(problems.length, 'thing', 'things')} in the log directory could not be read</summary>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </details>
  )
}
