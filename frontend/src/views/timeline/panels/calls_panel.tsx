/** The flame graph of an area with the calls it is drawn from. A click zooms, and one more leads to its longest call in the timeline, as each row does. */
import { useMemo } from 'preact/hooks'

import { exactNs, formatCount, formatNs, formatShare, plural } from '../../../base/units'
import { useReply } from '../../../data/reply'
import { VARIABLES } from '../../../draw/paint/palette'
import { at, go } from '../../../state/place'
import { Icicle } from '../../../widgets/charts/icicle_chart'
import { EditBar } from '../../../widgets/choose/edit_bar'
import { parseEdits, withEdit } from '../../../widgets/choose/edits'
import { Definition } from '../../../widgets/panel/popup'
import { words } from '../../../widgets/words'
import type { CallNode, CallsParams, TimelineCalls } from '../../../wire/wire'
import * as define from '../definitions'
import { OTHER_TREE, callTree, commonPrefix, folded, keptBy, nodeOf } from '../store/call_tree'
import { findItem, linkTo, openMenu } from '../store/menu'
import type { TimelineStore } from '../store/store'
import { CallRows } from './call_rows'

/** What is sought in the timeline is found here too, and these stand in the link. */
const EDIT = 'timeline.edit'
const BY_CLASS = 'timeline.classes'
const ACTIONS = [
  ['focus', 'Focus on all its calls'],
  ['merge', 'Leave it out: its own time is its caller’s'],
  ['drop', 'Leave it out with all that it calls'],
] as const

interface CallsProps {
  /** The second one is beside the first. */
  readonly stores: readonly [TimelineStore, TimelineStore | undefined]
  readonly params: readonly (CallsParams | undefined)[]
}

export function Calls({ stores, params }: CallsProps) {
  const [first] = stores
  const isByClass = at(BY_CLASS) === '1'
  const own = {
    by_class: isByClass,
    edit: at(EDIT) ?? '',
    q: at('timeline.q') ?? '',
    regex: at('timeline.regex') === '1',
  }
  const replies = stores.map((store = first, nth) => {
    const asked = params[nth]
    return useReply('view/timeline/calls', store.profile, asked && { ...asked, ...own }).value
  })
  const zoomed = replies[0]?.value?.nodes[Number(at('timeline.call') ?? -1)]?.name ?? 'NAME'
  return (
    <>
      <div class="edits tl-none">
        {(isByClass || replies.some(({ value }) => value !== undefined && value.n_instances > 0)) && (
          <button
            type="button"
            class="button is-small"
            aria-pressed={isByClass}
            title={words(define.by_class)}
            onClick={() => go({ ...OTHER_TREE, [BY_CLASS]: isByClass ? undefined : '1' })}
          >
            Modules by class
          </button>
        )}
        <span class="soft">
          Edit <Definition of="Edit" text={define.call_edit} />
        </span>
        <EditBar
          id={EDIT}
          label="What to focus on, merge or drop"
          examples={ACTIONS.map(([action]) => `${action}:${zoomed}`)}
          and={OTHER_TREE}
        />
      </div>
      <div class="tl-area-calls">
        {replies.map(({ value, error }, nth) => {
          const isInverted = params[nth]?.inverted === true
          return error !== undefined ? (
            <p key={nth} class="is-bad">
              {error}
            </p>
          ) : value === undefined || params[nth] === undefined ? null : (
            <Flame
              key={`${nth} ${value.side} ${value.frames} ${isInverted}`}
              store={stores[nth] ?? first}
              calls={value}
              isInverted={isInverted}
              isSeeking={own.q !== ''}
            />
          )
        })}
      </div>
    </>
  )
}

