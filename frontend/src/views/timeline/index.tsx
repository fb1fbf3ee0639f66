import { useComputed, useSignalEffect } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'

import { useReply } from '../../data/reply'
import { runs } from '../../data/runs'
import type { TimelineTracks } from '../../data/wire'
import { filters } from '../../state/filters'
import { place } from '../../state/place'
import { ViewFrame } from '../frame'
import type { Profile, ViewProps } from '../props'
import { AreaPanel } from './area_panel'
import { Details } from './details'
import { readPlace } from './place'
import { onlyTracks } from './only_tracks'
import { SlicesTable } from './slices_table'
import { TimelineStore } from './store'
import { Surface } from './surface'
import './timeline.css'
import { Toolbar } from './toolbar'

export function TimelineView({ profile }: ViewProps) {
  const reply = useReply<TimelineTracks>('timeline/tracks', { ...profile }, runs.value.returns)
  const { value } = reply.value
  // The frame knows views' envelopes; tracks come bare.
  const inEnvelope = {
    ...reply.value,
    value: value === undefined ? undefined : { view: 'timeline', missing: missing(value), result: value },
  }
  return (
    <ViewFrame profile={profile} reply={inEnvelope}>
      {(tracks) => <Timeline key={Object.values(profile).join('\n')} profile={profile} all={tracks} />}
    </ViewFrame>
  )
}

function missing({ n_events: nEvents }: TimelineTracks): string | null {
  return nEvents > 0 ? null : 'This profile holds no events. Was the profiler stopped before anything ran?'
}

function Timeline({ profile, all }: { readonly profile: Profile; readonly all: TimelineTracks }) {
  const { devices, streams, threads } = filters.value
  const tracks = useMemo(() => onlyTracks(all, { devices, streams, threads }), [all, devices, streams, threads])
  const store = useMemo(() => new TimelineStore(profile, tracks), [tracks])
  const [isTable, setTable] = useState(false)
  const shown = useComputed(() => readPlace(place.value))
  useSignalEffect(() => store.follow(place.value))
  return (
    <div class="tl">
      <Toolbar
        store={store}
        q={shown.value.q}
        isRegex={shown.value.isRegex}
        isTable={isTable}
        onTable={() => setTable(!isTable)}
      />
      <Surface store={store} />
      {isTable && <SlicesTable store={store} />}
      {store.area.value !== undefined && <AreaPanel store={store} area={store.area.value} />}
      <Details store={store} />
    </div>
  )
}
