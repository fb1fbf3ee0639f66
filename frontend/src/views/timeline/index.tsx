import { effect, untracked, useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { useReply } from '../../data/reply'
import { filters } from '../../state/filters'
import { at, go, place } from '../../state/place'
import type { Profile } from '../../wire/profile'
import type { TimelineTracks } from '../../wire/wire'
import { Menu } from '../../widgets/panel/menu'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { AreaPanel } from './panels/area_panel'
import { Beside, isBeside } from './panels/beside'
import { Details } from './panels/details'
import { HitsPanel } from './panels/hits_panel'
import { badValues, tellBadLink } from './store/bad_link'
import { PAGE_LINK } from './store/link'
import { menu } from './store/menu'
import { readPlace } from './store/place'
import { Problem } from './panels/problem'
import { SlicesTable } from './panels/slices_table'
import { Splitter, shareBelow } from './panels/splitter'
import { TimelineStore } from './store/store'
import { leadToTrack } from './store/track_link'
import { Surface } from './canvas/surface'
import './timeline.css'
import { Toolbar } from './panels/toolbar'
import { Why } from './panels/why'

export function TimelineView({ profile }: ViewProps) {
  const reply = useReply('view/timeline', profile, {})
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(tracks) => (
        <Timeline
          key={Object.values(profile).join('\n')}
          profile={profile}
          tracks={tracks}
          isBefore={reply.value.pending}
        />
      )}
    </ViewFrame>
  )
}

interface TimelineProps {
  readonly profile: Profile
  readonly tracks: TimelineTracks
  /** The tracks are those of before, perhaps of another profile: they do not tell what is not there. */
  readonly isBefore: boolean
}

function Timeline({ profile, tracks, isBefore }: TimelineProps) {
  const linkProblem = useSignal<string | undefined>(undefined) // a link with other filters too is told once
  const store = useMemo(
    () => new TimelineStore(profile, tracks, filters.value, PAGE_LINK, linkProblem),
    [tracks, JSON.stringify(filters.value)],
  )
  const isTable = at('timeline.table') === '1'
  const shown = useComputed(() => readPlace(place.value))
  const isListing = useComputed(() => place.value['timeline.list'] !== undefined && shown.value.q !== '')
  const names = at('timeline.names') ?? ''
  const below = shareBelow()
  const follow = (): void => {
    if (!isBefore) untracked(() => tellBadLink(store)) // first: what is not there is not asked for
    store.follow(store.link.read())
    untracked(() => leadToTrack(store))
  }
  useEffect(() => effect(follow), [store]) // other filters make another store
  useEffect(
    () =>
      effect(() => {
        const { value } = store.values.reply
        if (value !== undefined) tellBadLink(store, (at) => badValues(at, value.tracks), linkProblem.peek())
      }),
    [store],
  )
  return (
    <div class="tl" style={/^\d+$/.test(names) ? { '--tl-list': `${names}px` } : undefined}>
      <Toolbar
        store={store}
        q={shown.value.q}
        isRegex={shown.value.isRegex}
        isTable={isTable}
        onTable={() => go({ 'timeline.table': isTable ? undefined : '1' })}
      />
      {isBeside() && <Why profile={profile} />}
      <Surface store={store}>
        <Problem store={store} />
      </Surface>
      {isBeside() && <Beside store={store} />}
      <Splitter />
      <div class="tl-panels" style={below === undefined ? undefined : { flex: `0 1 ${below}%`, maxHeight: 'none' }}>
        {isTable && <SlicesTable store={store} />}
        {isListing.value && <HitsPanel store={store} />}
        {store.area.value !== undefined && <AreaPanel store={store} area={store.area.value} />}
        <Details store={store} />
        {store.beside.value && <Details store={store.beside.value} below=" (below)" />}
      </div>
      {menu.value && <Menu at={menu.value} onClose={() => (menu.value = undefined)} />}
    </div>
  )
}
