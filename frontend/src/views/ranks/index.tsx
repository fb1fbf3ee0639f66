import './ranks.css'

import { useEffect } from 'preact/hooks'

import { plural } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { noteMissing } from '../../data/missing'
import { isOfDumps } from '../../data/dumps'
import { runs } from '../../data/runs'
import { at, go } from '../../state/place'
import { Select } from '../../widgets/choose/select'
import type { Hangs, JointReply, RanksTable } from '../../wire/wire'
import { JointFrame } from '../joint_frame'
import { ranksBeside } from '../in_job'
import { opening } from '../links'
import type { ViewProps } from '../props'
import { ofShownJob } from '../of_job'
import { Hang, HangNotice, useHang } from './hang'
import { Beside, othersThan } from './beside'
import { Chips, None } from './chips'
import { narrowed, notKnown, wordsOf } from './only'
import { NotUnderstood } from './not_understood'
import { PipelineTable } from './pipeline/pipeline'
import { Lanes } from './lanes/lanes'
import { RankPanel } from './rank_panel'
import { Head, Summary } from './summary'
import { RankTable } from './rank_table'
import { CollectiveTable, HostTable, LinkTable, PathTable } from './tables'

const SHOWN = [
  { id: 'summary', title: 'Summary', Draw: Summary },
  { id: 'ranks', title: 'Ranks', Draw: RankTable },
  { id: 'collectives', title: 'Collectives', Draw: CollectiveTable },
  { id: 'pipeline', title: 'Pipeline', Draw: PipelineTable },
  { id: 'path', title: 'Critical path', Draw: PathTable },
  { id: 'lanes', title: 'Timeline', Draw: Lanes },
  { id: 'links', title: 'Links', Draw: LinkTable },
  { id: 'clocks', title: 'Clocks', Draw: HostTable },
  { id: 'beside', title: 'Beside', Draw: Beside },
  { id: 'hang', title: 'Hang', Draw: () => null },
] as const

/** All workers of the run; of several jobs or recordings in it the one of the profile that the link names. */
export function RanksView({ profile }: ViewProps) {
  const { run } = profile
  const hasNone = isOfDumps(runs.value.reply, run)
  const nRanks = ranksBeside(profile)
  const reply = useJointReply('view/ranks', hasNone ? undefined : ofShownJob(run))
  const { value, error } = reply.value
  const hang = useHang(run)
  const missing = value === undefined ? null : missingOf(value)
  useEffect(() => {
    if (value !== undefined) noteMissing(profile, 'ranks', missing)
  }, [value])
  // A job that left dumps, and no profile that can be read.
  // What came before is another run's.
  if (hasNone && hang === null) return <p class="notice is-late">Reading the dumps.</p>
  if (hang !== null && (hasNone || error !== undefined || (value?.n_pending === 0 && value.result.n_ranks === 0)))
    return (
      <div class="view-body">
        <Hang hangs={hang} />
        {!hasNone && <p class="view-note">{error}</p>}
      </div>
    )
  return (
    <JointFrame state={reply.value} about={plural(nRanks, 'rank')}>
      {(answer) =>
        answer.result.n_ranks === 0 ? (
          <Nothing reply={answer} />
        ) : missing !== null ? (
          <p class="notice">{missing}</p>
        ) : (
          <Shown reply={answer} run={run} hang={hang} />
        )
      }
    </JointFrame>
  )
}

/** A job of one rank has nobody to wait for. */
export function missingOf({ n_members: members, n_pending: pending, result }: JointReply<RanksTable>): string | null {
  if (members > 1 || pending > 0 || result.n_ranks !== 1 || (result.world_size ?? 1) > 1) return null
  return 'This run has one rank, and nobody to wait for. Profiles of several ranks in one run tell who is waited for, and why.'
}

interface ShownProps {
  readonly reply: JointReply<RanksTable>
  readonly run: string
  readonly hang: Hangs | null
}

