/** A second timeline under the first on the same axis: another step of this profile, or another profile; they move together. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { formatNs } from '../../../base/units'
import { useReply } from '../../../data/reply'
import { runs } from '../../../data/runs'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import type { Profile } from '../../../wire/profile'
import type { TimelineTracks } from '../../../wire/wire'
import { ViewFrame } from '../../frame'
import { Surface } from '../canvas/surface'
import { partOf } from '../store/link'
import { TimelineStore } from '../store/store'
import { Details } from './details'

const LINK = partOf('beside')
const BEGIN = 'begin'

export const NOT_BESIDE = { 'beside.profile': undefined, 'beside.upper': undefined, 'beside.lower': undefined }

/** Whether a second timeline is open. */
export function isBeside(): boolean {
  return at('beside.lower') !== undefined
}

export function openBeside({ steps }: TimelineTracks): void {
  const [upper, lower] = [steps[0], steps[1] ?? steps[0]].map((step) => (step === undefined ? BEGIN : `${step.number}`))
  go({ 'beside.upper': upper, 'beside.lower': lower })
}

export function Beside({ store }: { readonly store: TimelineStore }) {
  const profile = profileOf(at('beside.profile')) ?? store.profile
  const reply = useReply('view/timeline', profile, {})
  return (
    <section class="tl-beside" aria-label="Second timeline">
      <ViewFrame profile={profile} reply={reply.value}>
        {(tracks) => <Second key={keyOf(profile)} first={store} profile={profile} tracks={tracks} />}
      </ViewFrame>
    </section>
  )
}

interface SecondProps {
  readonly first: TimelineStore
  readonly profile: Profile
  readonly tracks: TimelineTracks
}

function Second({ first, profile, tracks }: SecondProps) {
  const store = useMemo(() => new TimelineStore(profile, tracks, {}, LINK), [tracks])
  const [upper, lower] = [at('beside.upper') ?? BEGIN, at('beside.lower') ?? BEGIN]
  const shift = startOf(tracks, lower) - startOf(first.tracks, upper)
  useEffect(() => first.window.bind(store.window, shift), [first, store, shift])
  useSignalEffect(() => store.follow(LINK.read()))
  return (
    <>
      <header>
        <Select
          label="Beside"
          value={upper}
          options={startsOf(first.tracks, upper)}
          onChoose={(id) => go({ 'beside.upper': id })}
        />
        <Select
          label="lies"
          value={lower}
          options={startsOf(tracks, lower)}
          onChoose={(id) => go({ 'beside.lower': id })}
        />
        <Select
          label="of"
          value={keyOf(profile)}
          options={profiles(first.profile)}
          onChoose={(id) =>
            go({ 'beside.profile': id === keyOf(first.profile) ? undefined : id, 'beside.lower': BEGIN })
          }
        />
        <span class="soft">
          {formatNs(Math.abs(shift))} {shift < 0 ? 'earlier' : 'later'} in its recording
        </span>
        <span class="grow" />
        <button
          type="button"
          class="button is-plain is-small"
          aria-label="Close the second timeline"
          onClick={() => go(NOT_BESIDE)}
        >
          ✕
        </button>
      </header>
      <Surface store={store} />
      <Details store={store} />
    </>
  )
}

/** Steps, and where a link led to an event its start: `@12345`. */
function startsOf(
  { steps, start_ns: begin }: TimelineTracks,
  chosen: string,
): readonly { readonly id: string; readonly label: string }[] {
  const at = eventStart(chosen)
  return [
    ...(at === undefined ? [] : [{ id: chosen, label: `the event at ${formatNs(at - begin)}` }]),
    { id: BEGIN, label: 'the beginning' },
    ...steps.map(({ number }) => ({ id: `${number}`, label: `step ${number}` })),
  ]
}

function eventStart(id: string): number | undefined {
  return /^@\d{1,19}$/.test(id) ? Number(id.slice(1)) : undefined
}

function startOf({ steps, start_ns: begin }: TimelineTracks, id: string): number {
  const at = eventStart(id)
  if (at !== undefined) return at
  return steps.find(({ number }) => `${number}` === id)?.start_ns ?? begin
}

function profiles(own: Profile): readonly { readonly id: string; readonly label: string }[] {
  const others = (runs.value.reply?.runs ?? []).flatMap((run) =>
    run.workers.flatMap((worker) =>
      worker.spans.map((span) => ({ run: run.name, worker: worker.name, span: span.name })),
    ),
  )
  const known = others.some((each) => keyOf(each) === keyOf(own)) ? others : [own, ...others]
  return known.map((each) => ({
    id: keyOf(each),
    label: keyOf(each) === keyOf(own) ? 'this profile' : `${each.run} · ${each.worker} · ${each.span}`,
  }))
}

function keyOf({ run, worker, span }: Profile): string {
  return [run, worker, span].join('\t')
}

function profileOf(key: string | undefined): Profile | undefined {
  const [run, worker, span] = (key ?? '').split('\t')
  return run === undefined || worker === undefined || span === undefined ? undefined : { run, worker, span }
}
