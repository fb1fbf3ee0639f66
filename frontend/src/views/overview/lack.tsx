/** Why something of the profile is not there, in the server's words, and the option that records it. */
import { saidPlainly } from '../../widgets/panel/said'
import type { Overview } from '../../wire/wire'

interface LackProps {
  readonly overview: Overview
  /** A row of `overview.recorded`. */
  readonly of: string
  /** Where there is room for it; else it shows when pointed at. */
  readonly withOption?: boolean
  /** What to say where it was recorded, and what is shown still has none. */
  readonly otherwise: string
}

export function Lack({ overview: { recorded }, of, withOption = false, otherwise }: LackProps) {
  const row = recorded.find(({ id }) => id === of)
  if (row === undefined || row.lack === null) return <>{otherwise}</>
  const how = row.instead === null ? row.how : undefined
  return (
    <span title={how === undefined ? undefined : saidPlainly(how)}>
      {row.lack}
      {withOption && how !== undefined && (
        <>
          {' '}
          <code>{how}</code>
        </>
      )}
    </span>
  )
}
