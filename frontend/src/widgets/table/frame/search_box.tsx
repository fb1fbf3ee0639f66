import './search_box.css'

import { adjust } from '../../../state/place'

interface SearchBoxProps {
  /** The table's, in the link. */
  readonly id: string
  readonly query: string
  readonly error: string | undefined
}

export function SearchBox({ id, query, error }: SearchBoxProps) {
  return (
    <span class="search">
      <input
        data-search=""
        type="search"
        placeholder="Search (regex)   /"
        aria-label="Search names, as a regular expression"
        spellcheck={false}
        value={query}
        onInput={(event) => adjust({ [`${id}.q`]: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.code !== 'Escape') return
          event.stopPropagation()
          if (query === '') event.currentTarget.blur()
          else adjust({ [`${id}.q`]: undefined })
        }}
      />
      {error !== undefined && (
        <span class="search-error" role="status">
          Not a regular expression ({error}): searched as plain text.
        </span>
      )}
    </span>
  )
}
