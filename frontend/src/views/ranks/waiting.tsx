/** In place of an answer that is not there: why, or that it is on its way. */
interface WaitingProps {
  readonly error: string | undefined
  /** On its way. */
  readonly what?: string | undefined
}

export function Waiting({ error, what = 'Reading.' }: WaitingProps) {
  return error === undefined ? (
    <p class="soft" role="status">
      {what}
    </p>
  ) : (
    <p class="is-bad" role="alert">
      {error}
    </p>
  )
}
