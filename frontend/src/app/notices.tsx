/** What the frame says when there is no profile to show: empty, scanning, unknown, or no server. */
import { plural } from '../base/units'
import type { RunsReply } from '../data/wire'
import { askAgain } from '../data/runs'
import { go } from '../state/place'
import { CopyButton } from '../widgets/clipboard'

const RECORD = `from tb_plugin import tensorboard_trace_handler
with torch.profiler.profile(on_trace_ready=tensorboard_trace_handler("logs")) as prof:
    train()  # call prof.step() after each step`

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
            {index > 0 && ' and '}
            <code>{pattern}</code>
          </span>
        ))}
        . New files appear here by themselves.
      </p>
      {reply.problems.map((problem) => (
        <p key={problem} class="is-bad">
          {problem}
        </p>
      ))}
      <p>To record one, put these lines around the training loop:</p>
      <pre>{RECORD}</pre>
      <p class="actions">
        <CopyButton label="Copy the lines" text={() => RECORD} />
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

/** Directories that could not be read, while others could. */
export function Problems({ problems }: { readonly problems: readonly string[] }) {
  return (
    <details class="banner">
      <summary>{plural(problems.length, 'directory', 'directories')} could not be read</summary>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </details>
  )
}
