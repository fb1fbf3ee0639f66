/** Characters that stay in sight in a narrow column: what threads, streams and values differ in stands at their end. */
const END = 6
const SHORT = 10

export function TrackName({ name, title }: { readonly name: string; readonly title?: string | undefined }) {
  const head = name.length > SHORT ? name.length - END : SHORT
  return (
    <span class="tl-name" title={title}>
      <span>{name.slice(0, head)}</span>
      {name.slice(head)}
    </span>
  )
}
