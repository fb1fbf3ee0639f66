import './compare.css'

import { useLayoutEffect } from 'preact/hooks'

import { useJointReply } from '../../data/joint'
import { runs } from '../../data/runs'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { Said } from '../../widgets/panel/said'
import type { Comparison, Item, Pair, WorkerState } from '../../wire/wire'
import { OfRank } from './of_rank'
import { JointFrame } from '../joint_frame'
import { opening } from '../links'
import { ANEW, Choose, moveTo, saidOf } from './choose'
import * as define from './definitions'
import { Flame } from './flame'
import { formatItems, itemsOf, parseItems, swapped } from './items'
import { Matrix } from './matrix'
import { formatToggled, nextFinding, parseToggled, revealing } from './rows'
import { Steps } from './steps'
import { Timelines, areTimelines, bothOf } from './timelines'
import { ChangeTree, focusRow } from './tree'
import { Waterfall } from './waterfall'

const BY = [
  { id: 'module', label: 'Modules' },
  { id: 'operator', label: 'Operators' },
  { id: 'category', label: 'Categories' },
  { id: 'kernel', label: 'Kernels' },
] as const

export function CompareView() {
  const shown = { run: at('run'), worker: at('worker'), span: at('span') }
  const items = itemsOf(at('compare.items'), shown, runs.value.reply?.runs ?? [])
  const by = BY.find(({ id }) => id === at('compare.by'))?.id ?? 'module'
  const reply = useJointReply('view/compare', { items: formatItems(items) ?? '', by })
  return (
    <div class={areTimelines() ? 'compare is-timelines' : 'compare'}>
      <div class="compare-bar-top">
        <Choose items={items} />
        <Select
          label="Rows"
          value={by}
          options={BY}
          onChoose={(id) => go({ 'compare.by': id === 'module' ? undefined : id, ...ANEW })}
        />
      </div>
      {items.length < 2 ? (
        <p class="notice">Choose two profiles: A is the baseline. In the table of runs, two rows can be ticked.</p>
      ) : (
        <JointFrame state={reply.value}>
          {({ result, n_pending: pending }) => <Answer result={result} isPending={pending > 0} />}
        </JointFrame>
      )}
    </div>
  )
}

function Answer({ result, isPending }: { readonly result: Comparison; readonly isPending: boolean }) {
  const { a, pairs, matrix, lacking } = result
  const place = Math.min(Number(at('compare.pair') ?? 0) || 0, Math.max(pairs.length - 1, 0))
  const pair = pairs[place]
  return (
    <>
      {lacking.map((one) => (
        <p key={`${one.run} ${one.worker} ${one.span}`} class={`notice${one.state === 'failed' ? ' is-bad' : ''}`}>
          {saidOf(one)}: {one.reason ?? (one.state === 'ready' ? 'nothing to compare' : 'being read')}
        </p>
      ))}
      {a !== null && matrix !== null && !areTimelines() && <Matrix a={a} pairs={pairs} matrix={matrix} place={place} />}
      {a !== null && pair !== undefined && <Shows a={a} pairs={pairs} place={place} />}
      {a !== null &&
        pair !== undefined &&
        (areTimelines() ? <Timelines a={a} b={pair.b} /> : <OnePair a={a} pair={pair} />)}
      {isPending && lacking.length === 0 && <p class="soft">Profiles are still being read.</p>}
    </>
  )
}

interface ShowsProps {
  readonly a: Item
  readonly pairs: readonly Pair[]
  readonly place: number
}

/** The figures of a pair, or its events; of several pairs also which. */
function Shows({ a, pairs, place }: ShowsProps) {
  const pair = pairs[place]
  const both = pair === undefined ? undefined : bothOf(a, pair.b)
  if (both === undefined) return null
  const isShown = areTimelines()
  return (
    <div class="compare-shows" role="group" aria-label="Shown">
      <button
        type="button"
        class="button is-small"
        aria-pressed={!isShown}
        onClick={() => go({ 'compare.shows': undefined })}
      >
        Figures
      </button>{' '}
      <button
        type="button"
        class="button is-small"
        aria-pressed={isShown}
        title="Both timelines one above the other, the same step at the left"
        onClick={() => !isShown && go(both)}
      >
        Timelines
      </button>{' '}
      {isShown && pairs.length > 1 && (
        <Select
          label="A and"
          value={String(place)}
          options={pairs.map(({ b }, id) => ({ id: String(id), label: b.label }))}
          onChoose={(id) => go({ 'compare.pair': id === '0' ? undefined : id, ...ANEW })}
        />
      )}
    </div>
  )
}

