/** Everything about the selected event, and the way to the events it is linked to. Values are text nodes, whatever they hold. */
import { TRACK_CHARACTERS, cutMiddle } from '../../../base/cut'
import { exactCount, exactNs, formatNs, plural } from '../../../base/units'
import { insideName } from '../../../state/filters'
import { go } from '../../../state/place'
import { CopyButton } from '../../../widgets/links/clipboard'
import { CutName, useCutNames } from '../../../widgets/cut_name'
import { PlaceLink } from '../../../widgets/links/place_link'
import { words } from '../../../widgets/words'
import type { TimelineEvent, TimelineTracks, TrackEvent } from '../../../wire/wire'
import { AcrossRanks } from '../../across_ranks'
import { kernelsOf, opening, stepChanges, tablePlace } from '../../links'
import { HOME } from '../../timeline_link'
import { after_launch_ns, steps } from '../definitions'
import { rowName } from '../store/call_tree'
import { isPictured } from '../store/pictured'
import { MOST_ARROWS } from '../store/selection'
import type { TimelineStore } from '../store/store'

import { Close } from './close'
import { Collective } from './collective'
import { Fact } from './fact'
import { useSeen } from './seen'

interface DetailsProps {
  readonly store: TimelineStore
  /** What tells it from those of the timeline above. */
  readonly below?: string
}

export function Details(props: DetailsProps) {
  const event = props.store.selection.event.value
  return event && <Selected {...props} event={event} />
}

function Selected({ store, below = '', event }: DetailsProps & { readonly event: TimelineEvent }) {
  return (
    <section ref={useSeen(event.row, useCutNames())} class="tl-details" aria-label={`Selected event${below}`}>
      <header>
        <h2 class="mono" title={event.name} aria-label={event.name}>
          <CutName name={event.name} />
        </h2>
        <span class="soft">{below}</span>
        <button type="button" class="button is-small" title="Zoom to it (F)" onClick={() => store.fit()}>
          Fit
        </button>
        {!IS_REPORT && (
          <>
            <StepButton to={event.before} sign="‹" title="Previous event of its row (,)" go={() => store.step(-1)} />
            <StepButton to={event.after} sign="›" title="Next event of its row (.)" go={() => store.step(1)} />
          </>
        )}
        <Ways store={store} event={event} />
        <CopyButton isSmall label="Copy" title="All of this as JSON" text={() => JSON.stringify(event, undefined, 2)} />
        <Close what="details" keys=" (Esc)" onClick={() => store.select(undefined)} />
      </header>
      <div class="tl-details-body">
        <Facts event={event} tracks={store.tracks} />
        {event.collectives.map((each, at) => (
          <Collective key={at} of={each} />
        ))}
        {event.is_collective && <AcrossRanks profile={store.profile} row={event.row} />}
        <Links store={store} event={event} />
        {isPictured(event) ? <p class="soft">All else of it: tb-plugin serve</p> : <Arguments args={event.args} />}
      </div>
    </section>
  )
}

interface StepButtonProps {
  readonly to: TrackEvent | null
  readonly sign: string
  readonly title: string
  readonly go: () => unknown
}

function StepButton({ to, sign, title, go }: StepButtonProps) {
  return (
    <button type="button" class="button is-small" title={title} aria-label={title} disabled={to === null} onClick={go}>
      {sign}
    </button>
  )
}

/** To the row that counts this event, and to the other views with nothing but what is in it. */
function Ways({ store, event }: { readonly store: TimelineStore; readonly event: TimelineEvent }) {
  const { kind, name } = event
  const view = HOME[kind]
  const row = rowName(name)
  return (
    <>
      {view !== undefined && (
        <button
          type="button"
          class="button is-small"
          title="The row of the table that counts it"
          onClick={() =>
            go({
              ...opening(store.profile),
              ...(view === 'kernels' ? kernelsOf(kind, { row }) : tablePlace(view, { row })),
            })
          }
        >
          {view === 'operators' ? 'Operators row' : 'Kernels row'}
        </button>
      )}
      {!IS_REPORT && HAS_INSIDE.has(kind) && (
        <button
          type="button"
          class="button is-small"
          title="Filter: in every view, only what is inside"
          onClick={() => go({ inside: insideName(name) })}
        >
          Only inside
        </button>
      )}
    </>
  )
}

const STEP_NAME = /^ProfilerStep#(\d+)$/
const HAS_INSIDE = new Set(['operator', 'annotation', 'python', 'runtime', 'driver'])

