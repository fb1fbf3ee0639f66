/** Which commands the typed letters mean, best first. Pure. */

export interface Command {
  readonly words: string
  /** What it is, beside its words. */
  readonly about: string
  /** Other words for the same. */
  readonly also?: string
  /** Its button cannot be pressed now. */
  readonly isOff?: boolean
  readonly act: () => void
  /** Instead of `act`: what it answers is said, and the list stays open. */
  readonly says?: () => Promise<string>
}

const MOST = 40
const FEW = 10

/** As many as one looks through: steps first, and all others as if there were none; of these, actions leave names half the room. */
export function listed<T>(steps: readonly T[], actions: readonly T[], names: readonly T[]): readonly T[] {
  const others = [...actions.slice(0, Math.max(MOST - names.length, MOST / 2)), ...names].slice(0, MOST)
  return [...steps.slice(0, Math.max(MOST - others.length, FEW)), ...others]
}

/** Words, which spaces and underscores part alike. */
export function partsOf(typed: string): readonly string[] {
  return typed
    .toLowerCase()
    .split(/[\s_]+/)
    .filter((part) => part !== '')
}

/** Those of which every typed word is part; of equal ones the order stays. */
export function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const parts = partsOf(typed)
  const wanted = parts.join(' ')
  const found = commands.flatMap((command) => {
    const text = `${command.words} ${command.about} ${command.also ?? ''}`.toLowerCase()
    return parts.every((part) => text.includes(part)) ? [{ command, rank: rankOf(command, wanted, parts) }] : []
  })
  return found.sort((a, b) => a.rank - b.rank).map(({ command }) => command)
}

function rankOf({ words, about, also = '', isOff }: Command, wanted: string, parts: readonly string[]): number {
  const text = partsOf(words).join(' ')
  const [own, other] = [text.split(/[^\w.]+/), also.split(' ')]
  const begin = (all: readonly string[]): boolean => parts.every((part) => all.some((word) => word.startsWith(part)))
  const rank = text === wanted ? 0 : text.startsWith(wanted) ? 1 : begin(own) ? 2 : begin([...own, ...other]) ? 3 : 4
  // A view is where something like it may be; a button does it.
  return rank + (about === 'view' && rank > 2 ? 0.5 : 0) + (isOff === true ? 5 : 0)
}
