/** Shows a picture as a table, and back: `ranks.as` in the link. */
import { at, go } from '../../state/place'

export function AsTable({ picture }: { readonly picture: string }) {
  const isTable = at('ranks.as') === 'table'
  return (
    <button
      type="button"
      class="button is-small"
      aria-pressed={isTable}
      onClick={() => go({ 'ranks.as': isTable ? undefined : 'table' })}
    >
      {isTable ? picture : 'Table'}
    </button>
  )
}