function Facts({ event, tracks }: { readonly event: TimelineEvent; readonly tracks: TimelineTracks }) {
  const isHost = event.launch === null && event.owner === null
  const start = tracks.start_ns
  const timed = timedApart(event, tracks)
  return (
    <dl class="tl-facts">
      <Fact term="Duration">
        <b title={isPictured(event) ? undefined : exactNs(event.duration_ns)}>{formatNs(event.duration_ns)}</b>
      </Fact>
      {event.self_ns !== null && (
        <Fact term="Self">
          <span title={exactNs(event.self_ns)}>{formatNs(event.self_ns)}</span>
        </Fact>
      )}
      {timed !== undefined && (
        <Fact term="Step time">
          <span title={words(steps)}>
            {formatNs(timed.timed_end_ns - timed.timed_start_ns)}
            <span class="soft">
              {' '}
              {formatNs(timed.timed_start_ns - tracks.start_ns)} to {formatNs(timed.timed_end_ns - tracks.start_ns)},
              with its device work
            </span>
          </span>
        </Fact>
      )}
      <Fact term="Start">{(isPictured(event) ? formatNs : exactNs)(event.start_ns - start)}</Fact>
      {event.after_launch_ns !== null && (
        <Fact term="After its launch">
          <span title={`${exactNs(event.after_launch_ns)}\n${words(after_launch_ns)}`}>
            {formatNs(event.after_launch_ns)}
          </span>
        </Fact>
      )}
      {!isPictured(event) && (
        <Fact term="Kind">
          {event.kind.replaceAll('_', ' ')}
          {event.category !== '' && event.category !== event.kind && <span class="soft"> ({event.category})</span>}
        </Fact>
      )}
      <Fact term="Track">
        <span title={event.track_name}>{cutMiddle(event.track_name, TRACK_CHARACTERS)}</span>
      </Fact>
      {!isPictured(event) && (
        <Fact term="Step">
          <Step name={event.step} />
        </Fact>
      )}
      {event.module !== null && (
        <Fact term="Module">
          <PlaceLink class="link mono" title="Filter: only this module, in every view" to={{ module: event.module }}>
            {event.module}
          </PlaceLink>
        </Fact>
      )}
      {event.call_site !== null && event.call_site !== event.name && (
        <Fact term="Called at">
          <span class="mono">{event.call_site}</span>
        </Fact>
      )}
      {event.inputs !== null && event.inputs.length > 0 && (
        <Fact term={isHost ? 'Inputs' : "Operator's inputs"}>
          <span class="mono">{event.inputs.join(', ')}</span>
        </Fact>
      )}
      {isHost && ['kernel', 'copy', 'set'].includes(event.kind) && (
        <Fact term="Launched by">
          <span class="is-absent">not attributed: no launch in the file</span>
        </Fact>
      )}
    </dl>
  )
}

/** The step that it is, where that is timed otherwise than from its own start to its end. */
function timedApart({ name, start_ns: start, duration_ns: ns }: TimelineEvent, tracks: TimelineTracks) {
  const step = tracks.steps.find((each) => each.start_ns === start && each.name === name)
  return step === undefined || (step.timed_start_ns === start && step.timed_end_ns === start + ns) ? undefined : step
}

function Step({ name }: { readonly name: string | null }) {
  const number = STEP_NAME.exec(name ?? '')?.[1]
  if (number === undefined) return <span class="is-absent">outside of steps</span>
  return (
    <PlaceLink class="link" title="Filter: only this step" to={stepChanges(number)}>
      {name}
    </PlaceLink>
  )
}

const CALLERS = 'Called by'

function Links({ store, event }: { readonly store: TimelineStore; readonly event: TimelineEvent }) {
  const { origin } = store.selection
  // A graph launches thousands: the one that one came from is there, however many come before it.
  const isFar =
    origin !== undefined &&
    [origin.launch, origin.owner].some((each) => each?.row === event.row) &&
    event.launched.every(({ row }) => row !== origin.row)
  const lists: readonly (readonly [string, readonly TrackEvent[], number?])[] = [
    ['Launch', event.launch === null ? [] : [event.launch]],
    ['Operator', event.owner === null || event.owner.row === event.launch?.row ? [] : [event.owner]],
    [
      `Started ${plural(event.n_launched, 'device event')}`,
      [...(isFar ? [origin] : []), ...event.launched],
      event.n_launched,
    ],
    ['Forward', event.forward],
    ['Backward', event.backward, event.backward.length],
    [CALLERS, event.parents],
  ]
  const filled = lists.filter(([, events]) => events.length > 0)
  if (filled.length === 0) return null
  return (
    <div class="tl-links">
      {filled.map(([title, events, nArrows = 0]) => (
        <div key={title}>
          <h3>{title}</h3>
          {nArrows > MOST_ARROWS && (
            <p class="soft">
              Of {exactCount(nArrows)} arrows at most {MOST_ARROWS} are drawn, spread over those in sight.
            </p>
          )}
          {events.length < nArrows && (
            <p class="soft">
              The first {exactCount(event.launched.length)} are listed
              {isFar && ', after the one selected before'}.{' '}
              {!IS_REPORT && (
                <button type="button" class="link" onClick={() => void store.selection.more()}>
                  More
                </button>
              )}
            </p>
          )}
          <ul>
            {events.map((each) => (
              <li key={each.row}>
                <button
                  type="button"
                  class="link mono"
                  title={each.name}
                  aria-label={each.name}
                  onClick={() => (title === CALLERS ? store.visit(each) : store.visitLinked(each))}
                >
                  <CutName name={each.name} />
                </button>
                <span class="soft">{formatNs(each.duration_ns)}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
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
