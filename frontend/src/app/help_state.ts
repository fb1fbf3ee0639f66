import { signal } from '@preact/signals'

/** Opened by a key as well as by a button, so it lives outside both. Not in the link: help is not a place. */
export const isHelpOpen = signal(false)
