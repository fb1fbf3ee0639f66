import type { Profile } from '../wire/profile'

/** What every view is given. Everything else it reads from the place (`state`) and the server (`data`). */
export interface ViewProps {
  readonly profile: Profile
}
