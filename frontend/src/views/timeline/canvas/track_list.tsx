/** The names on the left: they fold, pin and hide tracks, and open their Python frames. Those of pinned tracks stay in sight. */
import './track_list.css'

import { plural } from '../../../base/units'
import { LANE_PX } from '../../../draw/blocks/lane_layout'
import type { GroupPlace, PartPlace, TrackPlace } from '../../../draw/blocks/lane_layout'
import { CutName } from '../../../widgets/cut_name'
import { Popup } from '../../../widgets/panel/popup'
import { useRoving } from '../../../widgets/use_roving'
import type { MenuItem } from '../../../widgets/panel/menu'
import { groupItems, openMenu, trackItems } from '../store/menu'
import type { Named } from '../store/picture'
import type { TimelineStore } from '../store/store'
import { drag } from './drag'
import { reorder } from './reorder'

export function TrackList({ store, near: { from, to } }: { readonly store: TimelineStore; readonly near: Named }) {
  const { groups, tracks, pinnedPx } = store.picture.layout.value
  const isNear = ({ top, height }: TrackPlace | GroupPlace): boolean => top + height >= from && top <= to
  const pinned = tracks.filter((track) => track.isPinned)
  const box = useRoving<HTMLDivElement>()
  return (
    <div ref={box} class="tl-names">
      {pinned.length > 0 && (
        <ul class="tl-list tl-pinned" aria-label="Pinned tracks" style={{ height: `${pinnedPx}px` }}>
          {pinned.map((track) => (
            <Track key={track.id} store={store} place={track} />
          ))}
          <DropLine store={store} isPinned />
        </ul>
      )}
      <ul class="tl-list" aria-label="Tracks" style={{ '--tl-pinned': `${pinnedPx}px` }}>
        <DropLine store={store} isPinned={false} />
        {groups.filter(isNear).map((group) => (
          <Group key={`g${group.index}`} store={store} place={group} />
        ))}
        {tracks
          .filter((track) => !track.isPinned && isNear(track))
          .map((track) => (
            <Track key={track.id} store={store} place={track} />
          ))}
      </ul>
    </div>
  )
}

function Group({ store, place }: { readonly store: TimelineStore; readonly place: GroupPlace }) {
  const { index, top, height, isFolded, notePx } = place
  const { name = '' } = store.tracks.groups[index] ?? {}
  // A number tells processes apart, of all lists on the screen: what it is goes where there is no room.
  const [, number = name, what] = /^(process \d+)( .*)$/.exec(name) ?? []
  const all = store.tracks.tracks.filter((track) => track.group === index)
  const { hidden, pinned } = store.picture.arrangement.value
  const above = all.filter(({ id }) => pinned.includes(id))
  const gone = all.filter((track) => hidden.has(track.id) && !above.includes(track))
  const nOff = notePx > 0 ? all.length - above.length - gone.length : 0
  const counts = [
    [above.length, 'pinned'],
    [gone.length, 'hidden'],
    [nOff, 'off'],
  ] as const
  const words =
    nOff === all.length
      ? 'All rows off'
      : gone.length === all.length
        ? `${all.length === 1 ? 'Its track' : `All ${plural(all.length, 'track')}`} hidden`
        : counts
            .filter(([n]) => n > 0)
            .map((each) => each.join(' '))
            .join(', ')
  const actions = movers(name, (by) => store.move(`g${index}`, by))
  return (
    <li
      class={`tl-group ${movedClass(store, `g${index}`)}`}
      style={placed(top, height + notePx)}
      onPointerDown={(event) => reorder(store, `g${index}`, event)}
      onContextMenu={(event) => openMenu(event, [...groupItems(store, name, all.map(({ id }) => id)), ...asItems(actions)])} // prettier-ignore
    >
      <button
        type="button"
        title={name}
        aria-expanded={!isFolded}
        style={{ height: `${height}px` }}
        onClick={() => store.toggle('folded', `g${index}`)}
      >
        <Arrow isFolded={isFolded} />
        <CutName name={number} />
        {what !== undefined && <span class="tl-what">{what}</span>}
        {notePx === 0 && <span class="soft">{isFolded ? plural(all.length, 'track') : words}</span>}
      </button>
      {notePx > 0 && (
        <span class="tl-note" title={nOff > 0 ? `${words}: see Colours` : words}>
          <span>{words}</span>
          {above.length < all.length && (
            <button
              type="button"
              class="link"
              aria-label={`Show the tracks of ${name}`}
              onClick={() => store.showTracks(all)}
            >
              Show
            </button>
          )}
        </span>
      )}
      <Tools name={name} actions={actions} />
    </li>
  )
}

interface Action {
  /** In a menu. */
  readonly words: string
  /** Read out, with the name of what it is done to. */
  readonly label: string
  readonly sign: string
  readonly isOn?: boolean
  readonly run: () => void
}

/** Signs where a pointer is over the name; a menu where nothing hovers, or a name has no room beside them. */
function Tools({ name, actions }: { readonly name: string; readonly actions: readonly Action[] }) {
  const buttons = (text: (action: Action) => string) =>
    actions.map((action) => (
      <button
        key={action.sign}
        type="button"
        title={action.words}
        aria-label={action.label}
        aria-pressed={action.isOn}
        onClick={action.run}
      >
        {text(action)}
      </button>
    ))
  return (
    <>
      <span class="tl-track-tools">{buttons(({ sign }) => sign)}</span>
      <span class="tl-more">
        <Popup
          class=""
          label={
            <>
              <span aria-hidden="true">⋯</span>
              <span class="sr-only">Arrange {name}</span>
            </>
          }
          content={() => buttons(({ sign, words }) => `${sign} ${words}`)}
        />
      </span>
    </>
  )
}

