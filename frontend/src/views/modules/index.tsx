import './modules.css'

import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { Modules, ViewReply } from '../../data/wire'
import { filters } from '../../state/filters'
import { at } from '../../state/place'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { TreeTable } from './tree_table'

export function ModulesView({ profile }: ViewProps) {
  const group = at('modules.group') === 'class' ? 'class' : 'instance'
  const params = { ...profile, ...filters.value, group_by: group }
  const reply = useReply<ViewReply<Modules>>('view/modules', params, versionOf(profile))
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(modules) => <TreeTable modules={modules} fileParts={[profile.run, profile.worker, profile.span]} />}
    </ViewFrame>
  )
}