function Flame({
  store,
  calls,
  isInverted,
  isSeeking,
}: {
  readonly store: TimelineStore
  readonly calls: TimelineCalls
  readonly isInverted: boolean
  readonly isSeeking: boolean
}) {
  const whole = useMemo(() => callTree(calls), [calls])
  const zoom = Math.min(Number(store.link.read()['timeline.call'] ?? -1), whole.rows.length - 1)
  const prefix = useMemo(() => (isInverted ? [] : commonPrefix(whole)), [whole, isInverted])
  const isFolded = prefix.length > 1 && !prefix.includes(zoom)
  const tree = useMemo(() => (isFolded ? folded(whole, prefix) : whole), [whole, isFolded, prefix])
  const listedNs = calls.nodes.reduce((sum, { parent, time_ns }) => sum + (parent === null ? time_ns : 0), 0)
  const selected = isInverted ? -1 : nodeOf(whole, store.selection.event.value)
  const nameOf = (id: number): string => whole.rows[id]?.name ?? 'all'
  const blockName = (id: number | undefined): string => (id === undefined ? 'small calls' : nameOf(id))
  const choose = (id: number): void => store.link.go({ 'timeline.call': id < 0 ? undefined : String(id) })
  const follow = (id: number): void => {
    const row = id === zoom ? whole.rows[id] : undefined
    if (row === undefined) choose(id)
    else store.visit(row.longest)
  }
  const hits = useMemo(() => (isSeeking ? new Set(calls.hits) : undefined), [calls, isSeeking])
  const kept = useMemo(() => hits && keptBy(tree, hits), [tree, hits])
  const openCallMenu = (id: number, event: MouseEvent): void => {
    const row = whole.rows[id]
    if (row === undefined) return
    const stack = [...whole.nodes.around(id), id].map(nameOf)
    const line = row.name.replace(/\s+/g, ' ')
    openMenu(event, [
      { label: 'Copy name', text: () => row.name },
      { label: 'Copy time', text: () => exactNs(row.time_ns) },
      { label: 'Copy stack', text: () => stack.join('\n') },
      { label: 'Copy link', text: () => linkTo(store, 'call', id) },
      findItem(row.name),
      { label: 'Show the longest', run: () => store.visit(row.longest) },
      ...ACTIONS.map(([action, label]) => ({
        label,
        run: () => go({ ...OTHER_TREE, [EDIT]: withEdit(parseEdits(at(EDIT)), `${action}:${line}`) }),
      })),
    ])
  }
  if (tree.rows.length === 0) return <p class="tl-none soft">Nothing of this ran here.</p>
  return (
    <div class="tl-calls">
      {prefix.length > 1 && (
        <p class="soft tl-none" title={prefix.map(nameOf).join(' › ')}>
          <button type="button" class="link" onClick={() => choose(isFolded ? (prefix[0] ?? -1) : -1)}>
            {isFolded ? 'Unfold' : 'Fold'}
          </button>{' '}
          the {prefix.length} calls around all, down to {nameOf(prefix.at(-1) ?? -1)}
        </p>
      )}
      {hits && (
        <p class="soft tl-none" title={words(define.call_found)}>
          {plural(hits.size, 'call path')} found: {formatNs(calls.found_ns)},{' '}
          {formatShare(calls.found_ns / calls.time_ns)}
        </p>
      )}
      <Icicle
        nodes={tree.nodes}
        name={blockName}
        short={({ value }) => formatNs(value)}
        describe={({ id, value, ownShare }) =>
          `${blockName(id)}\n${formatNs(value)} (${exactNs(value)}) · ${formatShare(value / calls.time_ns)} of all${countWords(whole.rows[id ?? -1])}\nself ${formatNs(value * ownShare)}${id === zoom && id >= 0 ? '\nClick: the longest call' : ''}`
        }
        fill={(id) => `var(${VARIABLES[tree.rows[id]?.paint ?? ''] ?? '--c-other'})`}
        label={`Time by call path, ${isInverted ? 'callers below what they call' : 'the outermost on top'}. The table below has the same calls.`}
        zoom={zoom}
        selected={selected >= 0 ? selected : zoom}
        kept={kept}
        classOf={(id) => (hits?.has(id) === true ? 'is-hit' : '')}
        onChoose={follow}
        onMenu={openCallMenu}
      />
      {calls.nodes.length < calls.n_nodes && (
        <p class="soft tl-none">
          The {formatCount(calls.nodes.length)} largest of {formatCount(calls.n_nodes)} call paths:{' '}
          {formatShare(listedNs / calls.time_ns)} of the time.
        </p>
      )}
      <CallRows
        store={store}
        tree={tree}
        zoom={zoom}
        whole={calls.time_ns}
        hits={hits}
        kept={kept}
        onChoose={choose}
        onMenu={openCallMenu}
      />
    </div>
  )
}

function countWords(row: CallNode | undefined): string {
  return row === undefined ? '' : ` · ${plural(row.count, 'call')}`
}
