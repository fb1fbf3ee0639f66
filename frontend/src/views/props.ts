/** What every view is given. Everything else it reads from the place (`state`) and the server (`data`). */
export interface Profile {
  readonly run: string
  readonly worker: string
  readonly span: string
}

export interface ViewProps {
  readonly profile: Profile
}
