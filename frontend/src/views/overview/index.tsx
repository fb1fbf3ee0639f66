import './overview.css'

import { useReply } from '../../data/reply'
import { adviceAsked, filters, peaks } from '../../state/filters'
import { Said } from '../../widgets/panel/said'
import { ViewFrame } from '../frame'
import { InJobLine, useAdvice } from '../in_job'
import type { ViewProps } from '../props'
import { StepBreakdown } from './breakdown'
import { VerdictLine } from '../verdict'
import { Categories } from './categories'
import { Communication } from './communication'
import * as define from './definitions'
import { Devices } from './devices'
import { Figures } from './figures'
import { Findings } from './findings'
import { TopLists } from './lists'
import { RecordedLine } from './recorded'

const TOP = 5

export function OverviewView({ profile }: ViewProps) {
  const reply = useReply('view/overview', profile, { ...filters.value, ...peaks.value, top: TOP })
  const advice = useAdvice(profile, adviceAsked.value)
  const advised = advice.isEarlier === true ? undefined : advice.value?.result?.verdict // knows what a replay of a large file expects
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(overview) => (
        <div class={`overview${overview.devices.length > 0 ? '' : ' has-no-device'}`}>
          <div class="above">
            <InJobLine profile={profile} told={advised?.of_job} />
            <VerdictLine verdict={advised ?? overview.verdict} definition={define.verdict} />
            {overview.step_notes.map((note) => (
              <p key={note} role="note">
                <Said text={note} />
              </p>
            ))}
            {overview.not_filtered.length > 0 && (
              <p class="soft">
                Filtered: devices, communication, categories and short lists. Not filtered:{' '}
                {overview.not_filtered.join(', ')}, advice.
              </p>
            )}
          </div>
          <Figures overview={overview} />
          <Findings advice={advice.value?.result ?? undefined} error={advice.error} />
          <Devices overview={overview} />
          <StepBreakdown overview={overview} findings={advice.value?.result?.findings ?? []} />
          <TopLists overview={overview} />
          <div class="device-lines">
            <Categories overview={overview} />
            <Communication overview={overview} />
          </div>
          <RecordedLine overview={overview} />
        </div>
      )}
    </ViewFrame>
  )
}
