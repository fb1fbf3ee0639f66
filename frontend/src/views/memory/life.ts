/** From when to when the block is there whose row is open in a list: the curve shows it. */
import { signal } from '@preact/signals'

export const life = signal<readonly [number, number] | undefined>(undefined)
