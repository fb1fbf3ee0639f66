/** The keys that move from row to row. */
import { ROW_HEIGHT } from '../../../layout/rows'

interface Moves {
  readonly active: number
  readonly count: number
  readonly onActive: (position: number) => void
  /** Undefined while there is no row to open. */
  readonly open: (() => void) | undefined
}

/** `height`: of the rows in sight, px. */
export function moveByKey(event: KeyboardEvent, { active, count, onActive, open }: Moves, height: number): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
  const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1)
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  }
  const wanted = moves[event.code]
  if (wanted !== undefined) onActive(Math.max(0, Math.min(count - 1, wanted)))
  else if ((event.code === 'Enter' || event.code === 'Space') && open !== undefined) open()
  else return
  event.preventDefault()
}
