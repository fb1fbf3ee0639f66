/** A table whose rows stay on the server: it asks for the windows in sight and keeps a few. Any number of rows, one sort key. */
import { plural } from '../../base/units'
import { TableFrame } from './frame/frame'
import type { Ending, TableProps } from './frame/frame'
import { noRows, useTableLink } from './frame/link'
import type { Load } from './rows/pages'
import type { List } from './rows/rows'
import { useWindows } from './rows/use_windows'

export interface WindowedTableProps<R> extends TableProps<R> {
  /** Tells questions apart: another source is another list. */
  readonly source: string
  /** Asks for rows of this list, sorted by a column and with a match of the pattern. */
  readonly load: (wish: WindowWish) => Load<R>
  /** Where the row stands that `isMarked`, also where it is not here; undefined: it is in no place, or that is not known yet. */
  readonly markedAt?: number | undefined
  /** Hands the whole list over as a file. */
  readonly onExport: (ending: Ending, wish: WindowWish) => void
  /** About the list, where its length does not say it: `first 200,000`. */
  readonly exportNote: string
}

export interface WindowWish {
  readonly sort: string
  readonly descending: boolean
  /** A regular expression, or nothing. */
  readonly pattern: string | undefined
}

export function WindowedTable<R>(props: WindowedTableProps<R>) {
  const link = useTableLink(props.id, props.columns, props.sort)
  const { sort, search, query } = link
  const wish = { sort: sort.column, descending: sort.descending, pattern: search.pattern?.source }
  const source = [props.source, wish.sort, wish.descending, wish.pattern].join('\n')
  const { rows, isKnown, isOld, error, find } = useWindows(source, props.load(wish))
  const nothing = query === '' ? noRows() : `No row matches “${query}”. Ctrl+K looks for it everywhere.`
  const list: List<R> = {
    rows,
    words: isKnown ? plural(rows.count, 'row') : 'Asking the server…',
    nothing: isKnown ? nothing : undefined,
    error,
    isOld,
    find,
    positionOf: () => -1,
    markedAt: props.markedAt,
    hasOneKey: true,
  }
  return (
    <TableFrame
      {...props}
      link={link}
      list={list}
      exportNote={`All columns of the list, in base units; ${props.exportNote}`}
      onExport={(ending) => props.onExport(ending, wish)}
    />
  )
}
