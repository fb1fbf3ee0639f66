/** Whose the communication is: by dimension of the job and by module, folded under one line that says the first. */
import { exactNs, formatNs } from '../../base/units'
import { at, go } from '../../state/place'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { columnsOf } from '../../widgets/table/column'
import type { Column } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import { messages } from '../../widgets/table/messages'
import type { CommunicationPart, CommunicationParts, Overview } from '../../wire/wire'
import { stepChanges, tablePlace } from '../links'
import * as define from './definitions'
import { ofCategory } from './parts'
import { COMMUNICATION_PART } from './row_figures'

const OPEN = 'overview.communication'
/** Of them the folded line names these many. */
const NAMED = 3
const NAME_CHARACTERS = 26

export function Communication({ overview: { communication_parts: of, steps } }: { readonly overview: Overview }) {
  if (of === null) return null
  const isOpen = at(OPEN) === 'open'
  return (
    <section class="communication-parts" aria-label="Communication by dimension and module">
      <h2>
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          onClick={() => go({ [OPEN]: isOpen ? undefined : 'open' })}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> Communication by dimension and module
          {steps.length > 0 && ', in the steps'}
        </button>
        <Definition of="communication by dimension and module" text={define.communication_parts} />
        <span class="soft" title={`${exactNs(of.exposed_ns)} exposed, ${exactNs(of.hidden_ns)} hidden`}>
          {formatNs(of.exposed_ns)} exposed{firstOf(of)}
        </span>
      </h2>
      {isOpen && (
        <div>
          <Parts title="Dimension" of={of} parts={of.dimensions} />
          {of.modules_lack === null ? (
            <Parts title="Module" of={of} parts={of.modules} />
          ) : (
            <p class="soft">By module: {of.modules_lack}</p>
          )}
        </div>
      )}
    </section>
  )
}

function firstOf({ dimensions }: CommunicationParts): string {
  if (dimensions.every((part) => part.told === 'nothing')) return '; of which dimension is not recorded'
  const first = dimensions.slice(0, NAMED).map((part) => `${part.name} ${formatNs(part.exposed_ns)}`)
  const more = dimensions.length - first.length
  return `: ${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

interface PartsProps {
  readonly title: 'Dimension' | 'Module'
  readonly of: CommunicationParts
  readonly parts: readonly CommunicationPart[]
}

type Row = CommunicationPart & { readonly isTotal?: boolean }

function Parts({ title, of, parts }: PartsProps) {
  const columns = columnsOf<Row, typeof COMMUNICATION_PART>(COMMUNICATION_PART, {
    name: {
      title,
      kind: title === 'Module' ? 'name' : 'text',
      draw: (row, room, names) => {
        if (row.isTotal === true) return row.name
        const to = placeOf(row, of, title === 'Module')
        if (to === undefined) return row.name
        const isModule = row.told === 'module'
        return (
          <>
            <PlaceLink
              to={to}
              title={isModule ? `${row.name} and what is inside it` : row.name}
              class={`place-link${isModule ? ' mono' : ''}`}
            >
              {isModule ? names.cut(row.name, room) : row.name}
            </PlaceLink>
            {row.told === 'by_use' && <span class="soft"> by its use</span>}
          </>
        )
      },
    },
    exposed_ns: {},
    hidden_ns: {},
    count: {},
    bytes: { draw: (row) => (row.isTotal === true ? '' : messages(row.bytes, row.n_unsized)) },
  })
  const share: Column<Row> = {
    id: 'share',
    title: 'Of time',
    kind: 'share',
    value: (row) => row.exposed_ns / Math.max(of.window_ns, 1),
    definition: of.on_host ? define.exposed_ns : define.communication_exposed_ns,
  }
  return (
    <FigureTable
      class="table is-small"
      characters={NAME_CHARACTERS}
      rows={[...parts, totalOf(of, parts)]}
      columns={[...columns.slice(0, 2), share, ...columns.slice(2)]}
      {...(title === 'Dimension' ? { explained: { ...COMMUNICATION_PART, share } } : {})} // beside it they are the same
      bar="share"
    />
  )
}

/** Its exposed and hidden time are those of the devices: to these the rows add up, to the ns. */
function totalOf(of: CommunicationParts, parts: readonly CommunicationPart[]): Row {
  const { exposed_ns, hidden_ns } = of
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  return {
    name: 'Total',
    exposed_ns,
    hidden_ns,
    count,
    bytes: null,
    n_unsized: 0,
    told: 'nothing',
    isTotal: true,
  }
}

/**
 * Exactly what a dimension counts: kernels of the steps that count, of a host operators. Of a module those in it and in the modules
 * inside it; undefined of several and of none.
 */
function placeOf({ count, name, told }: CommunicationPart, of: CommunicationParts, isModule: boolean) {
  if (count === 0 || (isModule && told !== 'module')) return undefined
  return {
    ...(of.on_host ? tablePlace('operators', isModule ? { q: 'gloo|mpi|ucc|c10d' } : {}) : ofCategory('communication')),
    ...(of.steps === '' ? {} : stepChanges(of.steps)),
    [isModule ? 'module' : 'dimension']: name,
  }
}
