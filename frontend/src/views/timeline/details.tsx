/** Everything about the selected event, and the way to the events it is linked to. Values are text nodes, whatever they hold. */
import type { ComponentChildren } from 'preact'

import { exactNs, formatNs, plural } from '../../base/units'
import type { EventRef, TimelineEvent } from '../../data/wire'
import { addressOf } from '../../state/place'
import { CopyButton } from '../../widgets/clipboard'
import type { TimelineStore } from './store'

export function Details({ store }: { readonly store: TimelineStore }) {
  const event = store.selected.value
  if (event === undefined) return null
  return (
    <section class="tl-details" aria-label="Selected event">
      <header>
        <h2 class="mono" title={event.name}>
          {event.name}
        </h2>
        <button type="button" class="button is-small" title="Zoom to it (F)" onClick={() => store.fit()}>
          Fit
        </button>
        <CopyButton label="Copy" title="All of this as JSON" text={() => JSON.stringify(event, undefined, 2)} />
        <CopyButton label="Copy link" title="Link to this event" text={() => addressOf()} />
        <button
          type="button"
          class="button is-plain is-small"
          aria-label="Close details"
          title="Close (Esc)"
          onClick={() => store.select(undefined)}
        >
          ✕
        </button>
      </header>
      <div class="tl-details-body">
        <Facts event={event} start={store.tracks.start_ns} />
        <Links store={store} event={event} />
        <Arguments args={event.args} />
      </div>
    </section>
  )
}

function Facts({ event, start }: { readonly event: TimelineEvent; readonly start: number }) {
  const isHost = event.launch === null && event.owner === null
  return (
    <dl class="tl-facts">
      <Fact term="Duration">
        <b title={exactNs(event.duration_ns)}>{formatNs(event.duration_ns)}</b>
      </Fact>
      {event.self_ns !== null && (
        <Fact term="Self">
          <span title={exactNs(event.self_ns)}>{formatNs(event.self_ns)}</span>
        </Fact>
      )}
      <Fact term="Start">
        <span title={exactNs(event.start_ns - start)}>{formatNs(event.start_ns - start)}</span>
      </Fact>
      <Fact term="Kind">
        {event.kind.replaceAll('_', ' ')}
        {event.category !== '' && event.category !== event.kind && <span class="soft"> ({event.category})</span>}
      </Fact>
      <Fact term="Track">{event.track_name}</Fact>
      <Fact term="Step">{event.step ?? <span class="is-absent">outside of steps</span>}</Fact>
      {isHost && ['kernel', 'copy', 'set'].includes(event.kind) && (
        <Fact term="Launched by">
          <span class="is-absent">not attributed: no launch in the file</span>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Links({ store, event }: { readonly store: TimelineStore; readonly event: TimelineEvent }) {
  const lists: readonly (readonly [string, readonly EventRef[]])[] = [
    ['Launch', event.launch === null ? [] : [event.launch]],
    ['Operator', event.owner === null || event.owner.row === event.launch?.row ? [] : [event.owner]],
    [`Started ${plural(event.n_launched, 'device event')}`, event.launched],
    ['Forward', event.forward],
    ['Backward', event.backward],
    ['Called by', event.parents],
  ]
  const filled = lists.filter(([, events]) => events.length > 0)
  if (filled.length === 0) return null
  return (
    <div class="tl-links">
      {filled.map(([title, events]) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul>
            {events.map((each) => (
              <li key={each.row}>
                <button type="button" class="link mono" title={each.name} onClick={() => store.visit(each)}>
                  {each.name}
                </button>
                <span class="soft">{formatNs(each.duration_ns)}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {event.n_launched > event.launched.length && <p class="soft">The first {event.launched.length} are listed.</p>}
    </div>
  )
}

function Arguments({ args }: { readonly args: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(args)
  if (entries.length === 0) return <p class="soft">No arguments were recorded.</p>
  return (
    <dl class="tl-arguments">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd class="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
