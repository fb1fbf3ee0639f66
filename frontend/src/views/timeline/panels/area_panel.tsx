/**
 * What is in the area: its events summed by name, category, module, its class or step. Each row leads to its longest event.
 * With a second timeline beside, what both have in theirs, and what differs.
 */
import './area.css'

import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'

import { cutMiddle } from '../../../base/cut'
import { exactCount, formatNs, formatShare, plural } from '../../../base/units'
import { useReply } from '../../../data/reply'
import type { Filters } from '../../../state/filters'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import type { Column } from '../../../widgets/table/column'
import { SmallTable, TimeCell } from '../../../widgets/panel/small_table'
import { DataTable } from '../../../widgets/table/data_table'
import type { TimelineArea, TrackEvent } from '../../../wire/wire'
import * as define from '../definitions'
import { OTHER_TREE } from '../store/call_tree'
import { joined } from '../store/joined'
import type { JoinedRow } from '../store/joined'
import { FRAMES, GROUPS, SIDES, VIEWS } from '../store/area_ways'
import { PAGE_LINK } from '../store/link'
import { bothWords, oneWords } from './area_words'
import { Close } from './close'
import { insideWords } from '../store/inside_words'
import type { Area } from '../store/place'
import { stepAlone } from '../store/steps_window'
import type { TimelineStore } from '../store/store'
import { stepsLater } from './beside'
import { Calls } from './calls_panel'
import { paintWords } from './legend'
import { useSeen } from './seen'

const MOST_THEN = 200 // rows of the second level

export function AreaPanel({ store, area }: { readonly store: TimelineStore; readonly area: Area }) {
  const second = store.beside.value
  const long = area.t1 - area.t0
  const group = chosen(GROUPS, 'timeline.group')
  const view = IS_REPORT ? 'table' : chosen(VIEWS, 'timeline.as')
  const frames = chosen(FRAMES, 'timeline.frames')
  const below = IS_REPORT ? undefined : second?.area.value
  // What one side does not list would be no 0 on the other: both list all.
  const asked = { group_by: group, ...(below !== undefined && { top: 20000 }) } as const
  const mine = partOf(store, area, below !== undefined)
  const its = second && below && partOf(second, below, true)
  const { value, error } = useReply('view/timeline/area', store.profile, { ...mine, ...asked }).value
  const other = useReply('view/timeline/area', second?.profile ?? store.profile, its && { ...its, ...asked }).value
  const values = [value, below && other.value].filter((each) => each !== undefined)
  const sides = SIDES.filter(({ id }) =>
    values.some(({ rows }) => rows.some((row) => row.on_device === (id === 'device'))),
  )
  const side = sides.find(({ id }) => id === at('timeline.side'))?.id ?? sides[0]?.id ?? 'host'
  const both =
    second !== undefined && below !== undefined && other.value !== undefined && other.value.group_by === value?.group_by
  const problem = error ?? (below && other.error)
  const words = value && (both ? bothWords(value, other.value) : oneWords(value, view === 'table'))
  const ways = (
    <>
      {sides.length > 1 && (
        <Select label="Of" value={side} options={sides} onChoose={(id) => choose('timeline.side', id, 'device')} />
      )}
      {view === 'table' ? (
        <Select
          label="Group by"
          value={group}
          options={IS_REPORT ? GROUPS.slice(0, 2) : GROUPS}
          onChoose={(id) => choose('timeline.group', id, 'name')}
        />
      ) : (
        <Select
          label="Frames"
          value={frames}
          options={FRAMES}
          onChoose={(id) => choose('timeline.frames', id, 'all')}
        />
      )}
    </>
  )
  return (
    <section ref={useSeen(area)} class="tl-area" aria-label="Area">
      <header>
        <h2>
          {formatNs(long)}
          {below && (below.t1 - below.t0 === long ? ' each' : `, beside ${formatNs(below.t1 - below.t0)}`)} on{' '}
          {plural(area.tracks.length, 'track')}
        </h2>
        <span class="soft tl-area-words">
          {IS_REPORT && value ? `${words ?? ''} · ${insideWords(value, 'summed up')}` : words}
          {keptWords(store, [mine, its])}
        </span>
        {!IS_REPORT && (
          <Select label="As" value={view} options={VIEWS} onChoose={(id) => choose('timeline.as', id, 'table')} />
        )}
        {view !== 'table' && ways}
        <button type="button" class="button is-small" onClick={() => store.window.jump(area.t0, area.t1)}>
          Zoom to it
        </button>
        <Close what="the area" keys=" (Esc)" onClick={() => store.chooseArea(undefined)} />
      </header>
      {problem !== undefined && <p class="is-bad">{problem}</p>}
      {value === undefined ? null : !IS_REPORT && view !== 'table' ? (
        <Calls
          stores={[store, second]}
          params={[mine, its].map((each) => each && { ...each, side, frames, inverted: view === 'callees' })}
        />
      ) : (
        <Rows
          stores={both ? [store, second] : [store]}
          areas={both ? [value, other.value] : [value]}
          side={side}
          stretch={both ? undefined : area}
        >
          {ways}
        </Rows>
      )}
    </section>
  )
}

