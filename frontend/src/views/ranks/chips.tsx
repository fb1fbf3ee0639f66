/** What narrows the tables and the map: a chip a word, and where another is typed. In the link as `ranks.only`. */
import { EditBar } from '../../widgets/choose/edit_bar'
import type { RanksTable } from '../../wire/wire'
import { shown } from './hang'
import { FORMS } from './only'

/** Of the table with all rows. */
export function Chips({ dimensions }: Pick<RanksTable, 'dimensions'>) {
  return (
    <EditBar
      id="ranks.only"
      by=" "
      label="Show only"
      placeholder="Only: rank=0-7,16"
      title={`${FORMS}, then Enter. Means stay those of all ranks.`}
      examples={dimensions.map(({ name }) => `dim=${name}`)}
    />
  )
}

/** Where the words leave nothing: which there are. */
export function None({ table, words }: { readonly table: RanksTable; readonly words: readonly string[] }) {
  return (
    <p class="notice">
      Nothing is {words.join(' ')}. Words are {FORMS}; there is rank={shown(table.ranks.map(({ rank }) => rank))}, dim=
      {table.dimensions.map(({ name }) => name).join(',')}.
    </p>
  )
}
