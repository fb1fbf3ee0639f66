/** Where the user is. Read `place.value` (or `at(key)`) in components, change it with `go` and `adjust`. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

import { tensorboardWindow } from '../base/theme'
import { changed, formatPlace, isElsewhere, parsePlace } from './hash'
import type { Changes, Place } from './hash'

const WRITE_AFTER_MS = 200 // Safari allows 100 history changes in 10 s; a zoom makes 60 a second

const inTensorBoard = tensorboardWindow() !== undefined
const home = tensorboardWindow() ?? window
const current = signal<Place>(parsePlace(home.location.hash, inTensorBoard))
let isBack = false
let pending: ReturnType<typeof setTimeout> | undefined

export const place: ReadonlySignal<Place> = current

export function at(key: string): string | undefined {
  return current.value[key]
}

/** Whether the browser's back or forward button led here. */
export function cameBack(): boolean {
  return isBack
}

/** A step the back button takes back: another view, run, filter, selection. */
export function go(changes: Changes): void {
  writeNow() // what was zoomed or typed before belongs to the entry we leave
  const next = changed(current.value, changes)
  if (same(next, current.value)) return
  isBack = false
  current.value = next
  if (mayWrite()) home.history.pushState(home.history.state, '', hashOf(next))
}

/** A continuous change: pan, zoom, typing. The link follows a moment later, the back button does not stop at it. */
export function adjust(changes: Changes): void {
  const next = changed(current.value, changes)
  if (same(next, current.value)) return
  current.value = next
  pending ??= setTimeout(writeNow, WRITE_AFTER_MS)
}

/** The whole address that shows this place with `changes`: for links and "copy link". */
export function addressOf(changes: Changes = {}): string {
  const address = new URL(home.location.href)
  address.hash = hashOf(changed(current.value, changes))
  return address.href
}

function writeNow(): void {
  if (pending === undefined) return
  clearTimeout(pending)
  pending = undefined
  if (mayWrite()) home.history.replaceState(home.history.state, '', hashOf(current.value))
}

function mayWrite(): boolean {
  return !inTensorBoard || !isElsewhere(home.location.hash)
}

function hashOf(wanted: Place): string {
  return formatPlace(wanted, home.location.hash, inTensorBoard)
}

function same(a: Place, b: Place): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

function follow(): void {
  if (inTensorBoard && isElsewhere(home.location.hash)) return
  if (pending !== undefined) clearTimeout(pending)
  pending = undefined
  const next = parsePlace(home.location.hash, inTensorBoard)
  if (same(next, current.value)) return
  isBack = true
  current.value = next
}

home.addEventListener('popstate', follow)
home.addEventListener('hashchange', follow)