interface RowsProps {
  readonly stores: readonly TimelineStore[]
  readonly areas: readonly TimelineArea[]
  readonly side: (typeof SIDES)[number]['id']
  /** What is in a row can be asked of one alone. */
  readonly stretch?: Area | undefined
  readonly children: ComponentChildren
}

/** Of one timeline what takes most time comes first, of two what differs most. */
function Rows({ stores, areas, side, stretch, children }: RowsProps) {
  const [{ group_by: group }] = areas as readonly [TimelineArea]
  const isOne = stores.length === 1
  const { rows, lacks } = useMemo(
    () =>
      joined(
        stores.map(({ tracks }, nth) => ({ tracks, area: areas[nth] as TimelineArea })),
        side === 'device',
        stepsLater(),
      ),
    [areas[0], areas[1], side, stepsLater()],
  )
  return (
    <>
      {lacks.map((words, nth) =>
        words.size === 0 ? null : (
          <p key={nth} class="tl-none soft">
            Not recorded {nth === 0 ? 'above' : 'beside'}: {[...words].map(paintWords).join(', ')}.
          </p>
        ),
      )}
      <DataTable
        key={`${group} ${side} ${isOne}`}
        id={`timeline_${isOne ? 'area' : 'both'}_${group}`}
        label={`Events in ${isOne ? 'the area' : 'both areas'}, by ${group}`}
        rows={rows}
        columns={columnsOf(group, isOne)}
        sort={{ column: isOne ? 'self_ns' : 'difference_ns', descending: true }}
        keyOf={({ kind, name }) => `${kind ?? ''} ${name ?? ''}`}
        fileParts={[...Object.values((stores[0] as TimelineStore).profile), 'area']}
        nothing="Nothing ran here."
        details={(row) => [
          ...stores.map((store, nth) => <Longest key={nth} store={store} event={row.longest[nth]} />),
          !IS_REPORT && stretch && row.longest[0] && (
            <Then store={stores[0] as TimelineStore} area={stretch} group={group} row={row.longest[0].row} />
          ),
        ]}
      >
        {children}
      </DataTable>
    </>
  )
}

interface ThenProps {
  readonly store: TimelineStore
  readonly area: Area
  readonly group: Group
  /** An event of the row that is opened. */
  readonly row: number
}

/** The second level: what adds up to a row. */
export function Then({ store, area, group, row }: ThenProps) {
  const options = GROUPS.filter(({ id }) => id !== group)
  const by = options.find(({ id }) => id === at('timeline.then'))?.id ?? (group === 'name' ? 'module' : 'name')
  const asked = { ...partOf(store, area, false), group_by: group, then_by: by, of_row: row, top: MOST_THEN }
  const { value } = useReply('view/timeline/area', store.profile, asked).value
  const { value: nameOf, absent = '' } = FIRST[by]
  return (
    <>
      <Select label="Then by" value={by} options={options} onChoose={(id) => go({ 'timeline.then': id })} />
      {value && (
        <SmallTable
          first={(value.n_names > MOST_THEN ? `${MOST_THEN} of ` : '') + plural(value.n_names, 'row')}
          columns={['Events', 'Self', 'Share']}
        >
          {value.rows.map((each) => (
            <tr key={each.longest.row}>
              <td class="is-text" title={each.name ?? absent}>
                {cutMiddle(String(nameOf(each) ?? absent), 30)}
              </td>
              <td>{exactCount(each.count)}</td>
              <TimeCell ns={each.self_ns} />
              <td>{each.share === null ? '–' : formatShare(each.share)}</td>
            </tr>
          ))}
        </SmallTable>
      )}
    </>
  )
}

function Longest({ store, event }: { readonly store: TimelineStore; readonly event: TrackEvent | undefined }) {
  return event === undefined ? null : (
    <button type="button" class="button" onClick={() => store.visit(event)}>
      Show the longest{store.link !== PAGE_LINK && ' beside'}
    </button>
  )
}

interface Part extends Filters {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly tracks: string
}

