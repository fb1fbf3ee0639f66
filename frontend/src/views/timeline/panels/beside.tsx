/** A second timeline under the first on the same axis: another step of this profile, or another profile; they move together. */
import { effect, untracked } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'

import { formatNs } from '../../../base/units'
import { useReply } from '../../../data/reply'
import { runs } from '../../../data/runs'
import { spanLabel } from '../../../data/span_title'
import { filters } from '../../../state/filters'
import { at, go, place } from '../../../state/place'
import type { Changes } from '../../../state/hash'
import { Picker } from '../../../widgets/choose/picker'
import { Select } from '../../../widgets/choose/select'
import type { Profile } from '../../../wire/profile'
import type { StepMark, TimelineTracks, WorkerState } from '../../../wire/wire'
import { ViewFrame } from '../../frame'
import { MOST_RANKS, ranksBeside } from '../../in_job'
import { stretchOf } from '../../timeline_link'
import { Surface } from '../canvas/surface'
import { badBelow, tellBadLink } from '../store/bad_link'
import { filtersThere, thereWords } from '../store/filters_there'
import type { Known } from '../store/job_clock'
import { shiftBetween, useClock } from '../store/job_clock'
import { ITS_OWN, NOT_BESIDE, keyOf, linkBeside, profileOf } from '../store/link'
import type { StepsBeside } from '../store/link'
import { windowChanges } from '../store/place'
import { besideWindow, stepOf } from '../store/steps_window'
import { TimelineStore } from '../store/store'
import { Close } from './close'
import { Found } from './found'
import { Problem } from './problem'

type Steps = Pick<TimelineTracks, 'steps' | 'start_ns'>

const BEGIN = 'begin'
const CLOCK = 'clock' // of both: as they ran
const MANY = 12 // profiles: from so many on they can be sought

/** Whether a second timeline is open. */
export function isBeside(): boolean {
  return at('beside.lower') !== undefined
}

/**
 * The step in sight and the one after it, all of both where all of it was; of a whole recording the first two alone. Where this
 * profile has no other step, its next recording, else another profile of the run.
 */
export function openBeside(
  { profile, tracks, window: { view } }: TimelineStore,
  others: readonly Listed[] = listed(),
): void {
  const { steps } = tracks
  const isWhole = view.t1 - view.t0 >= view.end - view.start
  const later = steps.findIndex(({ end_ns: end }) => end > (view.t0 + view.t1) / 2)
  const at = isWhole ? 0 : later < 0 ? steps.length - 1 : later
  const upper = steps[at]
  const lower = steps[at + 1] ?? steps[at - 1] ?? upper
  const [above, below] = [`${upper?.number ?? BEGIN}`, `${lower?.number ?? BEGIN}`]
  const [start, end] = upper ? stretchOf(upper) : [-Infinity, Infinity]
  const isSeen = view.t0 < start + 1 && view.t1 > end - 1 // links say whole ns
  const wide = isSeen ? inSight(tracks, tracks, above, below, isWhole ? undefined : view) : {}
  const other = upper === lower ? anotherOf(profile, others) : undefined
  go({ ...wide, 'beside.upper': above, 'beside.lower': below, ...(other && besideOf(profile, other, above)) })
}

/** The window in which all is seen of the steps that lie above and below, and of what was seen `before`. */
function inSight(
  above: Steps,
  below: Steps,
  upper: string,
  lower: string,
  before = { t0: Infinity, t1: -Infinity },
): Changes {
  const shift = startOf(below, lower) - startOf(above, upper)
  const window = besideWindow(stepOf(above, upper), stepOf(below, lower), shift)
  return window === undefined ? {} : windowChanges(Math.min(window[0], before.t0), Math.max(window[1], before.t1))
}

