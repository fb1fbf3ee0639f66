/** What a right click in the timeline offers, or the key for it. */
import { signal } from '@preact/signals'

import { exactNs } from '../../../base/units'
import { addressOf, go } from '../../../state/place'
import type { MenuAt, MenuItem } from '../../../widgets/panel/menu'
import type { TimelineEvent } from '../../../wire/wire'
import { PAGE_LINK } from './link'
import { arrangementChanges } from './place'
import type { TimelineStore } from './store'

export const menu = signal<MenuAt | undefined>(undefined)

export function openMenu(at: MouseEvent, items: readonly MenuItem[]): void {
  at.preventDefault()
  menu.value = { x: at.clientX, y: at.clientY, items }
}

/** Selects the event, as a click does, and says what else can be done with it. */
export async function openEventMenu(store: TimelineStore, at: MouseEvent, row: number): Promise<void> {
  at.preventDefault()
  store.hand.hover.value = undefined
  store.select(row)
  const event = await store.selection.ask(row)
  if (event !== undefined) openMenu(at, eventItems(store, event))
}

export function findItem(name: string): MenuItem {
  const q = name.replace(/^(ProfilerStep|nn\.Module: .*_)\*$/, '$1') // many names as one
  return {
    label: 'Find all of this name',
    run: () => go({ 'timeline.q': q, 'timeline.regex': undefined, 'timeline.list': '1' }),
  }
}

function eventItems(
  store: TimelineStore,
  { name, start_ns: t0, duration_ns, track }: TimelineEvent,
): readonly MenuItem[] {
  return [
    { label: 'Copy name', text: () => name },
    { label: 'Copy duration', text: () => exactNs(duration_ns) },
    { label: 'Copy link', text: () => addressOf() },
    findItem(name),
    { label: 'Zoom to it', run: () => store.fit() },
    ...(duration_ns > 0 ? [areaItem(store, 'Sum up while it ran', [t0, t0 + duration_ns], track)] : []),
    { label: 'Hide its track', run: () => store.toggle('hidden', track) },
  ]
}

export function trackItems(store: TimelineStore, id: number): readonly MenuItem[] {
  const { t0, t1 } = store.window.view
  return [
    { label: 'Copy name', text: () => store.picture.track(id)?.name ?? '' },
    { label: 'Copy link', text: () => linkTo(store, 'track', id) },
    areaItem(store, 'Sum up what is in sight', [t0, t1], id),
  ]
}

export function groupItems(store: TimelineStore, name: string, ids: readonly number[]): readonly MenuItem[] {
  const hidden = new Set([...store.picture.arrangement.value.hidden, ...ids])
  return [
    { label: 'Copy name', text: () => name },
    { label: 'Hide its tracks', run: () => store.link.go(arrangementChanges({ hidden })) },
  ]
}

/** Of a curve, or a row of the strip. */
export function rowItems(name: string, value?: string): readonly MenuItem[] {
  return [
    { label: 'Copy name', text: () => name },
    ...(value === undefined ? [] : [{ label: 'Copy value', text: () => value }]),
    { label: 'Copy link', text: () => addressOf() },
  ]
}

/** The page's address with this in it, of the timeline that it is of. */
export function linkTo(store: TimelineStore, key: 'track' | 'call', id: number): string {
  return addressOf({ [`${store.link === PAGE_LINK ? 'timeline' : 'beside'}.${key}`]: String(id) })
}

function areaItem(store: TimelineStore, label: string, [t0, t1]: readonly [number, number], track: number): MenuItem {
  return { label, run: () => store.chooseArea({ t0, t1, tracks: [track] }) }
}
