/** One colour and one word per category, the same in every view. Colours are variables of theme.css. */
import { CATEGORIES } from '../wire/categories'

interface Part {
  readonly id: string
  readonly title: string
  readonly color: string
}

export interface Category extends Part {
  readonly definition: string
}

function part<Id extends string>(id: Id, title: string, color: string): Part & { readonly id: Id } {
  return { id, title, color: `var(--c-${color})` }
}

/** Of time that the file does not tell of, where a colour would say that it does, and none is what idle time has. */
export const HATCHED = 'repeating-linear-gradient(135deg, var(--line-strong) 0 1px, transparent 1px 4px)'

/** In the colour of a category, and not it: `striped('var(--c-kernel)')` where kernels could run. */
export function striped(color: string, degrees = 45): string {
  return `repeating-linear-gradient(${degrees}deg, ${color} 0 3px, var(--bg) 3px 5px)`
}

/** Of communication what moves data is full, waiting is hollow, and what is not told apart is half so. */
export const WAIT = hollow(27, 73)
export const UNTOLD = hollow(55, 82)

function hollow(from: number, to: number): string {
  const color = 'var(--c-communication)'
  return `linear-gradient(${color} ${from}%, transparent 0 ${to}%, ${color} 0)`
}

/** The parts of a step, in the order of the wire's Breakdown: each instant counts once, for the first that is active. */
export const BREAKDOWN = [
  part('kernel', 'Kernel', 'kernel'),
  part('copy', 'Copy', 'copy'),
  part('set', 'Set', 'set'),
  part('communication', 'Communication', 'communication'),
  part('runtime', 'Runtime', 'runtime'),
  part('data_loader', 'Data loader', 'data-loader'),
  part('other_host', 'Other host', 'other-host'),
  part('python', 'Python', 'python'),
  { ...part('unknown_queue', 'Unknown queue', ''), color: HATCHED },
  part('idle', 'Idle', 'idle'),
] as const satisfies readonly Part[]

/** What device work is, by the rules of Python, in the order in which it is drawn. */
export const KERNEL_CATEGORIES: readonly Category[] = CATEGORIES.map((each) => ({
  ...part(each.id, each.title, each.id),
  definition: each.definition,
}))

const BY_ID: ReadonlyMap<string, Category> = new Map(KERNEL_CATEGORIES.map((each) => [each.id, each]))

/** The category of this id; undefined for none, and for one that the page does not know. */
export function categoryOf(id: string | null): Category | undefined {
  return id === null ? undefined : BY_ID.get(id)
}
