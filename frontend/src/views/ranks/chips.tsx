/** What narrows the tables and the map: a chip a word, and where another is typed. In the link as `ranks.only`. */
import { plural } from '../../base/units'
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

const MOST_HOSTS = 8

/** Where the words leave nothing: which there are, of the table with all rows. */
export function None({ whole, words }: { readonly whole: RanksTable; readonly words: readonly string[] }) {
  const { ranks, hosts, dimensions } = whole
  const known = (of: readonly (number | null)[]): string =>
    shown([...new Set(of.filter((each) => each !== null))].sort((a, b) => a - b)).replaceAll(' ', '')
  const named = hosts.slice(0, MOST_HOSTS).map(({ host }) => `host=${host}`)
  const there = [
    ['rank', known(ranks.map(({ rank }) => rank))],
    ['stage', known(ranks.map(({ stage }) => stage))],
    ['replica', known(ranks.map(({ replica }) => replica))],
    ['dim', dimensions.map(({ name }) => name).join(', dim=')],
  ].flatMap(([kind, of]) => (of === '' ? [] : `${kind}=${of}`))
  const more = hosts.length > MOST_HOSTS ? ` and ${plural(hosts.length - MOST_HOSTS, 'more host')}` : ''
  return (
    <p class="notice">
      Nothing is {words.join(' ')}. Words are {FORMS}; there is {[...there, ...named].join(', ')}
      {more}.
    </p>
  )
}