/** What filters keep of it; of two the step alone, where it is all of one. A report sums up everything. */
function partOf({ filters, tracks: { steps } }: TimelineStore, { t0, t1, tracks }: Area, isOfTwo: boolean): Part {
  const [from, to] = [Math.round(t0), Math.round(t1)]
  const kept = IS_REPORT ? {} : { ...(isOfTwo && stepAlone(steps, from, to)), ...filters }
  return { t0_ns: from, t1_ns: to, tracks: tracks.join(), ...kept }
}

/** What is left out of the sums. */
function keptWords({ kept }: TimelineStore, parts: readonly (Part | undefined)[]): string {
  if (kept !== undefined) return IS_REPORT ? ' · of everything' : ' · of what filters keep'
  const steps = parts.flatMap((each) => each?.steps ?? [])
  return steps.length === 0 ? '' : ` · of step ${[...new Set(steps)].join(' and ')} alone`
}

type Options<T extends string> = readonly [{ readonly id: T }, ...(readonly { readonly id: T }[])]

function chosen<T extends string>(options: Options<T>, key: string): T {
  return (options.find(({ id }) => id === at(key)) ?? options[0]).id
}

/** Another tree has other nodes: what was zoomed to is not there. */
function choose(key: string, id: string, usual: string): void {
  go({ ...OTHER_TREE, [key]: id === usual ? undefined : id })
}

type Group = TimelineArea['group_by']

type Named = Pick<JoinedRow, 'name' | 'kind'>

const NAME: Column<Named> = {
  id: 'name',
  title: 'Name',
  kind: 'name',
  value: (row) => row.name,
  definition: define.area_name,
}

const FIRST: Readonly<Record<Group, Column<Named>>> = {
  name: NAME,
  category: {
    ...NAME,
    title: 'Category',
    value: (row) => paintWords(row.name ?? ''),
    definition: define.area_category,
  },
  module: { ...NAME, title: 'Module', absent: 'in no module', definition: define.area_module },
  class: { ...NAME, title: 'Module class', absent: 'in no module', definition: define.area_class },
  step: { ...NAME, title: 'Step', absent: 'outside of steps', definition: define.area_step },
}

/** A report knows of what is drawn its category alone: another thing than a kind, under another key. */
export function kindColumn(isReport: boolean): Column<Named> {
  return {
    ...(isReport
      ? { id: 'category', title: 'Category', definition: define.area_category }
      : { id: 'kind', title: 'Kind', definition: define.kind }),
    kind: 'text',
    width: 110,
    value: ({ kind }) => (isReport ? paintWords(kind ?? '') : (kind?.replaceAll('_', ' ') ?? '')),
  }
}

export const KIND = kindColumn(IS_REPORT)

const FIGURES = {
  count: { title: 'Events', kind: 'count', sums: true, definition: define.count },
  self_ns: { title: 'Self', kind: 'ns', sums: true, absent: '–', definition: define.area_self_ns },
  time_ns: { title: 'Total', kind: 'ns', definition: define.time_ns },
  mean_ns: { title: 'Mean', kind: 'ns', definition: define.area_mean_ns },
  share: { title: 'Share', kind: 'share', sums: true, absent: '–', definition: define.area_share },
} as const

/** Of this timeline, or of the one beside. */
function figure(id: keyof typeof FIGURES, nth: 0 | 1 = 0): Column<JoinedRow> {
  const own = { ...FIGURES[id], id, value: (row: JoinedRow) => row.figures[nth]?.[id] ?? null }
  return nth === 0 ? own : { ...own, id: `beside_${id}`, title: `${own.title} beside` }
}

const ONE: readonly Column<JoinedRow>[] = [
  figure('count'),
  figure('self_ns'),
  figure('share'),
  figure('time_ns'),
  figure('mean_ns'),
  {
    id: 'longest_ns',
    title: 'Longest',
    kind: 'ns',
    value: (row) => row.longest[0]?.duration_ns ?? null,
    definition: define.longest,
  },
]

const BOTH: readonly Column<JoinedRow>[] = [
  {
    id: 'difference_ns',
    title: 'Difference',
    kind: 'change_ns',
    sums: true,
    absent: '–',
    value: (row) => row.difference_ns,
    order: ({ difference_ns: ns }) => (ns === null ? null : Math.abs(ns)),
    definition: define.difference_ns,
  },
  figure('self_ns'),
  figure('self_ns', 1),
  figure('count'),
  figure('count', 1),
  // The difference is that of their own time; names that differ in their middle need the room.
  { ...figure('time_ns'), hidden: true },
  { ...figure('time_ns', 1), hidden: true },
]

/** Of two the difference is read first, also where the table is narrow. */
export function columnsOf(group: Group, isOne: boolean): readonly Column<JoinedRow>[] {
  const kind = group === 'name' ? [KIND] : []
  return isOne ? [FIRST[group], ...kind, ...ONE] : [FIRST[group], ...BOTH, ...kind]
}
