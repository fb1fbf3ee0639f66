/** The timeline's keys, by `event.code`: they lie where they lie on every layout. W A S D move as long as they are held. */
import type { TimelineStore } from '../store/store'

const ZOOM_PER_S = 6
const SCREENS_PER_S = 1.4
const STEP_MS = 120 // what a single press does

type Motion = 'in' | 'out' | 'left' | 'right'

const MOTIONS: Readonly<Record<string, Motion>> = {
  KeyW: 'in',
  KeyS: 'out',
  KeyA: 'left',
  KeyD: 'right',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}

export class Keys {
  private readonly held = new Map<Motion, number>()
  private last = 0

  constructor(
    private readonly store: TimelineStore,
    private readonly canvas: HTMLElement,
    private readonly wake: () => void,
  ) {}

  listen(stop: AbortSignal): void {
    document.addEventListener('keydown', (event) => this.down(event), { signal: stop })
    document.addEventListener('keyup', (event) => this.up(event), { signal: stop })
    window.addEventListener('blur', () => this.held.clear(), { signal: stop })
  }

  /** Moves by what was held since the last frame; true while something is. */
  animate(now: number): boolean {
    const elapsed = Math.min(now - this.last, 50)
    this.last = now
    for (const motion of this.held.keys()) this.move(motion, elapsed)
    return this.held.size > 0
  }

  private move(motion: Motion, ms: number): void {
    const { store } = this
    const factor = ZOOM_PER_S ** (ms / 1000)
    const x = store.hand.pointer === undefined ? store.window.view.width / 2 : store.window.view.x(store.hand.pointer)
    if (motion === 'in') store.window.zoom(1 / factor, x)
    else if (motion === 'out') store.window.zoom(factor, x)
    else store.window.pan((motion === 'left' ? -1 : 1) * store.window.view.width * SCREENS_PER_S * (ms / 1000))
  }

  private down(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target) || !this.isMeant()) return
    const motion = MOTIONS[event.code]
    const isArrow = event.code.startsWith('Arrow')
    // A click on the ruler leaves the focus with what is around.
    if (isArrow && document.activeElement?.contains(this.canvas) !== true) return
    if (motion !== undefined) this.hold(motion)
    else if (!this.act(event)) return
    event.preventDefault()
  }

  /** Of several timelines keys are for the one that is pointed at, else the one with the focus, else the first. */
  private isMeant(): boolean {
    const all = [...document.querySelectorAll('.tl-surface')]
    const meant =
      all.find((each) => each.matches(':hover')) ?? all.find((each) => each.contains(document.activeElement)) ?? all[0]
    return meant?.contains(this.canvas) ?? true
  }

  private hold(motion: Motion): void {
    if (this.held.has(motion)) return
    const now = performance.now()
    if (this.held.size === 0) this.last = now
    this.held.set(motion, now)
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.move(motion, STEP_MS * 3)
      this.held.delete(motion)
    }
    this.wake()
  }

  private up(event: KeyboardEvent): void {
    const motion = MOTIONS[event.code]
    const since = motion === undefined ? undefined : this.held.get(motion)
    if (motion === undefined || since === undefined) return
    this.held.delete(motion)
    // A tap is shorter than a frame on a busy machine; it still moves.
    const rest = STEP_MS - (performance.now() - since)
    if (rest > 0) this.move(motion, rest)
  }

  private act(event: KeyboardEvent): boolean {
    const { store } = this
    switch (event.code) {
      case 'KeyF':
        store.fit()
        return true
      case 'KeyM':
        store.toggleMark()
        return true
      case 'KeyB':
        store.hand.take('range')
        return true
      case 'KeyE':
        store.hand.take('area')
        return true
      case 'KeyR':
        store.hand.take('measure')
        return true
      case 'Digit0':
      case 'Numpad0':
        store.window.showAll()
        return true
      case 'Period':
      case 'Comma':
        void store.step(event.code === 'Period' ? 1 : -1)
        return true
      case 'BracketLeft':
      case 'BracketRight':
        store.followArrow(event.code === 'BracketRight' ? 1 : -1)
        return true
      case 'Escape':
        if (store.hand.tool.value !== undefined) store.hand.take(undefined)
        else if (store.selection.event.value !== undefined) store.select(undefined)
        else store.chooseArea(undefined)
        return true
      case 'Enter':
        if (document.activeElement !== this.canvas) return false
        void store.search.next(event.shiftKey ? -1 : 1)
        return true
      default:
        return false
    }
  }
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
