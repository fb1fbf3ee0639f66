/** In place of an answer that is not there: why, or that it is on its way. */
export function Waiting({ error }: { readonly error: string | undefined }) {
  return error === undefined ? (
    <p class="soft" role="status">
      Reading.
    </p>
  ) : (
    <p class="is-bad" role="alert">
      {error}
    </p>
  )
}
