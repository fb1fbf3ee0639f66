import type { ProfileParams } from './wire'

/** One profile by its three names. The wire lets each be left out; the page always knows them all. */
export type Profile = { readonly [Name in Exclude<keyof ProfileParams, 'again'>]-?: string }
