import './modules.css'

import { useReply } from '../../data/reply'
import { versionOf } from '../../data/runs'
import type { Modules, ViewReply } from '../../data/wire'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { TreeTable } from './tree_table'

export function ModulesView({ profile }: ViewProps) {
  const reply = useReply<ViewReply<Modules>>('view/modules', { ...profile }, versionOf(profile))
  return (
    <ViewFrame profile={profile} reply={reply.value}>
      {(modules) => <TreeTable modules={modules} fileParts={[profile.run, profile.worker, profile.span]} />}
    </ViewFrame>
  )
}
