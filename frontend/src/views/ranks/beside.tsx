/** Another recording of the same job beside this one, a step of each. What is not alike in the two stands first. */
import { useJointReply } from '../../data/joint'
import { runs } from '../../data/runs'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import { columnsOf } from '../../widgets/table/column'
import { DataTable } from '../../widgets/table/data_table'
import type { BesideRow } from '../../wire/wire'
import { BESIDE_ROW } from './row_figures'

const BY = [
  { id: 'dimension', label: 'dimension' },
  { id: 'rank', label: 'rank' },
] as const

/** Runs of several ranks. */
export function othersThan(run: string): readonly string[] {
  const all = runs.value.reply?.runs ?? []
  return all.filter(({ name, workers }) => name !== run && workers.length > 1).map(({ name }) => name)
}

export function Beside({ run }: { readonly run: string }) {
  const others = othersThan(run)
  const beside = at('ranks.beside') ?? others[0] ?? ''
  const by = at('ranks.by') === 'rank' ? 'rank' : 'dimension'
  const { value, error } = useJointReply('view/ranks/beside', { run, worker: at('worker'), beside, by }).value
  const result = value?.result
  const said = error ?? (result === undefined ? 'Reading.' : result.reason)
  return (
    <>
      <header class="ranks-top">
        <div class="filters">
          <Select
            label="Beside"
            value={beside}
            options={others.map((id) => ({ id, label: id }))}
            onChoose={(id) => go({ 'ranks.beside': id })}
          />
          <Select label="By" value={by} options={BY} onChoose={(id) => go({ 'ranks.by': id })} />
        </div>
        <span>{[...(result?.differs ?? []), said].join(' ')}</span>
      </header>
      {result !== undefined && result.rows.length > 0 && (
        <DataTable
          id="ranks.both"
          label="Beside"
          rows={result.rows}
          columns={columnsOf<BesideRow, typeof BESIDE_ROW>(BESIDE_ROW, { of: { width: 130 }, time: { width: 190 } })}
          sort={{ column: 'change_ns', descending: true }}
          keyOf={(row) => `${row.of} ${row.time}`}
          fileParts={[run, beside]}
          isLive
        />
      )}
    </>
  )
}
