/**
 * A's timeline above B's, on one axis with the same step at the left. It is the view of the timeline itself with a second one beside:
 * its face loads it, and its keys of the link hold where both are.
 */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { adjust, at, go } from '../../state/place'
import type { Changes } from '../../state/hash'
import { Select } from '../../widgets/choose/select'
import type { Item, Origin } from '../../wire/wire'
import { FACES } from '../faces'
import { bothAt } from './both_at'
import type { Moment } from './both_at'
import type { ViewProps } from '../props'

/** Whether they are in sight. Who closes the second one is back at the figures. */
export function areTimelines(): boolean {
  return at('compare.shows') === 'timelines' && at('beside.lower') !== undefined
}

export function Timelines({ a, b }: { readonly a: Item; readonly b: Item }) {
  const View = useTimeline()
  const shown = a.members.find(
    ({ run, worker, span }) => run === at('run') && worker === at('worker') && span === at('span'),
  )
  const pair = [a, b].map(({ members }) => members.map(namesOf).join('\n')).join('\n\n')
  const before = useRef(pair)
  const isOther = shown === undefined || before.current !== pair
  useEffect(() => {
    before.current = pair
    const opened = isOther ? bothOf(a, b) : undefined
    if (opened !== undefined) adjust(opened)
  }, [pair, isOther])
  return (
    <section class="compare-timelines" aria-label="Timelines">
      <p class="compare-choose">
        <span>
          <strong>A</strong> above: {a.label}
        </span>
        {a.members.length > 1 && (
          <Select
            label="recording"
            value={shown === undefined ? '' : namesOf(shown)}
            options={a.members.map((one) => ({ id: namesOf(one), label: `${one.worker} · ${one.span}` }))}
            onChoose={(id) => {
              const opened = bothOf({ ...a, members: a.members.filter((one) => namesOf(one) === id) }, b)
              if (opened !== undefined) go(opened)
            }}
          />
        )}
        <span>
          <strong>B</strong> below: {b.label}
        </span>
      </p>
      {View !== undefined && shown !== undefined && (
        <View profile={{ run: shown.run, worker: shown.worker, span: shown.span }} />
      )}
    </section>
  )
}

/** Both at the first step that is compared, of the same number where B has it; undefined without a recording of each. */
export function bothOf(a: Item, b: Item): Changes | undefined {
  const [upper, lower] = [a.members[0], b.members[0]]
  if (upper === undefined || lower === undefined) return undefined
  const [ofA, ofB] = [a, b].map(({ steps }) => steps.filter(({ recording }) => recording === 0))
  const first = ofA?.find(({ number }) => ofB?.some((other) => other.number === number) === true) ?? ofA?.[0]
  const other = ofB?.find(({ number }) => number === first?.number) ?? ofB?.[0]
  if (first === undefined || other === undefined) return bothAt({ profile: upper }, { profile: lower })
  return bothAt(
    {
      profile: upper,
      step: first.number,
      start_ns: first.start_ns,
      lasted_ns: Math.max(first.lasted_ns, other.lasted_ns),
    },
    { profile: lower, step: other.number },
  )
}

/** The longest event of a row on each side, both beginning at one place of the axis. */
export function bothAtRow(a: Moment, b: Moment): Changes {
  return bothAt({ ...a, lasted_ns: Math.max(a.lasted_ns ?? 0, b.lasted_ns ?? 0) }, b)
}

function namesOf({ run, worker, span }: Origin): string {
  return [run, worker, span].join('\t')
}

/** No view imports a view: what another one is drawn by, its face knows. */
function useTimeline(): ComponentType<ViewProps> | undefined {
  const [View, setView] = useState<{ readonly draw: ComponentType<ViewProps> }>()
  useEffect(() => {
    const face = FACES.find(({ id }) => id === 'timeline')
    if (face !== undefined && face.isOfMany !== true) void face.load().then((draw) => setView({ draw }))
  }, [])
  return View?.draw
}
