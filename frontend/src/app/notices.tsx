/** What the frame says above what it shows: of another profile, no server, no such view. Where there is nothing to show: `no_profile.tsx`. */
import './notices.css'

import { plural } from '../base/units'
import { askAgain } from '../data/runs'

export function Deleted() {
  return (
    <div class="banner" role="status">
      The files of this profile are gone. What the page has of it stays until another one is chosen.
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

export function Late() {
  return (
    <div class="banner" role="status">
      The server takes questions and does not answer: it is busy, or was stopped. What is shown stays, and goes on as
      soon as it answers.
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