function OnePair({ a, pair }: { readonly a: Item; readonly pair: Pair }) {
  useKeys(pair)
  return (
    <>
      {pair.ranks === null && [a, pair.b].some(isOfJob) && (
        <p class="soft">
          A rank of a job stands for it: ranks wait for one another, so they are no repetitions.{' '}
          <JobsBeside of={[a, pair.b]} />
        </p>
      )}
      <p class="compare-headline">
        <Said text={pair.headline} /> <Definition of="a finding" text={define.verdict} />
      </p>
      {pair.ranks !== null &&
        [a, pair.b].map(({ members: [rank] }) => rank !== undefined && <OfRank key={rank.worker} rank={rank} />)}
      <Recordings pair={pair} />
      <Steps a={a} b={pair.b} />
      <Waterfall pair={pair} />
      <Flame pair={pair} />
      <ChangeTree a={a} pair={pair} />
      <p class="soft">
        {pair.n_matched} matched, {pair.n_added} only in B, {pair.n_removed} only in A.
      </p>
    </>
  )
}

/** Where all ranks of both are compared; of one run Ranks alone. */
function JobsBeside({ of: [a, b] }: { readonly of: readonly [Item, Item] }) {
  const [mine, its] = [a.members[0], b.members[0]]
  if (mine === undefined || its === undefined) return null
  const isBoth = isOfJob(a) && isOfJob(b) && mine.run !== its.run
  const { run, worker, span } = isOfJob(a) ? mine : its
  const there = workersOf(its.run).find(({ name }) => name === its.worker)
  const other = (there?.spans.length ?? 1) > 1 ? `${its.run}\t${its.span}` : its.run
  const beside = isBoth ? { 'ranks.show': 'beside', 'ranks.beside': other } : { 'ranks.show': undefined }
  return (
    <PlaceLink to={{ ...opening({ run, worker, span }), view: 'ranks', ...beside }}>
      {isBoth ? 'Ranks has both jobs, rank by rank' : `Ranks has all of ${run}`}
    </PlaceLink>
  )
}

function isOfJob({ members: [first] }: Item): boolean {
  return first !== undefined && workersOf(first.run).length > 1
}

function workersOf(run: string): readonly WorkerState[] {
  return runs.value.reply?.runs.find(({ name }) => name === run)?.workers ?? []
}

/** How the recordings differ, and what must be known first. */
function Recordings({ pair: { differences, doubts, alike } }: { readonly pair: Pair }) {
  return (
    <section class="compare-recordings" aria-label="How the recordings differ">
      {doubts.map((said) => (
        <p key={said} class="is-warned">
          {said}
        </p>
      ))}
      <p>
        <span class="soft">differs: </span>
        {differences.length === 0
          ? 'nothing in how they were recorded'
          : differences.map(({ what, a, b }) => `${what} ${a} → ${b}`).join('; ')}
        {alike.length > 0 && <span class="soft"> · both: {alike.join(', ')}</span>}
      </p>
    </section>
  )
}

/** X swaps, [ and ] go to the finding before and after. */
function useKeys({ rows }: Pair): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return
      if (event.code === 'KeyX') moveTo(swapped(parseItems(at('compare.items'))))
      else if (event.code === 'BracketLeft' || event.code === 'BracketRight') {
        const from = Number(/^compare-row-(\d+)$/.exec(document.activeElement?.id ?? '')?.[1] ?? -1)
        const row = nextFinding(rows, from, event.code === 'BracketRight' ? 1 : -1)
        if (row === undefined) return
        go({ 'compare.toggled': formatToggled(revealing(rows, parseToggled(at('compare.toggled')), row.id)) })
        requestAnimationFrame(() => focusRow(row.id))
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [rows])
}
