import { Definition } from '../../panel/popup'
import { isText } from '../column'
import type { Column } from '../column'
import { keysOf } from '../rows/order'
import type { Sort } from '../rows/order'

const KEY_STEP_PX = 16

interface GridHeadProps<R> {
  readonly columns: readonly Column<R>[]
  /** Of the columns, in pixels. */
  readonly widths: readonly number[]
  readonly sort: Sort
  readonly onSort: (column: Column<R>, add: boolean) => void
  /** Undefined: as wide as usual. */
  readonly onResize: (column: Column<R>, px: number | undefined) => void
}

export function GridHead<R>({ columns, widths, sort, onSort, onResize }: GridHeadProps<R>) {
  const keys = keysOf(sort)
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column, index) => {
          const place = keys.findIndex((key) => key.column === column.id)
          const key = keys[place]
          const width = widths[index] ?? 0
          return (
            <th
              key={column.id}
              scope="col"
              class={`${isText(column) ? 'is-text' : ''}${key === undefined ? '' : ' is-sorted'}`}
              // Of several, readers know the first; the others are told by the title.
              aria-sort={key === undefined || place > 0 ? 'none' : key.descending ? 'descending' : 'ascending'}
            >
              <span class="head">
                <button
                  type="button"
                  class="head-sort"
                  onClick={(event) => onSort(column, event.shiftKey)}
                  onKeyDown={(event) => {
                    const step = widening(event)
                    if (step === 0) return
                    event.preventDefault()
                    event.stopPropagation()
                    onResize(column, width + step)
                  }}
                  title={hint(column.title, place, keys.length)}
                >
                  {column.title}
                  {key !== undefined && (
                    <span aria-hidden="true">
                      {key.descending ? ' ▾' : ' ▴'}
                      {keys.length > 1 && <span class="head-order">{place + 1}</span>}
                    </span>
                  )}
                </button>
                <Definition of={column.title} text={column.definition} />
              </span>
              <Grip width={width} onResize={(px) => onResize(column, px)} />
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

/** The edge to drag. By keyboard the header's button does it. */
function Grip({ width, onResize }: { readonly width: number; readonly onResize: (px: number | undefined) => void }) {
  return (
    <span
      class="head-grip"
      aria-hidden="true"
      title="Drag: width. Double click: usual width"
      onDblClick={() => onResize(undefined)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.preventDefault() // no selection of text
        const grip = event.currentTarget
        const start = event.clientX
        grip.setPointerCapture(event.pointerId)
        grip.onpointermove = (move) => onResize(width + move.clientX - start)
        grip.onlostpointercapture = () => (grip.onpointermove = null)
      }}
    />
  )
}

function widening(event: KeyboardEvent): number {
  if (!event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return 0
  return event.code === 'ArrowRight' ? KEY_STEP_PX : event.code === 'ArrowLeft' ? -KEY_STEP_PX : 0
}

function hint(title: string, place: number, n: number): string {
  const order = place >= 0 && n > 1 ? ` (now ${place + 1} of ${n})` : ''
  return `Sort by ${title}${order}. With Shift: after the columns sorted by. Shift+← →: width`
}
