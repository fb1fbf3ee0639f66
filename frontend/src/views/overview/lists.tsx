/** The heaviest operators, kernels and modules, side by side. A name leads to its row. */
import '../../widgets/table/table.css'

import type { ComponentChildren } from 'preact'

import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { columnsOf } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import { MONO_PX, useWidth } from '../../widgets/use_width'
import type { Overview, TopModule, TopRow } from '../../wire/wire'
import { tablePlace } from '../links'
import * as define from './definitions'
import { Lack } from './lack'
import { TOP_ROW } from './row_figures'

const NONE = 'None under these filters.'

export function TopLists({ overview }: { readonly overview: Overview }) {
  const isDevice = overview.top_operators_by === 'device_self'
  const self = isDevice ? 'Device self' : 'Host self'
  return (
    <>
      <TopList
        view="operators"
        title="Top operators"
        time={self}
        definition={define.top_operators}
        rows={overview.top_operators}
        nothing={<Lack overview={overview} of="operators" withOption otherwise={NONE} />}
      />
      <TopList
        view="kernels"
        title="Top kernels"
        time="Total"
        definition={define.top_kernels}
        rows={overview.top_kernels}
        nothing={<Lack overview={overview} of="device" withOption otherwise={NONE} />}
      />
      <TopList
        view="modules"
        title="Top modules"
        time={self}
        definition={define.top_modules}
        rows={overview.top_modules}
        nothing={<Lack overview={overview} of="modules" withOption otherwise={NONE} />}
      />
    </>
  )
}

type ListId = 'operators' | 'kernels' | 'modules'

interface TopListProps {
  readonly view: ListId
  readonly title: string
  readonly time: string
  readonly definition: string
  readonly rows: readonly (TopRow | TopModule)[]
  readonly nothing: ComponentChildren
}

const COLUMNS_PX = 64 + 88 + 66 // calls, time and share, as in overview.css
const LEAST_FOR_CALLS_PX = 430 // narrower lists need the room for names
const CALLS_PX = 64
const NAME_PADDING_PX = 18

function TopList({ view, title, time, definition, rows, nothing }: TopListProps) {
  const [section, width] = useWidth<HTMLElement>(410)
  const hasCalls = width >= LEAST_FOR_CALLS_PX
  const characters = Math.floor((width - COLUMNS_PX - NAME_PADDING_PX + (hasCalls ? 0 : CALLS_PX)) / MONO_PX)
  return (
    <section ref={section} class="top-list" style={{ gridArea: view }}>
      <h2>
        {title}
        <Definition of={title} text={definition} />
        <span class="grow" />
        <PlaceLink to={tablePlace(view)} class="link">
          show all
        </PlaceLink>
      </h2>
      {rows.length === 0 ? (
        <p class="soft">{nothing}</p>
      ) : (
        <FigureTable
          class="table is-small"
          rows={rows}
          characters={characters}
          bar="share"
          columns={columnsOf<TopRow | TopModule, typeof TOP_ROW>(TOP_ROW, {
            name: {
              draw: (row, room, names) => (
                <>
                  <PlaceLink to={tablePlace(view, { row: row.name })} title={row.name} class="place-link mono">
                    {names.cut(row.name, room - marked(row).length)}
                  </PlaceLink>
                  <span class="soft">{marked(row)}</span>
                </>
              ),
            },
            count: hasCalls && (view === 'modules' ? { title: 'Operators' } : {}),
            time_ns: { title: time },
            share: {},
          })}
        />
      )}
    </section>
  )
}

/** How many modules a class has. */
function marked(row: TopRow | TopModule): string {
  return 'instances' in row && row.instances > 1 ? ` ×${row.instances}` : ''
}
