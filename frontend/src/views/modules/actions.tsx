/** From a module to its calls in the timeline, and to what ran in it in the other views. */
import { go } from '../../state/place'
import type { ModuleRow } from '../../wire/wire'
import { soughtInTimeline, tablePlace } from '../links'

interface ActionsProps {
  readonly row: ModuleRow
  readonly hasDevice: boolean
  readonly onZoom: (id: number) => void
}

export function Actions({ row, hasDevice, onZoom }: ActionsProps) {
  const isOneCall = row.first_start_ns === row.longest_start_ns
  return (
    <>
      <Action title="Zoom to it" onChoose={() => onZoom(row.id)} />
      <ToWindow title="First call in timeline" start={row.first_start_ns} end={row.first_end_ns} />
      {!isOneCall && (
        <ToWindow title="Longest call in timeline" start={row.longest_start_ns} end={row.longest_end_ns} />
      )}
      {!IS_REPORT && row.calls_pattern !== '' && (
        <Action title="All calls in timeline" onChoose={() => go(soughtInTimeline(row.calls_pattern, true))} />
      )}
      {!IS_REPORT && row.kind === 'module' && (
        <>
          <Action title="Its operators" onChoose={() => go({ ...tablePlace('operators'), module: row.path })} />
          {hasDevice && (
            <Action title="Its kernels" onChoose={() => go({ ...tablePlace('kernels'), module: row.path })} />
          )}
          <Action title="Only this module" onChoose={() => go({ module: row.path })} />
        </>
      )}
    </>
  )
}

interface ToWindowProps {
  readonly title: string
  readonly start: number | null
  readonly end: number | null
}

function ToWindow({ title, start, end }: ToWindowProps) {
  if (start === null || end === null) return null
  return (
    <Action
      title={title}
      onChoose={() => go({ view: 'timeline', 'timeline.t0_ns': String(start), 'timeline.t1_ns': String(end) })}
    />
  )
}

function Action({ title, onChoose }: { readonly title: string; readonly onChoose: () => void }) {
  return (
    <button type="button" class="button" onClick={onChoose}>
      {title}
    </button>
  )
}
