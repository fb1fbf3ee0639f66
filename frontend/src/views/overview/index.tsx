import './overview.css'

import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { Overview, ViewReply } from '../../data/wire'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { StepBreakdown } from './breakdown'
import { Figures } from './figures'
import { Devices, TopKernels, TopOperators } from './lists'
import { Issues, RecordedList, SourceLine } from './recorded'

export function OverviewView({ profile }: ViewProps) {
  const reply = useReply<ViewReply<Overview>>('view/overview', { ...profile }, versionOf(profile))
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(overview) => (
        <div class="overview">
          <Figures overview={overview} />
          <StepBreakdown overview={overview} />
          <section class="overview-side">
            <Devices devices={overview.devices} />
            <RecordedList recorded={overview.recorded} />
            <SourceLine source={overview.source} />
            <Issues issues={overview.issues} />
          </section>
          <TopOperators overview={overview} />
          <TopKernels overview={overview} />
        </div>
      )}
    </ViewFrame>
  )
}
