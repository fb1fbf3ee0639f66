import './sql.css'

import { useMemo } from 'preact/hooks'

import { exactCount } from '../../base/units'
import { useReply } from '../../data/reply'
import { windowAround } from '../../layout/event_window'
import type { Changes } from '../../state/hash'
import { at, go } from '../../state/place'
import type { Column, Value } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { SqlAnswer, SqlTable } from '../../wire/wire'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import * as define from './definitions'

const AROUND_NS = 20_000
const EXAMPLE = 'select name, count(*), sum(dur) from slice group by name order by 3 desc'

export function SqlView({ profile }: ViewProps) {
  const statement = at('sql.statement') ?? ''
  const reply = useReply('view/sql', profile, { statement })
  return (
    <div class="sql">
      <Box key={statement} statement={statement} />
      <ViewFrame profile={profile} reply={reply.value}>
        {(answer) => (
          <>
            {answer.is_cut && (
              <p class="view-note" role="status">
                Cut at {exactCount(answer.rows.length)} rows: group them, or ask with LIMIT.
              </p>
            )}
            {answer.columns.length > 0 && (
              <Answer answer={answer} fileParts={[profile.run, profile.worker, profile.span]} />
            )}
            <details class="sql-tables" open={answer.columns.length === 0}>
              <summary>Tables and columns</summary>
              {answer.tables.map((table) => (
                <Columns key={table.name} table={table} />
              ))}
            </details>
          </>
        )}
      </ViewFrame>
    </div>
  )
}

function Box({ statement }: { readonly statement: string }) {
  const run = (form: HTMLFormElement): void => {
    const field = form.elements.namedItem('statement')
    if (field instanceof HTMLTextAreaElement) go({ ...FRESH, 'sql.statement': field.value.trim() || undefined })
  }
  return (
    <form
      class="sql-box"
      onSubmit={(event) => {
        event.preventDefault()
        run(event.currentTarget)
      }}
    >
      <textarea
        name="statement"
        class="mono"
        rows={4}
        spellcheck={false}
        aria-label="Statement"
        placeholder={EXAMPLE}
        onKeyDown={(event) => {
          const { form } = event.currentTarget
          if (event.code === 'Enter' && (event.ctrlKey || event.metaKey) && form !== null) run(form)
        }}
      >
        {statement}
      </textarea>
      <button type="submit" class="button" title="Ctrl+Enter">
        Run
      </button>
    </form>
  )
}

/** What was chosen for the columns of another statement. */
const FRESH: Changes = { 'sql.sort': undefined, 'sql.q': undefined, 'sql.cols': undefined, 'sql.row': undefined }

interface Row {
  readonly place: number
  readonly cells: readonly Value[]
}

function Answer({ answer, fileParts }: { readonly answer: SqlAnswer; readonly fileParts: readonly string[] }) {
  const rows = useMemo(() => answer.rows.map((cells, place): Row => ({ place, cells })), [answer])
  const columns = useMemo(() => columnsOf(answer), [answer])
  const ids = answer.columns.indexOf('id')
  const goTo = ({ place, cells }: Row): Changes => {
    const [start, duration] = answer.events[place] ?? []
    if (start === undefined || duration === undefined) return {}
    const [t0, t1] = windowAround(start, duration, AROUND_NS)
    const row = String(cells[ids])
    return { view: 'timeline', 'timeline.t0_ns': String(t0), 'timeline.t1_ns': String(t1), 'timeline.row': row }
  }
  return (
    <DataTable
      id="sql"
      label="Answer"
      rows={rows}
      columns={columns}
      sort={{ column: '', descending: false }}
      keyOf={(row) => String(row.place)}
      fileParts={fileParts}
      {...(answer.events.some((event) => event !== null) && { goTo })}
    />
  )
}

function columnsOf({ columns, rows, tables }: SqlAnswer): readonly Column<Row>[] {
  const says = new Map(tables.flatMap((table) => table.columns.map((column) => [column.name, column.says])))
  return columns.map((name, index) => ({
    id: columns.indexOf(name) === index ? name : `${name}:${index + 1}`,
    title: name,
    kind: kindOf(
      name,
      rows.map((row) => row[index] ?? null),
    ),
    value: ({ cells }) => cells[index] ?? null,
    absent: 'null',
    definition: (says.get(name) ?? '') || define.columns,
  }))
}

/** By what is in it, and times by their names. */
function kindOf(name: string, values: readonly Value[]): Column<Row>['kind'] {
  if (values.some((value) => typeof value === 'string')) return name === 'name' ? 'name' : 'text'
  if (/_ns$|\b(dur|duration_ns|self_ns)\b/.test(name) && !/count/i.test(name)) return 'ns'
  if (/bytes\b/.test(name)) return 'bytes'
  return values.every((value) => value === null || Number.isInteger(value)) ? 'count' : 'number'
}

function Columns({ table }: { readonly table: SqlTable }) {
  const some = `select * from ${table.name} limit 100`
  return (
    <section>
      <h3>
        <button type="button" class="link mono" title={some} onClick={() => go({ ...FRESH, 'sql.statement': some })}>
          {table.name}
        </button>{' '}
        <span class="soft">{table.says}</span>
      </h3>
      <p>
        {table.columns.map(({ name, says }) => (
          <span key={name}>
            <code title={says}>{name}</code> {says !== '' && <span class="soft">{says}</span>}
          </span>
        ))}
      </p>
    </section>
  )
}
