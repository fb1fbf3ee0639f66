/** One finding: the gain, what to do, what was seen; opened, the figures behind it and the events to look at. */
import { useId } from 'preact/hooks'

import { cutMiddle } from '../../base/cut'
import { exactCount, exactNs, formatNs, formatShare, plural, withMicroseconds } from '../../base/units'
import type { EventLink, Evidence, Finding } from '../../data/wire'
import { windowAround } from '../../layout/event_window'
import { addressOf, at, go } from '../../state/place'
import { likely, maybe, sure } from './definitions'
import { parseOpen, toggledOpen } from './open'

const LEAST_WINDOW_NS = 20_000
const NAME_CHARACTERS = 90

const CONFIDENCE: Readonly<Record<Finding['confidence'], string>> = { sure, likely, maybe }

export function FindingItem({ finding }: { readonly finding: Finding }) {
  const body = useId()
  const open = parseOpen(at('advice.open'))
  const isOpen = open.has(finding.id)
  return (
    <li class="finding">
      <Gain finding={finding} />
      <div class="finding-body">
        <h2>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={body}
            onClick={() => go({ 'advice.open': toggledOpen(open, finding.id) })}
          >
            <span class="finding-mark" aria-hidden="true">
              {isOpen ? '▾' : '▸'}
            </span>
            {finding.title}
          </button>
        </h2>
        <p>{withMicroseconds(finding.what)}</p>
        <p class="soft">
          <span title={CONFIDENCE[finding.confidence]}>Confidence: {finding.confidence}</span>
          {finding.source !== null && (
            <>
              {' · in '}
              <span class="mono">{finding.source}</span> {finding.function}
            </>
          )}
        </p>
        <div id={body} hidden={!isOpen}>
          {isOpen && <Details finding={finding} />}
        </div>
      </div>
    </li>
  )
}

function Gain({ finding: { gain_ns: ns, gain_share: share } }: { readonly finding: Finding }) {
  if (ns === null || share === null) return <div class="finding-gain soft">gain unknown</div>
  return (
    <div class="finding-gain">
      <span class="soft">up to</span>
      <span class="value" title={exactNs(ns)}>
        {formatNs(ns)}
      </span>
      <span class="finding-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="soft">{formatShare(share)} of the time</span>
    </div>
  )
}

function Details({ finding }: { readonly finding: Finding }) {
  return (
    <div class="finding-details">
      <section>
        <h3>Evidence</h3>
        <dl>
          {finding.evidence.map((evidence) => (
            <div key={evidence.text}>
              <dt>{evidence.text}</dt>
              <dd>{shown(evidence)}</dd>
            </div>
          ))}
        </dl>
        <p class="soft">Gain: {finding.gain_how}</p>
      </section>
      {finding.rows.length > 0 && (
        <section>
          <h3>
            {finding.rows.length < finding.n_rows
              ? `${finding.rows.length} of ${exactCount(finding.n_rows)} events`
              : plural(finding.n_rows, 'event')}
            , in the timeline
          </h3>
          <ol class="finding-events">
            {finding.rows.map((event) => (
              <EventItem key={event.row} event={event} />
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

function EventItem({ event }: { readonly event: EventLink }) {
  const [t0, t1] = windowAround(event.start_ns, event.duration_ns, LEAST_WINDOW_NS)
  const changes = {
    view: 'timeline',
    'timeline.t0_ns': String(t0),
    'timeline.t1_ns': String(t1),
    'timeline.row': String(event.row),
  }
  return (
    <li>
      <a
        class="mono"
        href={addressOf(changes)}
        target="_top"
        title={event.name}
        onClick={(click) => {
          if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0) return
          click.preventDefault()
          go(changes)
        }}
      >
        {cutMiddle(event.name, NAME_CHARACTERS)}
      </a>
      <span title={exactNs(event.duration_ns)}>{formatNs(event.duration_ns)}</span>
      <span class="soft">at {formatNs(event.start_ns)}</span>
    </li>
  )
}

function shown({ value, unit }: Evidence): string {
  if (unit === 'ns') return formatNs(value)
  return unit === 'share' ? formatShare(value) : exactCount(value)
}
