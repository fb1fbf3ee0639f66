/** Which steps are selected after a click on one: alone, with others (Ctrl), or all from the last one clicked (Shift). Pure. */
export type How = 'only' | 'also' | 'range'

export interface Choice {
  /** Step numbers; none is no filter: all steps count. */
  readonly selected: readonly number[]
  /** Where a range begins. */
  readonly anchor: number | undefined
}

/** `all` in the order of the bars. A second click on the only one that is selected selects all again. */
export function chosen(all: readonly number[], before: Choice, step: number, how: How): Choice {
  const { selected, anchor } = before
  if (how === 'range') {
    const from = all.indexOf(anchor ?? selected[0] ?? step)
    const to = all.indexOf(step)
    const [low, high] = [Math.min(from < 0 ? to : from, to), Math.max(from, to)]
    return { selected: all.slice(low, high + 1), anchor: anchor ?? selected[0] ?? step }
  }
  const isIn = selected.includes(step)
  if (how === 'also')
    return { selected: isIn ? selected.filter((each) => each !== step) : [...selected, step], anchor: step }
  return isIn && selected.length === 1 ? { selected: [], anchor: undefined } : { selected: [step], anchor: step }
}

/** How a click or a key press chooses. */
export function howOf(event: {
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}): How {
  if (event.shiftKey) return 'range'
  return event.ctrlKey || event.metaKey ? 'also' : 'only'
}
