/** A list that stays on the server, handed over as a file. */
import { ask } from '../data/ask'
import type { Params } from '../data/ask'
import { poll } from '../data/request'
import { download, fileName } from '../widgets/links/download'
import type { Profile } from '../wire/profile'

type List = 'view/memory/allocations' | 'view/timeline/hits'

const MOST = 200_000 // as the server has it

export const MOST_NOTE = 'at most 200,000 rows'

export async function saveList<Q extends List>(
  question: Q,
  profile: Profile,
  params: Params<Q>,
  ending: 'csv' | 'json',
  parts: readonly string[],
): Promise<void> {
  const all = { ...params, offset: 0, limit: MOST }
  if (ending === 'csv') {
    const text = await poll(`${question}.csv`, { ...profile, ...all }, (response) => response.text())
    download(fileName(parts, ending), 'text/csv', text)
  } else {
    const { rows } = await ask(question, profile, all)
    download(fileName(parts, ending), 'application/json', JSON.stringify(rows, undefined, 1) + '\n')
  }
}
