/** One finding: the gain, what to do, what was seen; opened, the figures behind it and the events to look at. */
import { useId } from 'preact/hooks'

import { Names } from '../../base/names'
import { exactCount, exactNs, formatNs, formatShare, plural } from '../../base/units'
import type { Changes } from '../../state/hash'
import { at, go } from '../../state/place'
import { EventLink } from '../../widgets/links/event_link'
import { PlaceLink } from '../../widgets/links/place_link'
import { words } from '../../widgets/words'
import { Said } from '../../widgets/panel/said'
import type { Evidence, Finding } from '../../wire/wire'
import { likely, maybe, sure } from './definitions'
import { parseOpen, toggledOpen } from './open'

const NAME_CHARACTERS = 90

const CONFIDENCE: Readonly<Record<Finding['confidence'], string>> = { sure, likely, maybe }

interface FindingProps {
  readonly finding: Finding
  readonly nSteps: number
  readonly windowNs: number
}

export function FindingItem({ finding, nSteps, windowNs }: FindingProps) {
  const body = useId()
  const open = parseOpen(at('advice.open'))
  const isOpen = open.has(finding.id)
  return (
    <li class="finding">
      <Gain finding={finding} nSteps={nSteps} windowNs={windowNs} />
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
        <p>
          <Said text={finding.what} />
        </p>
        <p class="soft">
          <span title={words(CONFIDENCE[finding.confidence])}>Confidence: {finding.confidence}</span>
          {finding.source !== null && (
            <>
              {' · in '}
              <span class="mono">{finding.source}</span> {finding.function}
            </>
          )}
        </p>
        {finding.view !== null && (
          <p>
            <PlaceLink to={{ view: finding.view }} class="link">
              All {finding.view} beside each other
            </PlaceLink>
          </p>
        )}
        {finding.beside.length > 0 && (
          <p>
            <PlaceLink to={besideEachOther(finding.beside)} class="link">
              Steps {finding.beside.join(' and ')} beside each other
            </PlaceLink>
          </p>
        )}
        {finding.without.length > 0 && (
          <p>
            <PlaceLink to={{ view: 'whatif', 'whatif.edit': finding.without.join('\n') }} class="link">
              The step without it
            </PlaceLink>
          </p>
        )}
        {finding.also.length > 0 && (
          <p class="soft">
            Wants the same time:{' '}
            {finding.also
              .map((other) => {
                const { title, gain_ns: bound, estimate_ns: expected } = other
                const ns = other.estimate_per_step_ns ?? expected ?? other.gain_per_step_ns ?? bound
                if (ns === null) return title
                const isMore = (expected ?? 0) > (finding.estimate_ns ?? finding.gain_ns ?? 0)
                return `${title} (${expected === null ? 'up to' : 'about'} ${formatNs(ns)}${isMore ? ', more than this alone' : ''})`
              })
              .join(' · ')}
          </p>
        )}
        <div id={body} hidden={!isOpen}>
          {isOpen && <Details finding={finding} />}
        </div>
      </div>
    </li>
  )
}

function besideEachOther([upper, lower]: Finding['beside']): Changes {
  return { view: 'timeline', 'beside.upper': `${upper}`, 'beside.lower': `${lower}` }
}

/** What is expected, else the bound, of one step; its part of the time, as the verdict says it; then the bound, lighter. */
function Gain({ finding, nSteps, windowNs }: FindingProps) {
  const { gain_ns: bound, gain_per_step_ns: boundPerStep, estimate_ns: expected } = finding
  if (bound === null) return <div class="finding-gain soft">gain unknown</div>
  const ns = expected ?? bound
  const perStep = finding.estimate_per_step_ns ?? boundPerStep
  return (
    <div class="finding-gain">
      <span class="soft">
        {expected === null ? 'up to' : 'about'}
        {perStep !== null && ', a step'}
      </span>
      <span class="value" title={exactNs(perStep ?? ns)}>
        {formatNs(perStep ?? ns)}
      </span>
      <span class="finding-bar" aria-hidden="true">
        <span style={{ width: formatPart(ns, windowNs) }} />
        <span style={{ width: formatPart(Math.max(bound - ns, 0), windowNs) }} />
      </span>
      <span class="soft">{formatShare(ns / windowNs)} of the time</span>
      {perStep !== null && nSteps > 1 && (
        <span class="soft" title={`${exactNs(ns)} in ${nSteps} steps`}>
          ({formatNs(ns)} in all)
        </span>
      )}
      {expected !== null && (
        <span class="soft" title={exactNs(boundPerStep ?? bound)}>
          {/* What launches the events and the gaps around them may go too: then more is gained than they take themselves. */}
          {expected > bound ? 'itself' : 'at most'} {formatNs(boundPerStep ?? bound)}
        </span>
      )}
    </div>
  )
}

function formatPart(ns: number, of: number): string {
  return `${(ns / of) * 100}%`
}

function Details({ finding }: { readonly finding: Finding }) {
  const names = new Names(finding.rows.map((event) => event.name))
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
        {finding.estimate_how !== null && <p class="soft">Estimate: {finding.estimate_how}</p>}
        <Advised finding={finding} />
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
              <EventItem key={event.row} event={event} names={names} />
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

/** What to write, when it does not help, and where more is said. */
function Advised({ finding: { code, unless, link } }: { readonly finding: Finding }) {
  return (
    <>
      {code !== null && <pre class="finding-code">{code}</pre>}
      {unless !== null && <p>Unless: {unless}</p>}
      {link !== null && (
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            {link.replace('https://', '')}
          </a>
        </p>
      )}
    </>
  )
}

interface EventItemProps {
  readonly event: Finding['rows'][number]
  readonly names: Names
}

function EventItem({ event, names }: EventItemProps) {
  return (
    <li>
      <EventLink class="mono" event={event} title={event.name}>
        {names.cut(event.name, NAME_CHARACTERS)}
      </EventLink>
      <span title={exactNs(event.duration_ns)}>{formatNs(event.duration_ns)}</span>
      <span class="soft">at {formatNs(event.start_ns)}</span>
    </li>
  )
}

function shown({ value, unit }: Evidence): string {
  if (unit === 'ns') return formatNs(value)
  return unit === 'share' ? formatShare(value) : exactCount(value)
}
