import './overview.css'

import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { Advice, Overview, ViewReply } from '../../data/wire'
import { filters } from '../../state/filters'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { StepBreakdown } from './breakdown'
import { Categories } from './categories'
import { Devices } from './devices'
import { Figures } from './figures'
import { Findings } from './findings'
import { TopLists } from './lists'
import { CutShort, RecordedLine } from './recorded'

const TOP = 5

export function OverviewView({ profile }: ViewProps) {
  const query = { ...profile, ...filters.value, top: TOP }
  const reply = useReply<ViewReply<Overview>>('view/overview', query, versionOf(profile))
  const advice = useReply<ViewReply<Advice>>('view/advice', { ...profile }, versionOf(profile)).value
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(overview) => (
        <div class={`overview${overview.devices.length > 0 ? '' : ' has-no-device'}`}>
          <div class="above">
            <CutShort issues={overview.issues} />
            {overview.not_filtered.length > 0 && (
              <p class="soft">
                Filtered: devices, categories and short lists. Not filtered: {overview.not_filtered.join(', ')}, advice.
              </p>
            )}
          </div>
          <Figures overview={overview} />
          <StepBreakdown overview={overview} findings={advice.value?.result?.findings ?? []} />
          <Findings advice={advice.value?.result ?? undefined} error={advice.error} />
          <Devices overview={overview} />
          <TopLists overview={overview} />
          <Categories overview={overview} />
          <RecordedLine overview={overview} />
        </div>
      )}
    </ViewFrame>
  )
}