function Shown({ reply, run, hang }: ShownProps) {
  const { n_members: members, n_pending: pending, result } = reply
  const words = wordsOf(at('ranks.only'))
  const table = narrowed(result, words)
  const offered = SHOWN.filter(({ id }) => hasTable(id, result, hang, run))
  const chosen = offered.find(({ id }) => id === at('ranks.show')) ?? SHOWN[0]
  const isAsked = chosen.id === 'lanes' && at('ranks.of') !== undefined
  const hasRow = table.ranks.length > 0 || (chosen.id === 'ranks' && table.absent.length > 0)
  const isNone = !hasRow || table.dimensions.length < Math.min(result.dimensions.length, 1)
  const unknown = notKnown(words, isAsked ? 'hang' : chosen.id)
  return (
    <div class="ranks">
      <header class="ranks-top">
        <Head table={result} />
        <JobChoice jobs={result.jobs} run={run} />
        <Chips dimensions={result.dimensions} />
        <div class="ranks-tabs" role="group" aria-label="Tables">
          {offered.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              aria-pressed={id === chosen.id}
              onClick={() => go({ 'ranks.show': id === 'summary' ? undefined : id, 'ranks.each': undefined })}
            >
              {title}
            </button>
          ))}
        </div>
      </header>
      {pending > 0 && (
        <p class="view-note" role="status">
          {members - pending} of {plural(members, 'profile')} are read: these figures will change.
        </p>
      )}
      {hang !== null && chosen.id === 'summary' && <HangNotice hangs={hang} />}
      <div class="ranks-body">
        <div class="ranks-main">
          {/* Whether there are dumps may not be known yet. */}
          {pending === 0 && (
            <NotUnderstood
              shows={[...offered.map(({ id }) => id), 'hang']}
              besides={
                chosen.id === 'beside' || runs.value.reply === undefined
                  ? undefined
                  : othersThan(run, result.jobs).map(({ id }) => id)
              }
            />
          )}
          {isNone ? null : unknown.length > 0 ? (
            <p class="view-note">Not narrowed by {unknown.join(' ')}.</p>
          ) : (
            words.length > 0 &&
            chosen.id === 'summary' && <p class="view-note">Sentences and means are of all ranks.</p>
          )}
          {chosen.id === 'hang' ? (
            hang !== null && <Hang hangs={hang} />
          ) : isNone ? (
            <None whole={result} words={words} />
          ) : (
            <chosen.Draw table={table} run={run} whole={result} isPending={pending > 0} />
          )}
        </div>
        <RankPanel run={run} whole={result} />
      </div>
    </div>
  )
}

/** Nothing where the run is one job. The link names its first profile. */
function JobChoice({ jobs, run }: Pick<RanksTable, 'jobs'> & Pick<ShownProps, 'run'>) {
  if (jobs.length < 2) return null
  return (
    <Select
      label="Job"
      value={`${jobs.findIndex(({ is_shown: isShown }) => isShown)}`}
      options={jobs.map(({ title }, place) => ({ id: `${place}`, label: title }))}
      onChoose={(place) => {
        const job = jobs[+place]
        if (job !== undefined) go({ ...opening({ ...job, run }), view: 'ranks' })
      }}
    />
  )
}

/** Most jobs have no pipeline; why there is no critical path is among the notes; a hang needs dumps. */
function hasTable(
  id: (typeof SHOWN)[number]['id'],
  { pipeline, path, jobs }: RanksTable,
  hang: Hangs | null,
  run: string,
): boolean {
  if (id === 'beside') return othersThan(run, jobs).length > 0
  if (id === 'hang') return hang !== null
  if (id === 'pipeline') return pipeline !== null
  return id !== 'path' || path.length > 0
}

/** Where none can be read, the server says why. */
function Nothing({ reply: { n_members: members, n_pending: pending } }: Pick<ShownProps, 'reply'>) {
  return (
    <p class="notice" role="status">
      Reading {plural(members, 'profile')}: {members - pending} are done.
    </p>
  )
}