function asItems(actions: readonly Action[]): readonly MenuItem[] {
  return actions.map(({ words: label, run }) => ({ label, run }))
}

function movers(name: string, move: (by: 1 | -1) => void): readonly Action[] {
  return [
    { words: 'Move up', label: `Move ${name} up`, sign: '↑', run: () => move(-1) },
    { words: 'Move down', label: `Move ${name} down`, sign: '↓', run: () => move(1) },
  ]
}

function Track({ store, place }: { readonly store: TimelineStore; readonly place: TrackPlace }) {
  const { id, index, top, height, isFolded, lanes, parts } = place
  const isPinned = store.picture.arrangement.value.pinned.includes(id)
  const track = store.tracks.tracks[index]
  if (track === undefined) return null
  const name = place.isPinned ? `${track.name} · ${store.tracks.groups[track.group]?.name ?? ''}` : track.name
  const words = `${name}: ${plural(track.n_events, 'event')}`
  const python = isFolded ? undefined : parts.find((part) => part.kind === 'python')
  const pin = {
    words: isPinned ? 'Let it scroll' : 'Pin to the top',
    label: `Pin ${track.name}`,
    sign: '⤒',
    isOn: isPinned,
    run: () => store.togglePin(id),
  }
  const hide = { words: 'Hide', label: `Hide ${track.name}`, sign: '✕', run: () => store.toggle('hidden', id) }
  const actions = [...movers(track.name, (by) => store.move(`${id}`, by)), pin, ...(isPinned ? [] : [hide])]
  return (
    <li
      class={`tl-track ${movedClass(store, `${id}`)}`}
      style={placed(top, height - 4)}
      title={lanes < 2 ? words : undefined}
      onPointerDown={(event) => reorder(store, `${id}`, event)}
      onContextMenu={(event) => openMenu(event, [...trackItems(store, id), ...asItems(actions)])}
    >
      <button
        type="button"
        class="tl-track-name"
        title={`${words}. Click to make it ${isFolded ? 'tall' : 'flat'}`}
        aria-label={words}
        aria-expanded={!isFolded}
        disabled={lanes < 2}
        onClick={() => store.toggle('folded', `t${id}`)}
      >
        {lanes < 2 ? <span class="tl-arrow" aria-hidden="true" /> : <Arrow isFolded={isFolded} />}
        <CutName name={name} />
      </button>
      <Tools name={track.name} actions={actions} />
      {!isFolded && <Grip store={store} place={place} />}
      {python !== undefined && <Frames store={store} track={track.name} place={place} part={python} />}
    </li>
  )
}

/** The lower edge of a track, dragged: its lanes grow. A double click gives them their usual height. */
function Grip({ store, place }: { readonly store: TimelineStore; readonly place: TrackPlace }) {
  const { id, parts } = place
  const lanes = parts.reduce((sum, part) => sum + (part.isFolded ? 0 : part.lanes - Math.max(part.covered - 1, 0)), 0)
  const before = parts.find((part) => !part.isFolded)?.lanePx ?? LANE_PX
  return (
    <span
      class="tl-grip"
      aria-hidden="true"
      onPointerDown={(event) => drag(event, (_, dy) => store.resize(id, before + dy / Math.max(lanes, 1)))}
      onDblClick={() => store.resize(id, LANE_PX)}
    />
  )
}

/** Opens the Python frames, and the outer ones that cover all that is seen. */
function Frames({
  store,
  track,
  place,
  part,
}: {
  readonly store: TimelineStore
  readonly track: string
  readonly place: TrackPlace
  readonly part: PartPlace
}) {
  const { stacks } = store.picture.arrangement.value
  const { covered, isFolded, lanes } = part
  return (
    <span class="tl-frames" style={placed(part.top - place.top, LANE_PX)}>
      <button
        type="button"
        aria-expanded={!isFolded}
        aria-label={`Python frames of ${track}`}
        title={`${plural(lanes, 'row')} of Python frames`}
        onClick={() => store.toggle('python', place.id)}
      >
        <Arrow isFolded={isFolded} />
        Python
      </button>
      {!isFolded && (covered > 0 || stacks.has(place.id)) && (
        <button
          type="button"
          aria-expanded={covered === 0}
          title="Frames that cover all that is seen lie in one row, which shows the innermost"
          onClick={() => store.toggle('stacks', place.id)}
        >
          {covered > 0 ? `+ ${covered - 1} outer` : '− outer'}
        </button>
      )}
      {isFolded && <span class="soft">{plural(lanes, 'row')}</span>}
    </span>
  )
}

/** Where what is dragged would lie. */
function DropLine({ store, isPinned }: { readonly store: TimelineStore; readonly isPinned: boolean }) {
  const { value } = store.hand.moved
  const isHere = store.picture.arrangement.value.pinned.includes(Number(value?.key)) === isPinned
  if (value?.drop === undefined || !isHere) return null
  return <li class="tl-drop" role="presentation" style={{ top: `${value.drop.line - 2}px` }} />
}

function movedClass(store: TimelineStore, key: string): string {
  return store.hand.moved.value?.key === key ? 'is-moved' : ''
}

function Arrow({ isFolded }: { readonly isFolded: boolean }) {
  return (
    <span class="tl-arrow" aria-hidden="true">
      {isFolded ? '▸' : '▾'}
    </span>
  )
}

function placed(top: number, height: number): { readonly top: string; readonly height: string } {
  return { top: `${top}px`, height: `${height}px` }
}
