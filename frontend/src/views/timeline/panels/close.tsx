/** The ✕ that ends what a header stands over. */
export function Close({
  what,
  keys = '',
  onClick,
}: {
  readonly what: string
  readonly keys?: string
  readonly onClick: () => void
}) {
  return (
    <button
      type="button"
      class="button is-plain is-small"
      aria-label={`Close ${what}`}
      title={`Close${keys}`}
      onClick={onClick}
    >
      ✕
    </button>
  )
}