/** The recording after it or the one before, else one of another worker. */
function anotherOf({ run, worker, span }: Profile, others: readonly Listed[]): Profile | undefined {
  const all = others.filter((each) => each.run === run && each.isOdd !== true)
  const mine = all.filter((each) => each.worker === worker)
  const at = mine.findIndex((each) => each.span === span)
  return mine[at + 1] ?? mine[at - 1] ?? all.find((each) => each.worker !== worker)
}

export function Beside({ store }: { readonly store: TimelineStore }) {
  const profile = profileOf(at('beside.profile')) ?? store.profile
  const reply = useReply('view/timeline', profile, {})
  return (
    <section class="tl-beside" aria-label="Second timeline">
      {!reply.value.value?.result && <Header first={store} profile={profile} />}
      <ViewFrame profile={profile} reply={reply.value}>
        {(tracks) => (
          <Second
            key={keyOf(profile) + JSON.stringify(filters.value)}
            first={store}
            profile={profile}
            tracks={tracks}
            isBefore={reply.value.pending}
          />
        )}
      </ViewFrame>
    </section>
  )
}

interface HeaderProps {
  readonly first: TimelineStore
  readonly profile: Profile
  readonly before?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Also over a profile that is not there. */
function Header({ first, profile, before, children }: HeaderProps) {
  return (
    <header>
      {before}
      <OfProfile own={first.profile} profile={profile} />
      {children}
      <span class="grow" />
      <Close what="the second timeline" onClick={() => go(NOT_BESIDE)} />
    </header>
  )
}

/** The other ranks of its job lie on the job's clock, where that is soon known. */
function besideOf(own: Profile, other: Profile | undefined, upper?: string): Changes {
  const isTied = ranksBeside(own) <= MOST_RANKS && areRanks(own, other)
  const id = other && keyOf(other)
  return { 'beside.profile': id === keyOf(own) ? undefined : id, ...laid(isTied ? CLOCK : undefined, upper) }
}

function OfProfile({ own, profile }: { readonly own: Profile; readonly profile: Profile }) {
  const options = profiles(own, profile)
  const choose = (id: string): void => {
    go({ ...ITS_OWN, ...besideOf(own, profileOf(id)) })
  }
  const chosen = keyOf(profile)
  if (options.length < MANY) return <Select label="of" value={chosen} options={options} onChoose={choose} />
  const label = options.find(({ id }) => id === chosen)?.label ?? ''
  return <Picker name="profile" label={label} entries={options} chosen={chosen} onChoose={choose} />
}

/** Where another file lies first; on the clock the step that it is beside stays in the link, for where no clock is known. */
function laid(on: typeof CLOCK | undefined, upper = at('beside.upper')): Changes {
  if (on === CLOCK) return { 'beside.lower': CLOCK }
  return { 'beside.upper': upper === CLOCK ? BEGIN : upper, 'beside.lower': inAnother(upper) }
}

/** What lies above what: as the link says, and where that is a clock that is not known the same step in both. */
export function layOf(
  isTied: boolean,
  above: Pick<TimelineTracks, 'steps'>,
  below: Pick<TimelineTracks, 'steps'>,
): readonly [upper: string, lower: string] {
  const { 'beside.upper': upper = BEGIN, 'beside.lower': lower = BEGIN } = place.value
  if (lower !== CLOCK) return [upper, lower]
  if (isTied) return [CLOCK, CLOCK]
  if (upper !== CLOCK) return [upper, inAnother(upper)]
  const both = above.steps.find(({ number }) => below.steps.some((step) => step.number === number))
  const step = `${both?.number ?? BEGIN}`
  return [step, step]
}

/** Whether they may be two ranks of one job: this one's is known, and the other's is another or not read yet. A report holds one. */
export function areRanks(own: Profile, other: Profile | undefined, workers = workersOf(own)): boolean {
  if (IS_REPORT || own.run !== other?.run) return false
  const [its, others] = [own, other].map((of) => workers?.find(({ name }) => name === of.worker)?.rank)
  return its != null && its !== others
}

interface SecondProps {
  readonly first: TimelineStore
  readonly profile: Profile
  readonly tracks: TimelineTracks
  /** The tracks are those of before, perhaps of another profile. */
  readonly isBefore: boolean
}

function Second({ first, profile, tracks, isBefore }: SecondProps) {
  const { tracks: above } = first
  const mayTie = areRanks(first.profile, profile)
  const isTied = mayTie && at('beside.lower') === CLOCK
  const clocks = [useClock(first.profile, isTied), useClock(profile, isTied)] as const
  /** At the middle of what is in sight: clocks drift. */
  const tiedBy = (): number | undefined => {
    const { t0, t1 } = first.window.view
    return at('beside.lower') === CLOCK ? shiftBetween((t0 + t1) / 2, clocks[0](), clocks[1]()) : undefined
  }
  const lay = () => layOf(tiedBy() !== undefined, above, tracks)
  const shiftNow = (): number => {
    const [upper, lower] = lay()
    return tiedBy() ?? startOf(tracks, lower) - startOf(above, upper)
  }
  const stepsNow = (): StepsBeside => {
    const [upper, lower] = lay()
    return [stepOf(above, upper), stepOf(tracks, lower)]
  }
  const there = filtersThere(filters.value, tracks)
  const store = useMemo(
    () => new TimelineStore(profile, tracks, there.filters, linkBeside(above, tracks, shiftNow, stepsNow)),
    [above, tracks],
  )
  const [upper, lower] = lay()
  const choose = (key: 'upper' | 'lower', id: string): void => {
    if (id === CLOCK || upper === CLOCK) go(laid(onClock(id), id))
    else {
      const [up, low] = key === 'upper' ? [id, lower] : [upper, id]
      go({ ...inSight(above, tracks, up, low), 'beside.upper': up, 'beside.lower': low })
    }
  }
  if (isTied) first.window.followSettled()
  const shift = shiftNow()
  const [step, stepBelow] = stepsNow()
  const words = isTied
    ? clockWords(tiedBy() !== undefined, clocks[0](), clocks[1]())
    : shift !== 0
      ? `${formatNs(Math.abs(shift))} ${shift < 0 ? 'earlier' : 'later'} in its recording`
      : keyOf(profile) !== keyOf(first.profile)
        ? 'at the same time in its recording'
        : `the same as above${tracks.steps.length > 1 || listed().length > 1 ? ': choose what to see here' : ''}`
  useEffect(() => first.bind(store, shift), [first, store, shift])
  const follow = (): void => {
    if (!isBefore) untracked(() => tellBadLink(store, badBelow))
    store.follow(store.link.read())
  }
  useEffect(() => effect(follow), [store])
  return (
    <>
      <Header
        first={first}
        profile={profile}
        before={
          <>
            <Select
              label="Above"
              value={upper}
              options={startsOf(above, upper, mayTie)}
              onChoose={(id) => choose('upper', id)}
            />
            <Select
              label="below"
              value={lower}
              options={startsOf(tracks, lower, mayTie)}
              onChoose={(id) => choose('lower', id)}
            />
          </>
        }
      >
        <span class="soft">{[words, ...thereWords(filters.value, there, lower)].join('; ')}</span>
        {!IS_REPORT && step && stepBelow && (
          <button type="button" class="button is-small" onClick={() => sumUp(first, step)}>
            Sum up both
          </button>
        )}
        {at('timeline.q') !== undefined && <Found store={store} />}
      </Header>
      <Surface store={store}>
        <Problem store={store} />
      </Surface>
    </>
  )
}

/** All that is in sight of a step, above; below it is all of the step there. */
function sumUp(store: TimelineStore, step: StepMark): void {
  const [t0, t1] = stretchOf(step)
  store.chooseArea({ t0, t1, tracks: store.picture.tracksBetween(-Infinity, Infinity) })
}

function onClock(id: string): typeof CLOCK | undefined {
  return id === CLOCK ? CLOCK : undefined
}

/** How sure it is that they lie as they ran, or why they do not: then the steps beside it say what lies above what. */
export function clockWords(isTied: boolean, upper: Known, lower: Known): string {
  if (!isTied) {
    const areRead = upper !== undefined && lower !== undefined
    return areRead ? 'clocks not known' : 'the clocks of all ranks are being read'
  }
  const error = Math.hypot(upper?.error_ns ?? 0, lower?.error_ns ?? 0)
  return `on the job's clock${error > 0 ? `, ±${formatNs(error)}` : ''}`
}

/** Steps, and where a link led to an event its start: `@12345`. */
function startsOf(
  { steps, start_ns: begin }: TimelineTracks,
  chosen: string,
  mayTie: boolean,
): readonly { readonly id: string; readonly label: string }[] {
  const at = eventStart(chosen)
  const known = [
    { id: BEGIN, label: 'the beginning' },
    ...(mayTie ? [{ id: CLOCK, label: 'as they ran' }] : []),
    ...steps.map(({ number }) => ({ id: `${number}`, label: `step ${number}` })),
  ]
  if (known.some(({ id }) => id === chosen)) return known
  const label = at === undefined ? `the beginning: no step ${chosen}` : `the event at ${formatNs(at - begin)}`
  return [{ id: chosen, label }, ...known]
}

/** Where another file lies first: at the step that it is beside. An event's start is a time of one recording. */
export function inAnother(upper = BEGIN): string {
  return upper !== CLOCK && eventStart(upper) === undefined ? upper : BEGIN
}

function eventStart(id = ''): number | undefined {
  return /^@\d{1,19}$/.test(id) ? Number(id.slice(1)) : undefined
}

function startOf(tracks: Steps, id: string): number {
  return eventStart(id) ?? stepOf(tracks, id)?.start_ns ?? tracks.start_ns
}

/** How many steps later the second one is, where a step lies by a step. */
export function stepsLater(): number {
  return Number(at('beside.lower')) - Number(at('beside.upper')) || 0
}

/** The other ranks of its job before other runs. What tells them apart comes first, and what they share with this one is left out. */
export function profiles(
  own: Profile,
  chosen: Profile,
  others: readonly Listed[] = listed(),
): readonly { readonly id: string; readonly label: string }[] {
  const [ranks, rest] = [true, false].map((isIts) => others.filter(({ run }) => (run === own.run) === isIts))
  const known = new Map<string, Listed>()
  for (const each of [own, chosen, ...(ranks ?? []), ...(rest ?? [])]) known.set(keyOf(each), each)
  const all = [...known.values()]
  const isOnly = ({ run, worker }: Profile): boolean =>
    all.filter((each) => each.run === run && each.worker === worker).length === 1
  const words = (each: Listed): string =>
    [each.worker, ...(each.run === own.run ? [] : [each.run]), ...(isOnly(each) ? [] : [each.label ?? each.span])].join(
      ' · ',
    )
  return all.map((each) => ({ id: keyOf(each), label: keyOf(each) === keyOf(own) ? 'this profile' : words(each) }))
}

function workersOf({ run }: Profile): readonly Pick<WorkerState, 'name' | 'rank'>[] | undefined {
  return runs.value.reply?.runs.find(({ name }) => name === run)?.workers
}

interface Listed extends Profile {
  /** As the bar names its span. */
  readonly label?: string
  /** It cannot be read, or is none of torch's. */
  readonly isOdd?: boolean
}

function listed(): readonly Listed[] {
  return (runs.value.reply?.runs ?? []).flatMap((run) =>
    run.workers.flatMap(({ name: worker, spans }) =>
      spans.map((span) => ({
        ...{ run: run.name, worker, span: span.name, label: spanLabel(spans, span) },
        isOdd: span.no_profile || span.foreign || span.state === 'failed',
      })),
    ),
  )
}
